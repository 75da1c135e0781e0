package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// serve offers a document at /openapi.json and answers everything else.
func serve(t testing.TB, document string, answer http.HandlerFunc) config.Server {
	t.Helper()
	data := read(t, document)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			w.Write(data)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(srv.Close)
	return config.Server{Name: "a", Type: config.OpenAPI, URL: srv.URL + "/openapi.json", CallTimeout: 10 * time.Second}
}

func open(t testing.TB, s config.Server) backend.Backend {
	t.Helper()
	b, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func list(t testing.TB, b backend.Backend) (map[string]registry.Tool, registry.Server) {
	t.Helper()
	l, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]registry.Tool{}
	for _, tool := range l.Tools {
		tools[tool.Name] = tool
	}
	return tools, l.Server
}

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprintf(w, `{"request":%q,"body":%q,"type":%q,"trace":%q}`, r.Method+" "+r.RequestURI, body,
		r.Header.Get("Content-Type"), r.Header.Get("X-Trace"))
}

func TestEveryOperationIsATool(t *testing.T) {
	tools, server := list(t, open(t, serve(t, "shop.json", echo)))
	want := map[string][2]string{ // input and output
		"listItems": {
			`{"type":"object","properties":{"tag":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"integer"}},` +
				`"filter":{"type":"object"},"X-Trace":{"type":"string"},"limit":{"type":"integer","exclusiveMinimum":0}},"additionalProperties":false}`,
			`{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/$defs/Item"}}},"required":["result"],"x-fastmcp-wrap-result":true,` +
				`"$defs":{"Item":{"type":"object","required":["name","id"],"properties":{"name":{"type":"string"},"id":{"type":"string","readOnly":true},"price":{"type":["number","null"]},"parent":{"$ref":"#/$defs/Item"}}}}}`,
		},
		"create_item": {
			`{"type":"object","properties":{"name":{"type":"string"},"secret":{"type":"string","writeOnly":true},"price":{"type":["number","null"]},"parent":{"$ref":"#/$defs/Item"}},` +
				`"required":["name"],"additionalProperties":false,"$defs":{"Item":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},` +
				`"secret":{"type":"string","writeOnly":true},"price":{"type":["number","null"]},"parent":{"$ref":"#/$defs/Item"}}}}}`,
			`{"type":"object","required":["name","id"],"properties":{"name":{"type":"string"},"id":{"type":"string","readOnly":true},"price":{"type":["number","null"]},"parent":{"$ref":"#/$defs/Item"}},` +
				`"$defs":{"Item":{"type":"object","required":["name","id"],"properties":{"name":{"type":"string"},"id":{"type":"string","readOnly":true},"price":{"type":["number","null"]},"parent":{"$ref":"#/$defs/Item"}}}}}`,
		},
		"get_items_id": {`{"type":"object","properties":{"id":{"type":"string","description":"The item"}},"required":["id"],"additionalProperties":false}`, ""},
		"replace": {`{"type":"object","properties":{"id":{"type":"string","description":"The item"},"body":{"type":"object","properties":{"id":{"type":"string"}}}},` +
			`"required":["id"],"additionalProperties":false}`, ""},
		"remove":       {`{"type":"object","properties":{"id":{"type":"string","description":"The item"}},"required":["id"],"additionalProperties":false}`, ""},
		"login":        {`{"type":"object","properties":{"user":{"type":"string"},"roles":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`, ""},
		"get_matrix_x": {`{"type":"object","properties":{"x":{}},"required":["x"],"additionalProperties":false}`, ""},
		"note":         {`{"type":"object","properties":{"body":{"type":"string"}},"required":["body"],"additionalProperties":false}`, ""},
		"picture":      {`{"type":"object","properties":{},"additionalProperties":false}`, ""},
		"away":         {`{"type":"object","properties":{},"additionalProperties":false}`, ""},
	}
	for name, tool := range tools {
		w, ok := want[name]
		delete(want, name)
		if !ok || string(tool.Input) != w[0] {
			t.Errorf("%s takes\n%s, want\n%s", name, tool.Input, w[0])
		}
		if w[1] != "" && string(tool.Output) != w[1] {
			t.Errorf("%s returns\n%s, want\n%s", name, tool.Output, w[1])
		}
	}
	if len(want) > 0 {
		t.Errorf("missing %v", want)
	}
	if !tools["listItems"].Annotations.ReadsOnly() || tools["remove"].Annotations.ReadsOnly() ||
		!*tools["remove"].Annotations.Destructive {
		t.Error("annotations do not follow the methods")
	}
	if d := tools["remove"].Description; d != "Deprecated." || tools["listItems"].Title != "List items" {
		t.Errorf("description %q, title %q", d, tools["listItems"].Title)
	}
	problems := strings.Join(server.Problems, "\n")
	for _, want := range []string{"GET /broken/{x} left out: a name in its path",
		`"https://elsewhere.example/other.yaml#/x" is not followed: it leads to https://elsewhere.example`,
		"/circle left out: a parameter: references lead in a circle"} {
		if !strings.Contains(problems, want) {
			t.Errorf("problems lack %q:\n%s", want, problems)
		}
	}
	if server.Title != "Shop" || server.Instructions != "Sells things." || server.Transport != "openapi" {
		t.Errorf("server %+v", server)
	}
}

