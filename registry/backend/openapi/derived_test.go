package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/jsontree"
)

// payments is a document like those of large APIs: many objects, each of which
// leads to most others, some by "an ID or the object".
func payments(objects, members int) []byte {
	schemas, paths := map[string]any{"state": map[string]any{"type": "string", "enum": []any{"on", "off"}}},
		map[string]any{}
	for i := range objects {
		properties := map[string]any{"id": map[string]any{"type": "string"}}
		for j := range members {
			text := fmt.Sprintf("<p>What member %d of object %d is for. %s</p>", j, i, strings.Repeat("More. ", 20))
			other := map[string]any{"$ref": fmt.Sprintf("#/components/schemas/object_%d", (i*7+j*3+1)%objects)}
			var p map[string]any
			switch j % 4 {
			case 0:
				p = map[string]any{"type": "integer"}
			case 1: // also of a reference that is never cut
				p = map[string]any{"anyOf": []any{map[string]any{"type": "string"}, other,
					map[string]any{"$ref": "#/components/schemas/state"}}}
			case 2:
				p = map[string]any{"type": "array", "items": other}
			default:
				p = map[string]any{"type": "object",
					"properties": map[string]any{"inner": other, "count": map[string]any{"type": "integer"}}}
			}
			p["description"] = text
			properties[fmt.Sprintf("member_%02d", j)] = p
		}
		name := fmt.Sprintf("object_%d", i)
		schemas[name] = map[string]any{"type": "object", "properties": properties}
		answer := func(schema any) any {
			return map[string]any{"200": map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": schema}}}}
		}
		ref := map[string]any{"$ref": "#/components/schemas/" + name}
		paths["/"+name] = map[string]any{"get": map[string]any{"operationId": "get_" + name, "responses": answer(ref)}}
		paths["/list/"+name] = map[string]any{"get": map[string]any{"operationId": "list_" + name, "responses": answer(
			map[string]any{"type": "object",
				"properties": map[string]any{"data": map[string]any{"type": "array", "items": ref}}})}}
	}
	data, err := json.Marshal(map[string]any{"openapi": "3.0.0", "paths": paths,
		"components": map[string]any{"schemas": schemas}})
	if err != nil {
		panic(err)
	}
	return data
}

// TestResultsAreCutNotDropped has the top level of every object typed, what is
// deeper marked, and no reference that leads nowhere.
func TestResultsAreCutNotDropped(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine derives 120 tools from a large document")
	}
	d, err := derive(payments(60, 40), alone(), config.Server{})
	if err != nil || len(d.Tools) != 120 || len(d.Problems) > 0 {
		t.Fatalf("%d tools, problems %q, %v", len(d.Tools), d.Problems, err)
	}
	cuts := 0
	for i, tool := range d.Tools {
		var definition struct {
			Output map[string]json.RawMessage `json:"outputSchema"`
		}
		if err := json.Unmarshal(d.raws[i], &definition); err != nil || definition.Output == nil {
			t.Fatalf("%s: no result type, %v", tool.Name, err)
		}
		v, err := tree(d.raws[i])
		if err != nil {
			t.Fatal(err)
		}
		root := v.Get("outputSchema")
		item := root
		if strings.HasPrefix(tool.Name, "list_") {
			item = root.At(root.At("#/properties/data/items").Str("$ref"))
		}
		members := item.Get("properties")
		if len(members.Keys) != 41 || members.Get("member_00").Str("type") != "integer" {
			t.Errorf("%s: the top level is %s", tool.Name, members.JSON())
		}
		if text := members.Get("member_00").Str("description"); text == "" || strings.Contains(text, "<p>") {
			t.Errorf("%s: text %q", tool.Name, text)
		}
		if size := len(root.JSON()); size > 192<<10 {
			t.Errorf("%s: the result type has %d bytes", tool.Name, size)
		}
		walk(root, func(o *jsontree.Value) {
			if ref := o.Str("$ref"); ref != "" && root.At(ref) == nil {
				t.Errorf("%s: %s leads nowhere", tool.Name, ref)
			}
			if text := o.Str("$comment"); text != "" {
				cuts++
				if !strings.HasSuffix(text, ", not typed this deep") || o.Get("type") != nil || o.Get("properties") != nil {
					t.Errorf("%s: cut to %s", tool.Name, o.JSON())
				}
			}
		})
	}
	if cuts == 0 {
		t.Error("nothing was cut")
	}

	// What is small enough is whole.
	d, err = derive(payments(3, 8), alone(), config.Server{})
	if err != nil || bytes.Contains(bytes.Join([][]byte{d.raws[0], d.raws[5]}, nil), []byte("$comment")) {
		t.Errorf("a small document is cut: %s, %v", d.raws[0], err)
	}
}

// walk visits a value and all values in it.
func walk(v *jsontree.Value, visit func(*jsontree.Value)) {
	visit(v)
	for _, item := range v.Items {
		walk(item, visit)
	}
}

// kept returns the files in the cache.
func kept(t *testing.T) []string {
	t.Helper()
	folder, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "usetools", "openapi", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func cacheAt(t *testing.T, folder string) {
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, folder)
	}
}

