package openapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

// folder writes a document in several files and returns the folder.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range many {
		path := filepath.Join(dir, "api", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// many is a document whose references lead to files, from those to others and
// back.
var many = map[string]string{
	"openapi.yaml": `
openapi: 3.0.3
servers: [{url: /v2}]
paths:
  /droplets/{id}:
    delete: {$ref: "resources/delete.yaml"}
    get: {$ref: "resources/./get.json"}
  /whole: {$ref: "resources/whole.yaml#/paths/~1whole"}
  /missing: {delete: {$ref: "resources/no such.yaml"}}
  /nowhere: {get: {parameters: [{$ref: "resources/shared.yaml#/parameters/none"}]}}
  /out: {get: {parameters: [{$ref: "../outside.yaml#/x"}]}}
  /linked: {get: {parameters: [{$ref: "link.yaml#/x"}]}}
  /elsewhere: {get: {parameters: [{$ref: "https://example.com/x.yaml#/x"}]}}
  /folder: {get: {parameters: [{$ref: "resources#/x"}]}}
  /typed: {get: {operationId: typed, responses: {200: {content: {application/json: {schema: {$ref: "models/gone.yaml"}}}}}}}
components:
  parameters:
    page: {name: page, in: query, schema: {type: integer}}
`,
	"resources/delete.yaml": `
operationId: deleteDroplet
parameters: [{$ref: "shared.yaml#/parameters/id"}]
responses: {"204": {description: gone}}
`,
	"resources/get.json": `{"operationId":"getDroplet","parameters":[{"$ref":"shared.yaml#/parameters/id"},{"$ref":"../openapi.yaml#/components/parameters/page"}],
		"responses":{"200":{"$ref":"./shared.yaml#/responses/droplet"}}}`,
	"resources/shared.yaml": `
parameters:
  id: {name: id, in: path, required: true, schema: {type: integer}}
responses:
  droplet: {content: {application/json: {schema: {$ref: "../models/droplet.yaml"}}}}
`,
	"resources/whole.yaml": `paths: {/whole: {get: {operationId: whole, responses: {}}}}`,
	"models/droplet.yaml": `
type: object
properties:
  name: {type: string}
  next: {$ref: "droplet.yaml"}
  region: {$ref: "region.yml#/definitions/Region~1A"}
`,
	"models/region.yml": `definitions: {"Region/A": {type: object, properties: {slug: {type: string}}}}`,
	"../outside.yaml":   `x: {name: secret, in: query, schema: {}}`,
}

const (
	dropletInput  = `{"type":"object","properties":{"id":{"type":"integer"},"page":{"type":"integer"}},"required":["id"],"additionalProperties":false}`
	dropletOutput = `{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/droplet"},"region":{"$ref":"#/$defs/Region_A"}},` +
		`"$defs":{"droplet":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/droplet"},"region":{"$ref":"#/$defs/Region_A"}}},` +
		`"Region_A":{"type":"object","properties":{"slug":{"type":"string"}}}}}`
)

// TestReferencesLeadIntoOtherFiles has those that are followed, and those for
// which the operation is left out.
func TestReferencesLeadIntoOtherFiles(t *testing.T) {
	dir := folder(t)
	if err := os.Symlink(filepath.Join(dir, "outside.yaml"), filepath.Join(dir, "api", "link.yaml")); err != nil {
		t.Logf("no symbolic links here: %v", err) // the file is then missing, which is as good
	}
	check := func(t *testing.T, s config.Server, want []string, problems ...string) {
		tools, server := list(t, open(t, s))
		var names []string
		for name := range tools {
			names = append(names, name)
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("tools %q, want %q", names, want)
		}
		if string(tools["getDroplet"].Input) != dropletInput || string(tools["getDroplet"].Output) != dropletOutput {
			t.Errorf("getDroplet takes %s and returns %s", tools["getDroplet"].Input, tools["getDroplet"].Output)
		}
		if !strings.Contains(string(tools["deleteDroplet"].Input), `"required":["id"]`) {
			t.Errorf("deleteDroplet takes %s", tools["deleteDroplet"].Input)
		}
		for _, want := range problems {
			if text := strings.Join(server.Problems, "\n"); !strings.Contains(text, want) {
				t.Errorf("problems lack %q:\n%s", want, text)
			}
		}
	}
	t.Run("in a folder", func(t *testing.T) {
		check(t, config.Server{Name: "a", Path: filepath.Join(dir, "api", "openapi.yaml"), BaseURL: "http://127.0.0.1:1"},
			[]string{"deleteDroplet", "getDroplet", "whole"},
			`DELETE /missing left out: the reference "resources/no such.yaml" is not followed: `,
			`GET /nowhere left out: a parameter: the reference "resources/shared.yaml#/parameters/none" is not followed: it leads nowhere`,
			`GET /out left out: a parameter: the reference "../outside.yaml#/x" is not followed: it leads out of the document's folder`,
			`GET /linked left out: a parameter: the reference "link.yaml#/x" is not followed: `,
			`GET /elsewhere left out: a parameter: the reference "https://example.com/x.yaml#/x" is not followed: `,
			`GET /folder left out: a parameter: the reference "resources#/x" is not followed: it is no regular file`,
			`GET /typed left out: the reference "models/gone.yaml" is not followed: `)
	})
	t.Run("at an origin", func(t *testing.T) {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
			*http.Request) {
			t.Error("another origin was asked")
		}))
		defer elsewhere.Close()
		files := http.FileServer(http.Dir(dir))
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "hunter2" || r.URL.Query().Get("key") != "hunter3" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			if r.URL.Path == "/api/link.yaml" {
				http.Redirect(w, r, elsewhere.URL+"/x", http.StatusFound)
				return
			}
			files.ServeHTTP(w, r)
		}))
		defer srv.Close()
		check(t, config.Server{Name: "a", URL: srv.URL + "/api/openapi.yaml", BaseURL: "http://127.0.0.1:1",
			Headers: config.Secrets{"X-Key": "hunter2"}, Query: config.Secrets{"key": "hunter3"}},
			[]string{"deleteDroplet", "getDroplet", "get_out", "whole"}, // an origin has no folders
			`DELETE /missing left out: the reference "/api/resources/no%20such.yaml" is not followed: status 404`,
			`GET /linked left out: a parameter: the reference "/api/link.yaml#/x" is not followed: status 302`,
			`GET /elsewhere left out: a parameter: the reference "https://example.com/x.yaml#/x" is not followed: it leads to https://example.com/x.yaml, and only`)
	})
}