func TestArgumentsGoWhereTheDocumentSays(t *testing.T) {
	b := open(t, serve(t, "shop.json", echo))
	for _, tc := range []struct{ tool, args, request, body, kind string }{
		{"listItems", `{"tag":["a b","c&d"],"ids":[1,9007199254740993],"filter":{"min":1.50,"max":"x"},"limit":3,"X-Trace":"t"}`,
			"GET /api/v1/items?tag=a%20b&tag=c%26d&ids=1,9007199254740993&filter%5Bmin%5D=1.50&filter%5Bmax%5D=x&limit=3", "",
			""},
		{"create_item", `{"name":"x","price":1.50,"parent":{"name":"y"}}`, "POST /api/v1/items",
			`{"name":"x","parent":{"name":"y"},"price":1.50}`, "application/json"},
		{"get_items_id", `{"id":"a/b?c#d é"}`, "GET /api/v1/items/a%2Fb%3Fc%23d%20%C3%A9", "", ""},
		{"replace", `{"id":"7","body":{"id":"8"}}`, "PUT /api/v1/items/7", `{"id":"8"}`, "application/json"},
		{"replace", `{"id":"7"}`, "PUT /api/v1/items/7", "", ""},
		{"login", `{"user":"a b","roles":["x","y"]}`, "POST /api/v1/login", "roles=x&roles=y&user=a+b",
			"application/x-www-form-urlencoded"},
		{"login", `{}`, "POST /api/v1/login", "", "application/x-www-form-urlencoded"},
		{"note", `{"body":"héllo"}`, "POST /api/v1/note", "héllo", "text/plain"},
	} {
		r, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(tc.args))})
		if err != nil {
			t.Errorf("%s %s: %v", tc.tool, tc.args, err)
			continue
		}
		var got struct {
			Result *json.RawMessage `json:"result"`
			echoed
		}
		if err := json.Unmarshal(r.Structured, &got); err != nil {
			t.Error(err)
		}
		if got.Result != nil {
			json.Unmarshal(*got.Result, &got.echoed)
		}
		want := echoed{tc.request, tc.body, tc.kind}
		if d := cmp.Diff(want, got.echoed, cmp.AllowUnexported(echoed{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.tool, d)
		}
	}
}

type echoed struct {
	Request string `json:"request"`
	Body    string `json:"body"`
	Kind    string `json:"type"`
}

func TestArgumentsThatCannotBeAreRefusedUnsent(t *testing.T) {
	b := open(t, serve(t, "shop.json", func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
	for _, tc := range []struct{ tool, args, want string }{
		{"get_items_id", `{}`, `"id" is required`},
		{"get_items_id", `{"id":".."}`, "cannot be part of a path"},
		{"get_items_id", `{"id":""}`, "cannot be part of a path"},
		{"get_items_id", `{"id":"1","x":2}`, `unknown argument "x"`},
		{"listItems", `{"tag":[["x"]]}`, "nested too deeply"},
		{"note", `{}`, `"body" is required`},
		{"note", `{"body":7}`, "not a text"},
		{"nope", `{}`, "unknown tool"},
	} {
		var refused *backend.RefusedError
		if _, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(tc.args))}); !errors.As(err, &refused) ||
			!strings.Contains(refused.Message, tc.want) {
			t.Errorf("%s %s: error %v, want %q", tc.tool, tc.args, err, tc.want)
		}
	}
}

