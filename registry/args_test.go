package registry_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry"
)

func TestArgumentsHaveOneForm(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{``, `{}`, ""},
		{` null `, `{}`, ""},
		{"{ \"b\" : 1 , \"a\" : [ 1.0 , 1e0 , true , null ] }", `{"b":1,"a":[1.0,1e0,true,null]}`, ""},
		{`{"a":"\u00e9\/\u003c<\u2028\ud83d\ude00\n\u0001"}`, `{"a":"é/<<\u2028😀\n\u0001"}`, ""},
		{`{"a":{"a":{}},"b":[[],{}]}`, `{"a":{"a":{}},"b":[[],{}]}`, ""},
		{`{"n":123456789012345678901234567890}`, `{"n":123456789012345678901234567890}`, ""},
		{`{"a":1,"a":1}`, "", "duplicate key \"a\""},
		{`{"a":1,"\u0061":2}`, "", "duplicate key"},
		{`{"x":[{"k":1,"k":2}]}`, "", "duplicate key"},
		{"{\"a\":\"\xff\"}", "", "not valid UTF-8"},
		{`{"a":"\ud800"}`, "", "surrogate"},
		{`{"a":"\udc00\ud800"}`, "", "surrogate"},
		{`{"a":"\ud800x\udc00"}`, "", "surrogate"},
		{`{"a":"\\ud800"}`, `{"a":"\\ud800"}`, ""},
		{`[1]`, "", "not a JSON object"},
		{`{"a":1} {}`, "", "follows"},
		{`{"a":`, "", "not JSON"},
		{`{"a":1,}`, "", "not JSON"},
		{strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), "", "200 levels"},
	} {
		args := registry.ReadArgs([]byte(c.in))
		got, err := args.JSON(), args.Err()
		switch {
		case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.in, err, c.err)
		case c.err == "" && string(got) != c.want:
			t.Errorf("%s\ngot  %s\nwant %s", c.in, got, c.want)
		}
	}
}

// FuzzArguments: what passes is read alike by a reader that keeps the first of two
// keys, one that keeps the last, and one of the form that is sent.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":"\ud83d\ude00"}`, `{"a":1,"a":2}`, `{"A":1,"a":[{}, 1e5]}`, `null`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args := registry.ReadArgs(raw)
		out := args.JSON()
		if args.Err() != nil {
			return
		}
		again := registry.ReadArgs(out)
		if again.Err() != nil || !bytes.Equal(again.JSON(), out) {
			t.Fatalf("%q has the form %q, and that %q (%v)", raw, out, again.JSON(), again.Err())
		}
		if len(bytes.TrimSpace(raw)) == 0 {
			return
		}
		read := func(b []byte) (v map[string]any) {
			d := json.NewDecoder(bytes.NewReader(b))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%q: %v", b, err)
			}
			return v
		}
		sent := read(out)
		if !reflect.DeepEqual(sent, args.Tree()) {
			t.Fatalf("%q is read as %v, and its tree is %v", raw, sent, args.Tree())
		}
		if v := read(raw); v != nil && !reflect.DeepEqual(v, sent) {
			t.Fatalf("%q is read as %v, what is sent as %v", raw, v, sent)
		}
		if v := firstWins(t, out); !reflect.DeepEqual(v, any(sent)) {
			t.Fatalf("%q: who keeps the first of two keys reads %v, others %v", out, v, sent)
		}
	})
}

// firstWins reads JSON, and of two equal keys keeps the first.
func firstWins(t *testing.T, raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value func() any
	value = func() any {
		tok, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch tok {
		case json.Delim('{'):
			m := map[string]any{}
			for d.More() {
				k, _ := d.Token()
				if v := value(); m[k.(string)] == nil {
					m[k.(string)] = v
				}
			}
			d.Token()
			return m
		case json.Delim('['):
			l := []any{}
			for d.More() {
				l = append(l, value())
			}
			d.Token()
			return l
		}
		return tok
	}
	return value()
}