// TestFilesAreBounded has more files than are read, and more bytes.
func TestFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	paths := map[string]any{}
	for i := range MaxFiles + 1 {
		name := fmt.Sprintf("f%03d.json", i)
		content := fmt.Sprintf(`{"operationId":"o%d","responses":{}%*s}`, i, 1000, "")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		paths[fmt.Sprintf("/%03d", i)] = map[string]any{"get": map[string]any{"$ref": name}}
	}
	document, err := json.Marshal(map[string]any{"openapi": "3.1.0", "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "api.json")
	if err := os.WriteFile(path, document, 0o644); err != nil {
		t.Fatal(err)
	}
	s := config.Server{Name: "a", Path: path, BaseURL: "http://127.0.0.1:1"}
	tools, server := list(t, open(t, s))
	want := []string{`GET /100 left out: the reference "f100.json" is not followed: the document refers to more than 100 files`}
	if d := cmp.Diff(want, server.Problems); len(tools) != MaxFiles || d != "" {
		t.Errorf("%d tools (-want +got):\n%s", len(tools), d)
	}
	s.MaxMessage = len(document) + 50_500 // that is 49 files
	if tools, server = list(t, open(t, s)); len(tools) < 45 || len(tools) > 49 ||
		!strings.Contains(strings.Join(server.Problems, "\n"), "usetools.maxMessageMB") {
		t.Errorf("%d tools, problems %q", len(tools), server.Problems)
	}
	s.MaxMessage = len(document) - 1
	if _, err := Open(t.Context(), s); err == nil || !strings.Contains(err.Error(), "raise usetools.maxMessageMB") {
		t.Errorf("error %v", err)
	}
}

func TestReferencesAreRewrittenAsJSON(t *testing.T) {
	for _, tc := range [][2]string{
		{`{"$ref":"a"}`, `{"$ref":"<a>"}`},
		{`{"x": [{"$ref" : "a\/b"}, "$ref", {"$ref":{"$ref":"c"}}]}`,
			`{"x": [{"$ref" : "<a/b>"}, "$ref", {"$ref":{"$ref":"<c>"}}]}`},
		{`{"text":"\"$ref\":\"a\"","$ref":7}`, `{"text":"\"$ref\":\"a\"","$ref":7}`},
		{`{"$ref":"#/same"}`, `{"$ref":"#/same"}`},
	} {
		got := rewrite([]byte(tc[0]), func(ref string) string {
			if ref[0] == '#' {
				return ref
			}
			return "<" + ref + ">"
		})
		if string(got) != tc[1] {
			t.Errorf("%s became %s, want %s", tc[0], got, tc[1])
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`{"$ref":"a","b":["\"$ref\":"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := rewrite(data, func(string) string { return `"\` })
		if json.Valid(data) && !json.Valid(got) {
			t.Errorf("%s became %s", data, got)
		}
	})
}

// TestSwaggerIsReadAsOpenAPI has the two documents of one API make the same
// tools, and their calls the same requests.
func TestSwaggerIsReadAsOpenAPI(t *testing.T) {
	var sent []string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind := mainType(r.Header.Get("Content-Type"))
		if kind == multipartType {
			body = []byte(strings.Join(strings.Fields(string(body))[1:], " "))
			body = body[:strings.Index(string(body), " --")]
		}
		sent = append(sent, r.Method+" "+r.RequestURI+" "+r.Header.Get("X-Ids")+" "+kind+" "+string(body))
	}))
	defer srv.Close()
	calls := []struct{ tool, args, want string }{
		{"findPets", `{"tags":["a","b"],"ids":[1,2],"sorts":["x","y"],"pipes":["p","q"],"tabs":["s","t"],"X-Ids":[1,2]}`,
			"GET /v1/pets?tags=a&tags=b&ids=1,2&sorts=x%20y&pipes=p%7Cq&tabs=s%09t 1,2  "},
		{"addPet", `{"name":"Rex","tag":null}`, `POST /v1/pets  application/json {"name":"Rex","tag":null}`},
		{"updatePet", `{"id":7,"status":"sold","tags":["a","b"]}`,
			"POST /v1/pets/7  application/x-www-form-urlencoded status=sold&tags=a,b"},
		{"upload", `{"id":7,"file":"YWJj","note":"n"}`,
			`POST /v1/pets/7/image  multipart/form-data Content-Disposition: form-data; name="file"; filename="file" Content-Type: application/octet-stream abc`},
	}
	var all [2]map[string]string
	for i, name := range []string{"pets2.json", "pets3.json"} {
		sent = nil
		b := open(t, config.Server{Name: "a", Path: filepath.Join("testdata", name), BaseURL: srv.URL + "/v1"})
		tools, server := list(t, b)
		if len(server.Problems) > 0 || server.Title != "Pets" {
			t.Errorf("%s: problems %q, title %q", name, server.Problems, server.Title)
		}
		all[i] = map[string]string{}
		for _, tool := range tools {
			all[i][tool.Name] = fmt.Sprintf("%s\n%s\n%s", tool.Description, tool.Input, tool.Output)
		}
		for _, c := range calls {
			if name == "pets3.json" && c.tool == "findPets" {
				continue // OpenAPI 3 has no style for tabs
			}
			sent = nil
			if _, err := b.Call(t.Context(), &backend.Request{Tool: c.tool, Args: registry.ReadArgs([]byte(c.args))}); err != nil || len(sent) != 1 ||
				sent[0] != c.want {
				t.Errorf("%s: %s sent %q, %v, want %q", name, c.tool, sent, err, c.want)
			}
		}
	}
	if d := cmp.Diff(all[1], all[0]); d != "" {
		t.Errorf("OpenAPI 3 (-) and Swagger 2.0 (+) differ:\n%s", d)
	}
}

func TestSwaggerSaysWhereTheAPIIs(t *testing.T) {
	for _, tc := range []struct{ document, want string }{
		{`"host":"x.example","basePath":"/v1","schemes":["http","https"]`, "https://x.example/v1"},
		{`"host":"x.example:81","schemes":["ws","http"]`, "http://x.example:81/"},
		{`"host":"x.example","basePath":"v1"`, "//x.example/v1"},
		{`"basePath":"/v1"`, "/v1"},
	} {
		d, err := derive([]byte(`{"swagger":"2.0",`+tc.document+`,"paths":{"/x":{}}}`), alone(), config.Server{})
		if err != nil || d.Server != tc.want {
			t.Errorf("%s: server %q, %v, want %q", tc.document, d.Server, err, tc.want)
		}
	}
}
