package observe

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func structured(v string) []byte { return []byte(`{"content":[],"structuredContent":` + v + `}`) }

func text(s string) []byte {
	b, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	return b
}

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "shapes.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestATypeIsOfferedOnceResultsRepeatTheirShape(t *testing.T) {
	s := open(t)
	results := []string{
		`{"id":1,"tags":[],"author":{"name":"a"}}`,
		`{"id":2,"tags":["x"],"author":{"name":"b","mail":null}}`,
		`{"id":3,"tags":["y","z"],"author":{"name":"c"}}`,
		`{"id":4,"tags":[],"author":{"name":"d","mail":"m"}}`,
		`{"id":5,"tags":["x"],"author":{"name":"e"}}`,
		`{"id":6,"tags":["x"],"author":{"name":"e"}}`,
	}
	for _, r := range results {
		s.Observe("a.b", structured(r))
		if _, ok := s.Schema("a.b"); ok {
			t.Fatalf("offered after %s", r)
		}
	}
	s.Observe("a.b", text(results[0])) // JSON in a text counts
	got, ok := s.Schema("a.b")
	want := `{"properties":{"author":{"properties":{"mail":{"type":["string","null"]},"name":{"type":"string"}},"required":["name"],"type":"object"},"id":{"type":"integer"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["author","id","tags"],"type":"object"}`
	if !ok || string(got) != want {
		t.Errorf("got %v %s\nwant %s", ok, got, want)
	}
	s.Observe("a.b", structured(`{"id":7,"tags":[],"author":{"name":"a"},"new":true}`))
	if got, ok := s.Schema("a.b"); !ok || !strings.Contains(string(got), `"new":{"type":"boolean"}`) {
		t.Errorf("an addition withdrew the type: %v %s", ok, got)
	}
	s.Observe("a.b", structured(`{"id":"eight","tags":[],"author":{"name":"a"}}`))
	if got, ok := s.Schema("a.b"); ok {
		t.Errorf("a contradiction did not: %s", got)
	}
}

func TestFailuresAndTextsTeachNothing(t *testing.T) {
	s := open(t)
	for range 10 {
		for _, r := range [][]byte{
			[]byte(`{"isError":true,"content":[{"type":"text","text":"{\"a\":1}"}]}`),
			structured(`{"error":"not found"}`), structured(`{"success":false}`), text("plain words"), text(`"a"`), text(`{"a":1} and more`), []byte(`[`), []byte(`{}`),
		} {
			s.Observe("a.b", r)
		}
	}
	if len(s.tools) != 0 {
		t.Errorf("learnt %+v", s.tools["a.b"].Shape)
	}
}

func TestNoValueIsKept(t *testing.T) {
	s := open(t)
	for i := range 5 {
		s.Observe("a.b", structured(fmt.Sprintf(`{"secret":"swordfish-%d","by_id":{"u-81723%d":{"n":1},"john@example.com":{"n":2}},"files":{"/home/x/key.pem":5}}`, i, i)))
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"swordfish", "8172", "john", "pem"} {
		if strings.Contains(string(b), bad) {
			t.Errorf("%q is in the file: %s", bad, b)
		}
	}
	got, ok := s.Schema("a.b")
	if !ok || !strings.Contains(string(got), `"by_id":{"additionalProperties":{"properties":{"n":{"type":"integer"}}`) {
		t.Errorf("%v %s", ok, got)
	}
}

func TestWhatWasLearntOutlivesTheProcess(t *testing.T) {
	s := open(t)
	for range 5 {
		s.Observe("a.b", structured(`[{"x":1.5},{"x":2}]`))
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := s.Schema("a.b")
	if got, ok := again.Schema("a.b"); !ok || string(got) != string(want) {
		t.Errorf("%v %s, want %s", ok, got, want)
	}
	if err := os.WriteFile(s.path, []byte(`{"version":1,"tools":{"a.b":{"shape":{"types":"zz"}},"c.d":null}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := Open(s.path); err != nil || len(again.tools) != 0 {
		t.Errorf("a broken entry was taken: %v", err)
	}
	if err := os.WriteFile(s.path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.path); err == nil {
		t.Error("a broken file was taken")
	}
}

func TestHugeResultsStayBounded(t *testing.T) {
	s := open(t)
	var b strings.Builder
	b.WriteString(`{"deep":` + strings.Repeat(`{"a":[`, 200) + strings.Repeat(`]}`, 200))
	for i := range 60 {
		fmt.Fprintf(&b, `,"w%c%c":{"a":1,"b":{"c":2},"d%c":[{"e":1}]}`, 'a'+i/26, 'a'+i%26, 'a'+i%26)
	}
	b.WriteString("}")
	for range 3 {
		s.Observe("a.b", structured(b.String()))
	}
	if n := s.tools["a.b"].Shape.nodes(); n > maxNodes+1 {
		t.Errorf("%d shapes, want at most %d", n, maxNodes)
	}
}

func FuzzObserve(f *testing.F) {
	f.Add([]byte(`{"structuredContent":{"a":[1,2.5,null,{"b":"c"}]}}`), []byte(`{"content":[{"type":"text","text":"{\"a\":{}}"}]}`))
	f.Add(structured(`{"a":{"b":1}}`), structured(`{"a":{"1":1}}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		s := New(filepath.Join(t.TempDir(), "x"))
		for _, r := range [][]byte{a, b, a, a, a, a} {
			s.Observe("t", r)
		}
		if schema, ok := s.Schema("t"); ok && !json.Valid(schema) {
			t.Fatalf("no JSON: %s", schema)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := Open(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.tools) != len(s.tools) {
			t.Fatal("what was saved is not read back")
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	s := New("")
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"n","tags":["a","b"],"at":{"line":1}}`, i))
	}
	r := structured(`{"items":[` + strings.Join(items, ",") + `]}`)
	for b.Loop() {
		s.Observe("t", r)
	}
}