func TestResponsesBecomeResults(t *testing.T) {
	var code int
	var kind, body string
	b := open(t, serve(t, "shop.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		io.WriteString(w, body)
	}))
	for _, tc := range []struct {
		tool             string
		code             int
		kind, body       string
		text, structured string
		failed           bool
	}{
		{"get_items_id", 200, "application/json", `{"b":9007199254740993,"a":1.50}`, `{"b":9007199254740993,"a":1.50}`,
			`{"b":9007199254740993,"a":1.50}`, false},
		{"listItems", 200, "application/json", `[1, 2]`, `[1, 2]`, `{"result":[1,2]}`, false},
		{"get_items_id", 200, "application/json", `[1]`, `[1]`, ``, false},
		{"get_items_id", 200, "application/json", `{broken`, `{broken`, ``, false},
		{"replace", 204, "", "", "", "", false},
		{"login", 200, "text/plain", "welcome", "welcome", "", false},
		{"login", 401, "application/json", `{"detail":{"message":"wrong password"}}`,
			"status 401 Unauthorized: wrong password", "", true},
		{"login", 500, "text/html", "<h1>oops</h1>", "status 500 Internal Server Error: <h1>oops</h1>", "", true},
		{"login", 503, "", "", "status 503 Service Unavailable", "", true},
	} {
		code, kind, body = tc.code, tc.kind, tc.body
		r, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(map[bool]string{true: `{"id":"1"}`, false: `{}`}[tc.tool == "get_items_id" || tc.tool == "replace"]))})
		if err != nil {
			t.Errorf("%+v: %v", tc, err)
			continue
		}
		if r.Text() != tc.text || string(r.Structured) != tc.structured || r.IsError != tc.failed {
			t.Errorf("%s %d: text %q, structured %s, isError %v", tc.tool, tc.code, r.Text(), r.Structured, r.IsError)
		}
	}
	code, kind, body = 200, "image/png", "\x89PNG"
	if r, err := b.Call(t.Context(), &backend.Request{Tool: "picture"}); err != nil || len(r.Content) != 1 || r.Content[0].Type != "image" ||
		string(r.Content[0].Data) != body {
		t.Errorf("picture: %+v, %v", r, err)
	}
}

func TestMCPOEndpointWorksAsItIs(t *testing.T) {
	b := open(t, serve(t, "mcpo.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if body, _ := io.ReadAll(r.Body); r.URL.Path != "/time/get_current_time" || !strings.Contains(string(body), "Paris") {
			w.WriteHeader(500)
			io.WriteString(w, `{"detail":{"message":"bad zone","error":"McpError"}}`)
			return
		}
		io.WriteString(w, `{"timezone":"Europe/Paris","is_dst":false}`)
	}))
	tools, _ := list(t, b)
	tool, ok := tools["get_current_time"]
	if !ok || string(tool.Input) != `{"type":"object","properties":{"timezone":{"type":"string","title":"Timezone","description":"IANA timezone name"}},"required":["timezone"],"additionalProperties":false}` ||
		!strings.Contains(string(tool.Output), `"is_dst":{"type":"boolean"}`) ||
		strings.Contains(string(tool.Output), "wrap-result") {
		t.Errorf("tools %v", tools)
	}
	r, err := b.Call(t.Context(), &backend.Request{Tool: "get_current_time", Args: registry.ReadArgs([]byte(`{"timezone":"Europe/Paris"}`))})
	if err != nil || string(r.Structured) != `{"timezone":"Europe/Paris","is_dst":false}` {
		t.Errorf("result %+v, %v", r, err)
	}
	if r, err := b.Call(t.Context(), &backend.Request{Tool: "get_current_time", Args: registry.ReadArgs([]byte(`{"timezone":"x"}`))}); err != nil || !r.IsError ||
		!strings.Contains(r.Text(), "bad zone") {
		t.Errorf("failure %+v, %v", r, err)
	}
}

func TestYAMLIsReadLikeJSON(t *testing.T) {
	d, err := derive(read(t, "small.yaml"), alone(), config.Server{})
	if err != nil {
		t.Fatal(err)
	}
	tools := d.Tools
	if len(tools) != 2 || len(d.Problems) > 0 {
		t.Fatalf("%d tools, problems %q", len(tools), d.Problems)
	}
	for _, want := range []string{
		`"since":{"type":"string","format":"date","default":"2026-01-02"}`,
		`"big":{"type":"integer","maximum":9007199254740993,"minimum":16}`,
		`"zeta":{"type":"string"},"alpha":{"type":"boolean"`,
	} {
		if !strings.Contains(string(tools[0].raw)+string(tools[1].raw), want) {
			t.Errorf("%s lacks %s", tools[0].raw, want)
		}
	}
	if d.Server != "https://api.example.com/v1" {
		t.Errorf("server %q", d.Server)
	}
}

// alone are the files of a document that can refer to none.
func alone() *files {
	f := newFiles(MaxBytes)
	f.get = func(string, int64) ([]byte, error) { return nil, errors.New("not there") }
	return f
}

