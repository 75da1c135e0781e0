package bridge

import (
	"encoding/json"
	"strings"
	"testing"
)

// warnings is a Bridge that keeps warnings and answers calls with a result.
type warnings struct {
	Bridge
	raw  string
	said []string
}

func (w *warnings) Warn(_, _, m string) { w.said = append(w.said, m) }

func (w *warnings) Call(From, string, []byte) ([]byte, error) { return []byte(w.raw), nil }

func listen(t *testing.T) *warnings {
	w := &warnings{}
	SetBridge(w)
	t.Cleanup(func() { bridge.Store(nil) })
	return w
}

func TestResultsOfOtherTypesKeepWhatCanBeRead(t *testing.T) {
	const shape = "{0}\n\"id\"i\"name\"s\"ok\"b\"score\"f\"tags\"[s\"by\"<i\"at\"{1}\"any\"a\n\"line\"i\"up\"{0}"
	for _, c := range []struct{ name, data, want, warning string }{
		{"as promised", `{"id":1,"any":[1,{}]}`, `{"any":[1,{}],"id":1}`, ""},
		{"number in a string", `{"id":"12","score":"1.5"}`, `{"id":12,"score":1.5}`, ""},
		{"3.0 for an integer", `{"id":3.0,"at":{"line":1e3}}`, `{"at":{"line":1000},"id":3}`, ""},
		{"number for a string", `{"name":9007199254740993}`, `{"name":"9007199254740993"}`, ""},
		{"big integers stay exact", `{"id":9007199254740993}`, `{"id":9007199254740993}`, ""},
		{"boolean in a string", `{"ok":"True"}`, `{"ok":true}`, ""},
		{"JSON in a string", `{"at":"{\"line\":\"2\"}","tags":"[\"a\"]"}`, `{"at":{"line":2},"tags":["a"]}`, ""},
		{"null", `{"id":null,"tags":null}`, `{"id":null,"tags":null}`, ""},
		{"fraction for an integer", `{"id":1.5,"name":"x"}`, `{"name":"x"}`, "id is the number 1.5, not an integer"},
		{"object for a string", `{"name":{"first":"a"},"id":1}`, `{"id":1}`, "name is an object, not a string"},
		{"deep", `{"at":{"up":{"by":{"x":"many"}}}}`, `{"at":{"up":{"by":{}}}}`, `at.up.by.x is the string "many", not an integer`},
		{"an item of a list", `{"tags":["a",[]]}`, `{"tags":["a",null]}`, "tags[1] is a list, not a string"},
		{"huge exponents", `{"id":"1e-99999999","score":"1e999999999"}`, `{}`, "not an integer"},
		{"the whole", `5`, ``, "it is the number 5, not an object"},
		{"no JSON", `{`, ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := listen(t)
			if got := string(Mend("s.t", []byte(c.data), shape)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if said := strings.Join(w.said, "\n"); !strings.Contains(said, c.warning) || said == "" != (c.warning == "") {
				t.Errorf("warned %q, want %q", said, c.warning)
			}
		})
	}
}

func TestTypedResultFromTextAlone(t *testing.T) {
	for _, c := range []struct {
		raw, fields, list, text string
	}{
		{`{"content":[{"type":"text","text":"[1]"}]}`, `[1]`, `{"result":[1]}`, `{"result":"[1]"}`},
		{`{"content":[{"type":"text","text":"hello"}]}`, ``, `{"result":"hello"}`, `{"result":"hello"}`},
		{`{"content":[],"structuredContent":{"result":[2]}}`, `{"result":[2]}`, `{"result":[2]}`, `{"result":[2]}`},
	} {
		w := listen(t)
		r, err := parse("s.t", []byte(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Fields("s.t", r)); got != c.fields || (got == "") != (len(w.said) == 1) {
			t.Errorf("%s: Fields %s, warnings %q", c.raw, got, w.said)
		}
		if got := string(Wrapped("s.t", r, false)); got != c.list {
			t.Errorf("%s: list %s", c.raw, got)
		}
		if got := string(Wrapped("s.t", r, true)); got != c.text {
			t.Errorf("%s: text %s", c.raw, got)
		}
	}
}

func FuzzMend(f *testing.F) {
	f.Add([]byte(`{"id":"1","at":{"up":{}}}`), "{0}\n\"id\"i\"at\"{1}\n\"up\"{0}")
	f.Add([]byte(`[[{"a":1e9}]]`), "[[{0}\n\"a\"i")
	f.Fuzz(func(t *testing.T, data []byte, shape string) {
		if out := Mend("s.t", data, shape); out != nil && !json.Valid(out) {
			t.Fatalf("no JSON: %q", out)
		}
	})
}