// TestDocumentIsDerivedOnce reads marks that are put into what is kept, for as
// long as the document, its files and the definition are the same.
func TestDocumentIsDerivedOnce(t *testing.T) {
	cacheAt(t, t.TempDir())
	dir := folder(t)
	s := config.Server{Name: "a", Path: filepath.Join(dir, "api", "openapi.yaml"), BaseURL: "http://127.0.0.1:1"}
	opened := func() (description string, problems int) {
		t.Helper()
		tools, server := list(t, open(t, s))
		return tools["deleteDroplet"].Description, len(server.Problems)
	}
	const made, marked = "DELETE /droplets/{id}", "MARKED /droplets/{id}"
	first, problems := opened()
	files := kept(t)
	if first != made || len(files) != 1 {
		t.Fatalf("description %q, kept %q", first, files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	mark := func() {
		t.Helper()
		if err := os.WriteFile(files[0], bytes.ReplaceAll(data, []byte(made), []byte(marked)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mark()
	if got, n := opened(); got != marked || n != problems {
		t.Errorf("opened again: %q with %d problems, want what is kept with %d", got, n, problems)
	}

	for name, broken := range map[string][]byte{"empty": nil, "half": data[:len(data)/2],
		"no definitions": data[:bytes.IndexByte(data, '\n')+1],
		"other":          []byte("{}\n[1]\n"), "null": []byte(`{"Tools":[null]}` + "\n[]\n"),
		"many files": []byte(`{"Files":[` + strings.Repeat(`{},`, 200) + `{}]}` + "\n[]\n")} {
		if err := os.WriteFile(files[0], broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, n := opened(); got != made || n != problems {
			t.Errorf("%s: %q with %d problems", name, got, n)
		}
	}

	mark()
	shared := filepath.Join(dir, "api", "resources", "shared.yaml")
	if err := os.WriteFile(shared, []byte(many["resources/shared.yaml"]+"\n# changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := opened(); got != made {
		t.Errorf("after a file changed: %q", got)
	}
	mark()
	s.Paths = []string{"/droplets/**"}
	if got, _ := opened(); got != made || len(kept(t)) != 2 {
		t.Errorf("with other paths: %q, kept %q", got, kept(t))
	}

	cacheAt(t, filepath.Join(dir, "api", "openapi.yaml")) // no folder
	if got, _ := opened(); got != made {
		t.Errorf("without a cache: %q", got)
	}
}

// TestChangedDerivationHasAnotherVersion is for who changes what is made of
// documents: what was kept before must not be taken for it.
func TestChangedDerivationHasAnotherVersion(t *testing.T) {
	all := map[string][]byte{"payments": payments(40, 20)}
	for _, name := range []string{"shop.json", "mcpo.json", "small.yaml", "upload.yaml", "forms.json", "pets2.json",
		"pets3.json"} {
		all[name] = read(t, name)
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d, err := derive(all[name], alone(), config.Server{})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&b).Encode([]any{name, d, d.raws}); err != nil {
			t.Fatal(err)
		}
	}
	const of, want = 1, "77cf0a9421228a4c"
	if got := sum(b.Bytes())[:16]; derivation != of || got != want {
		t.Errorf("version %d makes %s; raise derivation if that is another digest than %s of version %d, then write both here",
			derivation, got, want, of)
	}
}

func TestTextsArePlain(t *testing.T) {
	for _, tc := range [][2]string{
		{"<p>Retrieves a <code>Customer</code> object.</p>\n\n<p>See <a href=\"/docs?a=b&c\">the docs</a> &amp; more.</p>",
			"Retrieves a `Customer` object.\n\nSee the docs & more."},
		{"> [!NOTE]\n> This needs a token.\n> Two lines.\n\nDeletes it.", "This needs a token.\nTwo lines.\n\nDeletes it."},
		{"Sets it.\n\n> [!WARNING] Beware", "Sets it.\n\nBeware"},
		{"> a quotation stays", "> a quotation stays"},
		{"<ul><li>one</li><li>two<br/>lines</li></ul>", "- one\n- two\nlines"},
		{"Use <name> where a < b && c > d, List<String>", "Use <name> where a < b && c > d, List<String>"},
		{"`<b>&amp;</b>` stays, <b>goes</b>", "`<b>&amp;</b>` stays, goes"},
		{"&lt;p&gt; is a tag", "<p> is a tag"},
		{" plain\n", "plain"},
		{"<!-- hidden -->shown", "shown"},
	} {
		if got := plainText(tc[0]); got != tc[1] {
			t.Errorf("%q became %q, want %q", tc[0], got, tc[1])
		}
	}
}

func TestSummaryIsNotSaidTwice(t *testing.T) {
	for _, tc := range []struct{ summary, description, want string }{
		{"List pets", "List pets.", "List pets."},
		{"List pets.", "<p>list  pets of a shop</p>", "list  pets of a shop"},
		{"List pets", "All that are for sale", "List pets.\nAll that are for sale"},
		{"List", "Lists pets", "List.\nLists pets"},
		{"<b>List</b> pets", "", "List pets"},
		{"", "", "GET /pets"},
	} {
		_, got := describe(&operation{Summary: tc.summary, Description: tc.description},
			&tool{Method: http.MethodGet, Path: "/pets"})
		if got != tc.want {
			t.Errorf("%q and %q became %q, want %q", tc.summary, tc.description, got, tc.want)
		}
	}
}