func TestSecretsGoToTheNamedHostOnly(t *testing.T) {
	var other http.Header
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { other = r.Header }))
	defer elsewhere.Close()
	var own []*http.Request
	s := serve(t, "shop.json", func(w http.ResponseWriter, r *http.Request) {
		own = append(own, r)
		if r.URL.Path == "/api/v1/away" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}
	})
	s.Headers, s.Query = config.Secrets{"X-Key": "hunter2"}, config.Secrets{"key": "hunter3"}
	b := open(t, s)
	if r, err := b.Call(t.Context(), &backend.Request{Tool: "away"}); err != nil || !r.IsError {
		t.Errorf("redirect: %+v, %v", r, err)
	}
	if len(own) != 1 || own[0].Header.Get("X-Key") != "hunter2" || own[0].URL.Query().Get("key") != "hunter3" {
		t.Error("the API did not get its key")
	}
	if other != nil {
		t.Errorf("another host got %v", other)
	}
	// A document that points to another host gets no headers there.
	document := `{"openapi":"3.1.0","paths":{"/x":{"get":{"operationId":"x","responses":{}}}},"servers":[{"url":"` +
		elsewhere.URL + `"}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, document)
	}))
	defer srv.Close()
	s.URL = srv.URL
	b = open(t, s)
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "x"}); err == nil || !strings.Contains(err.Error(), "set that as baseUrl") ||
		other != nil {
		t.Errorf("error %v; another host got %v", err, other)
	}
	s.BaseURL = elsewhere.URL
	if _, err := open(t, s).Call(t.Context(), &backend.Request{Tool: "x"}); err != nil || other.Get("X-Key") != "hunter2" {
		t.Errorf("error %v; the named host got %v", err, other)
	}
}

// TestSharedSchemasAreBoundedTogether has a small document whose operations all
// have the same schema.
func TestSharedSchemasAreBoundedTogether(t *testing.T) {
	const most = 1 << 20
	var properties, paths []string
	for i := range 200 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string","description":%q}`, i, strings.Repeat("d", 60)))
		paths = append(paths, fmt.Sprintf(`"/p%d":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Big"}}}}}}}`, i))
	}
	document := fmt.Sprintf(`{"openapi":"3.0.0","components":{"schemas":{"Big":{"type":"object","properties":{%s}}}},"paths":{%s}}`,
		strings.Join(properties, ","), strings.Join(paths, ","))
	d, err := decode([]byte(document), alone())
	if err != nil {
		t.Fatal(err)
	}
	tools, problems := d.tools(newChooser(nil, nil), most)
	bytes := 0
	for _, t := range tools {
		bytes += len(t.raw)
	}
	if len(tools) < 10 || bytes > most ||
		!strings.Contains(strings.Join(problems, "\n"), "bytes of schemas; those from GET /p") {
		t.Errorf("%d tools of %d bytes, problems %q", len(tools), bytes, problems)
	}
}

func TestFailuresRepeatNoSecrets(t *testing.T) {
	long := strings.Repeat("x", maxFailure-10)
	say := func(r *http.Request) string {
		user, password, _ := r.BasicAuth()
		return fmt.Sprint(r.Header.Get("X-Api-Key"), " ", r.URL.Query().Get("token"), " ", r.URL, " ", user, password, " ",
			long, r.Header.Get("X-Api-Key"))
	}
	status := http.StatusUnauthorized
	s := serve(t, "shop.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		io.WriteString(w, say(r))
	})
	s.Headers, s.Query = config.Secrets{"X-Api-Key": "hunter2hunter2"}, config.Secrets{"token": "hunter3 hunter3"}
	s.BaseURL = strings.Replace(strings.TrimSuffix(s.URL, "/openapi.json"), "://", "://me:hunter4hunter4@", 1) +
		"/s/hunter5hunter5hunter5"
	b := open(t, s)
	r, err := b.Call(t.Context(), &backend.Request{Tool: "away"})
	if err != nil || !r.IsError || strings.Contains(r.Text(), "hunt") || strings.Contains(string(r.Raw), "hunt") ||
		!strings.Contains(r.Text(), "401") {
		t.Errorf("error %v, result %.300s … %s", err, r.Raw, r.Raw[len(r.Raw)-100:])
	}
	status = http.StatusOK
	if r, err = b.Call(t.Context(), &backend.Request{Tool: "away"}); err != nil || r.IsError ||
		!strings.Contains(r.Text(), "hunter2hunter2 hunter3 hunter3") {
		t.Errorf("a result is not as the API sent it: error %v, %.300s", err, r.Raw)
	}
}

func TestFailuresSayWhyWithoutSecrets(t *testing.T) {
	s := serve(t, "shop.json", func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	s.Query = config.Secrets{"key": "hunter2hunter2"}
	s.CallTimeout = 50 * time.Millisecond
	b := open(t, s)
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "away"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
	s.BaseURL, s.CallTimeout = "http://127.0.0.1:1", time.Second
	if _, err := open(t, s).Call(t.Context(), &backend.Request{Tool: "away"}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
	b.Close()
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "away"}); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	for content, want := range map[string]string{
		`{"swagger":"1.2"}`: `swagger is "1.2", want 2.0`, `{"swagger":"2.0"}`: "no paths", `{"openapi":"3.0.0"}`: "no paths",
		`[]`: "want an object", "a: [": "neither JSON nor YAML", `{"openapi":"4"}`: `"4"`, "": "no OpenAPI document",
	} {
		path := filepath.Join(t.TempDir(), "api.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), config.Server{Name: "a", Path: path}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", content, err, want)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, name := range []string{"shop.json", "mcpo.json", "small.yaml", "upload.yaml"} {
		f.Add(read(f, name))
	}
	f.Add([]byte("openapi: 3.0.0\npaths: &a\n  /x: {get: *a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := derive(data, alone(), config.Server{})
		if err != nil {
			return
		}
		base := &url.URL{Scheme: "http", Host: "example.com"}
		for _, tool := range d.Tools {
			if !json.Valid(tool.raw) {
				t.Errorf("definition %s", tool.raw)
			}
			tool.request(t.Context(), base, json.RawMessage(`{"id":"x","body":{"a":[1]},"file":"YQ=="}`))
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data := read(b, "shop.json")
	for b.Loop() {
		if _, err := derive(data, alone(), config.Server{}); err != nil {
			b.Fatal(err)
		}
	}
}

// A tool that was accepted sends what was accepted, or nothing.
func TestACallSendsWhatWasAccepted(t *testing.T) {
	document := func(path, in string) string {
		return `{"openapi":"3.0.0","paths":{"` + path +
			`":{"post":{"operationId":"archive","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}},
			{"name":"key","in":"` + in + `","schema":{"type":"string"}}],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"b":{},"a":{}}}}}}}}}}`
	}
	sent, now := 0, document("/notes/{id}/archive", "query")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			io.WriteString(w, now)
			return
		}
		sent++
		echo(w, r)
	}))
	t.Cleanup(srv.Close)
	s := config.Server{Name: "a", Type: config.OpenAPI, URL: srv.URL + "/openapi.json"}
	b := open(t, s)
	tools, _ := list(t, b)
	want := tools["archive"].Request
	if !strings.Contains(want, "/notes/{id}/archive, with id as path id; key as query key; body application/json of a, b") || !strings.HasPrefix(want, "POST http://127.0.0.1:") {
		t.Errorf("it sends %q", want)
	}
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "archive", Args: registry.ReadArgs([]byte(`{"id":1}`)), Expect: want}); err != nil ||
		sent != 1 {
		t.Error(err, sent)
	}
	for _, now = range []string{document("/users/{id}/delete", "query"), document("/notes/{id}/archive", "header")} {
		b := open(t, s)
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "archive", Args: registry.ReadArgs([]byte(`{"id":1}`)), Expect: want}); err == nil ||
			!strings.Contains(err.Error(), "the document has changed") || sent != 1 {
			t.Error(err, sent)
		}
	}
}

func TestAURLIsThatOfADocument(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/json": `{"openapi": "3.1.0"}`, "/yaml": "swagger: '2.0'\n", "/page": "<html>openapi</html>",
		"/other": `{"info": {"openapi": 1}}`, "/list": `[1]`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "k" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			io.WriteString(w, body)
		})
	}
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-stop
	})
	mux.HandleFunc("/post", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, `{"openapi": "3.1.0"}`)
	})
	s := httptest.NewServer(mux)
	for path, want := range map[string]bool{"/post": false, "/json": true, "/yaml": true, "/page": false, "/other": false, "/list": false,
		"/stream": false} {
		got, err := IsAt(t.Context(), config.Server{URL: s.URL + path, Headers: config.Secrets{"X-Key": "k"}})
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", path, got, err, want)
		}
	}
	if got, err := IsAt(t.Context(), config.Server{URL: s.URL + "/json"}); err != nil || got {
		t.Errorf("without its header: %v, %v", got, err)
	}
	if _, err := IsAt(t.Context(), config.Server{URL: s.URL + "/missing"}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a path that is not there: %v", err)
	}
	if _, err := IsAt(t.Context(), config.Server{URL: "http://127.0.0.1:1/"}); err == nil {
		t.Error("an address where nothing listens: no error")
	}
}
