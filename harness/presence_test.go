package harness_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

// putter is a tool with everything that a script may write to, or not.
func putter() *registry.Registry {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "put", Description: "Put a thing",
		Input: json.RawMessage(`{
		"type":"object","required":["name"],
		"properties":{
			"name":{"type":"string"},"count":{"type":"integer"},"flag":{"type":"boolean"},"note":{"type":"string","default":"none"},"ratio":{"type":"number"},
			"tags":{"type":"array","items":{"type":"string"}},
			"meta":{"type":"object"},
			"any":{},
			"owner":{"$ref":"#/$defs/Person"},
			"maybe":{"anyOf":[{"$ref":"#/$defs/Person"},{"type":"null"}]},
			"items":{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"done":{"type":"boolean"},"sub":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}}}}}},
			"people":{"type":"object","additionalProperties":{"$ref":"#/$defs/Person"}},
			"tree":{"$ref":"#/$defs/Node"}
		},
		"$defs":{
			"Person":{"type":"object","properties":{"age":{"type":"integer"},"active":{"type":"boolean"},"nick":{"type":"string"}}},
			"Node":{"type":"object","properties":{"v":{"type":"integer"},"left":{"$ref":"#/$defs/Node"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}
		}}`)}}}
	reg.Normalize()
	return reg
}

// TestWhatIsWrittenIsSentAndNothingElse calls a tool in many ways; what
// arrives must be what was written, zero or not.
func TestWhatIsWrittenIsSentAndNothingElse(t *testing.T) {
	t.Parallel()
	h, rec := harnessOver(putter(),
		func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("ok"), nil })
	for _, c := range []struct{ name, script, want string }{
		{"literal", `_, _ = s.Put(s.PutParams{Name: "", Count: 0, Flag: false, Note: "", Ratio: 0})`,
			`{"name":"","count":0,"flag":false,"note":"","ratio":0}`},
		{"nil containers", `_, _ = s.Put(s.PutParams{Name: "n", Tags: nil, Meta: nil})`, `{"name":"n","tags":[],"meta":{}}`},
		{"nil any", `_, _ = s.Put(s.PutParams{Name: "n", Any: nil})`, `{"name":"n","any":null}`},
		{"assignment", `p := s.PutParams{Name: "n"}; p.Count = 0; p.Owner.Age = 0; _, _ = s.Put(p)`,
			`{"name":"n","count":0,"owner":{"age":0}}`},
		{"op assignment", `p := s.PutParams{Name: "n"}; p.Count += 0; p.Note += ""; _, _ = s.Put(p)`,
			`{"name":"n","count":0,"note":""}`},
		{"inc and dec", `p := s.PutParams{Name: "n"}; p.Count++; p.Count--; _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"multiple assignment", `var p s.PutParams; p.Name, p.Count, p.Flag = "n", 0, false; _, _ = s.Put(p)`,
			`{"name":"n","count":0,"flag":false}`},
		{"assignment of a call's results",
			`f := func() (int, bool) { return 0, false }; p := s.PutParams{Name: "n"}; p.Count, p.Flag = f(); _, _ = s.Put(p)`,
			`{"name":"n","count":0,"flag":false}`},
		{"comma ok", `p := s.PutParams{Name: "n"}; m := map[string]int{}; p.Count, p.Flag = m["x"]; _, _ = s.Put(p)`,
			`{"name":"n","count":0,"flag":false}`},
		{"pointer", `p := &s.PutParams{Name: "n"}; p.Count = 0; _, _ = s.Put(*p)`, `{"name":"n","count":0}`},
		{"pointer of pointer", `p := &s.PutParams{Name: "n"}; q := &p; (*q).Count = 0; (**q).Flag = false; _, _ = s.Put(*p)`,
			`{"name":"n","count":0,"flag":false}`},
		{"new", `p := new(s.PutParams); p.Name = "n"; p.Flag = false; _, _ = s.Put(*p)`, `{"name":"n","flag":false}`},
		{"address of a field", `p := s.PutParams{Name: "n"}; c := &p.Count; *c = 0; _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"address of a field in a call",
			`p := s.PutParams{Name: "n"}; set := func(x *bool) { *x = false }; set(&p.Flag); _, _ = s.Put(p)`,
			`{"name":"n","flag":false}`},
		{"helper that writes", "p := s.PutParams{Name: \"n\"}\nzero := func(p *s.PutParams) { p.Count = 0; p.Owner.Active " +
			"= false }\nzero(&p)\n_, _ = s.Put(p)", `{"name":"n","count":0,"owner":{"active":false}}`},
		{"helper that returns", "mk := func(n int) s.PutParams { return s.PutParams{Name: \"n\", Count: n} }\n_, _ = s.Put(mk(0))",
			`{"name":"n","count":0}`},
		{"helper with a named result", "mk := func() (p s.PutParams) { p.Name = \"n\"; p.Count = 0; return }\n_, _ = s.Put(mk())",
			`{"name":"n","count":0}`},
		{"functional options", "type opt func(*s.PutParams)\ncount := func(n int) opt { return func(p *s.PutParams) { " +
			"p.Count = n } }\np := s.PutParams{Name: \"n\"}\nfor _, o := range []opt{count(0)} { o(&p) }\n_, _ = s.Put(p)",
			`{"name":"n","count":0}`},
		{"nested literal", `_, _ = s.Put(s.PutParams{Name: "n", Owner: s.Person{Age: 0}})`, `{"name":"n","owner":{"age":0}}`},
		{"empty nested literal", `_, _ = s.Put(s.PutParams{Name: "n", Owner: s.Person{}})`, `{"name":"n","owner":{}}`},
		{"nested never written", `p := s.PutParams{Name: "n"}; _ = p.Owner.Age; _, _ = s.Put(p)`, `{"name":"n"}`},
		{"nullable struct", `_, _ = s.Put(s.PutParams{Name: "n", Maybe: s.Person{Active: false}})`,
			`{"name":"n","maybe":{"active":false}}`},
		{"slice of structs", `_, _ = s.Put(s.PutParams{Name: "n", Items: []s.Item{{ID: 0}, {ID: 1, Done: false}, {ID: 2, Sub: s.Sub{X: 0}}}})`, `{"name":"n","items":[{"id":0},{"id":1,"done":false},{"id":2,"sub":{"x":0}}]}`},
		{"element by index", `items := make([]s.Item, 2); items[0].ID = 0; items[1].ID = 1; items[1].Done = false; _, _ = s.Put(s.PutParams{Name: "n", Items: items})`, `{"name":"n","items":[{"id":0},{"id":1,"done":false}]}`},
		{"element of a field by index",
			`p := s.PutParams{Name: "n", Items: make([]s.Item, 1)}; p.Items[0].ID = 0; p.Items[0].Sub.Y = 0; _, _ = s.Put(p)`,
			`{"name":"n","items":[{"id":0,"sub":{"y":0}}]}`},
		{"append", `var items []s.Item; for i := range 2 { items = append(items, s.Item{ID: i, Done: i > 0}) }; _, _ = s.Put(s.PutParams{Name: "n", Items: items})`, `{"name":"n","items":[{"id":0,"done":false},{"id":1,"done":true}]}`},
		{"append to the field", `p := s.PutParams{Name: "n"}; p.Items = append(p.Items, s.Item{ID: 0}); p.Tags = append(p.Tags, ""); _, _ = s.Put(p)`, `{"name":"n","items":[{"id":0}],"tags":[""]}`},
		{"range variable is a copy", `items := []s.Item{{ID: 1}}; for _, it := range items { it.Done = false }; _, _ = s.Put(s.PutParams{Name: "n", Items: items})`, `{"name":"n","items":[{"id":1}]}`},
		{"range by index", `items := []s.Item{{ID: 1}}; for i := range items { items[i].Done = false }; _, _ = s.Put(s.PutParams{Name: "n", Items: items})`, `{"name":"n","items":[{"id":1,"done":false}]}`},
		{"range over pointers", `a, b := s.Item{ID: 1}, s.Item{ID: 2}; for _, it := range []*s.Item{&a, &b} { it.Done = false }; _, _ = s.Put(s.PutParams{Name: "n", Items: []s.Item{a, b}})`, `{"name":"n","items":[{"id":1,"done":false},{"id":2,"done":false}]}`},
		{"range assigns into a field", `p := s.PutParams{Name: "n"}; for p.Count = range 1 { }; _, _ = s.Put(p)`,
			`{"name":"n","count":0}`},
		{"map of structs", `_, _ = s.Put(s.PutParams{Name: "n", People: map[string]s.Person{"a": {Age: 0}, "b": {}}})`,
			`{"name":"n","people":{"a":{"age":0},"b":{}}}`},
		{"map by key", `m := map[string]s.Person{}; x := m["a"]; x.Active = false; m["a"] = x; _, _ = s.Put(s.PutParams{Name: "n", People: m})`, `{"name":"n","people":{"a":{"active":false}}}`},
		{"array of structs", `var a [2]s.Item; a[0].ID = 0; a[1].ID = 1; a[1].Done = false; _, _ = s.Put(s.PutParams{Name: "n", Items: a[:]})`, `{"name":"n","items":[{"id":0},{"id":1,"done":false}]}`},
		{"copy keeps what was written", `p := s.PutParams{Name: "n", Count: 0}; q := p; q.Flag = false; _, _ = s.Put(p); _, _ = s.Put(q)`,
			`{"name":"n","count":0}{"name":"n","count":0,"flag":false}`},
		{"copy of a nested struct", `var o s.Person; o.Age = 0; p := s.PutParams{Name: "n"}; p.Owner = o; _, _ = s.Put(p)`,
			`{"name":"n","owner":{"age":0}}`},
		{"copy through an interface", `var x any = s.PutParams{Name: "n", Count: 0}; _, _ = s.Put(x.(s.PutParams))`,
			`{"name":"n","count":0}`},
		{"copy through a channel", `ch := make(chan s.PutParams, 1); ch <- s.PutParams{Name: "n", Flag: false}; _, _ = s.Put(<-ch)`,
			`{"name":"n","flag":false}`},
		{"overwritten whole", `p := s.PutParams{Name: "n", Count: 0}; p = s.PutParams{Name: "m"}; _, _ = s.Put(p)`, `{"name":"m"}`},
		{"in a struct of the script", `type job struct { P s.PutParams; Q *s.PutParams }; j := job{Q: &s.PutParams{Name: "q"}}; j.P.Name = "p"; j.P.Count = 0; j.Q.Flag = false; _, _ = s.Put(j.P); _, _ = s.Put(*j.Q)`, `{"name":"p","count":0}{"name":"q","flag":false}`},
		{"embedded in a struct of the script",
			`type job struct { s.PutParams; N int }; var j job; j.Name = "p"; j.Count = 0; _, _ = s.Put(j.PutParams)`,
			`{"name":"p","count":0}`},
		{"a type of the script's own", `type mine s.PutParams; m := mine{Name: "n", Count: 0}; m.Flag = false; _, _ = s.Put(s.PutParams(m))`, `{"name":"n","count":0,"flag":false}`},
		{"an alias", `type P = s.PutParams; p := P{Name: "n", Count: 0}; _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"generic function", "_, _ = s.Put(*set(&s.PutParams{Name: \"n\"}, func(p *s.PutParams) { p.Count = 0 }))\nfunc set[T " +
			"any](p *T, f func(*T)) *T { f(p); return p }", `{"name":"n","count":0}`},
		{"generic value", "_, _ = s.Put(first([]s.PutParams{{Name: \"n\", Flag: false}}))\nfunc first[T any](xs []T) T { return " +
			"xs[0] }", `{"name":"n","flag":false}`},
		{"method of the script", "b := &builder{}\nb.count(0)\n_, _ = s.Put(b.p)\ntype builder struct{ p s.PutParams }\nfunc (b " +
			"*builder) count(n int) { b.p.Name = \"n\"; b.p.Count = n }", `{"name":"n","count":0}`},
		{"package variable", "package main\nimport \"servers/s\"\nvar p = s.PutParams{Name: \"n\"}\nfunc main() { p.Count " +
			"= 0; _, _ = s.Put(p) }", `{"name":"n","count":0}`},
		{"closure", `p := s.PutParams{Name: "n"}; func() { p.Count = 0 }(); _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"deferred", `p := &s.PutParams{Name: "n"}; func() { defer func() { p.Flag = false }() }(); _, _ = s.Put(*p)`,
			`{"name":"n","flag":false}`},
		{"recursive", `_, _ = s.Put(s.PutParams{Name: "n", Tree: s.Node{V: 0, Left: &s.Node{V: 0}, Kids: []s.Node{{}, {V: 0}}}})`,
			`{"name":"n","tree":{"v":0,"left":{"v":0},"kids":[{},{"v":0}]}}`},
		{"recursive, by assignment", `var n s.Node; n.Left = &s.Node{}; n.Left.V = 0; _, _ = s.Put(s.PutParams{Name: "n", Tree: n})`,
			`{"name":"n","tree":{"left":{"v":0}}}`},
		{"decoded from JSON", `var p s.PutParams; if err := json.Unmarshal([]byte("{\"name\":\"n\",\"count\":3}"), &p); err != nil { panic(err) }; _, _ = s.Put(p)`, `{"name":"n","count":3}`},
		{"zero in JSON", `var p s.PutParams; if err := json.Unmarshal([]byte("{\"name\":\"\",\"count\":0,\"flag\":false,\"note\":null,\"owner\":{\"active\":false},\"tree\":{\"left\":{\"v\":0},\"kids\":[{\"v\":0},{}]}}"), &p); err != nil { panic(err) }; _, _ = s.Put(p)`, `{"name":"","count":0,"flag":false,"owner":{"active":false},"tree":{"left":{"v":0},"kids":[{"v":0},{}]}}`},
		{"zero in a stream of JSON", `for d := json.NewDecoder(strings.NewReader("{\"name\":\"a\",\"count\":0} {\"name\":\"b\"}")); d.More(); { var p s.PutParams; if err := d.Decode(&p); err != nil { panic(err) }; _, _ = s.Put(p) }`, `{"name":"a","count":0}{"name":"b"}`},
		{"from an input", `var p s.PutParams; if err := Input("p", &p); err != nil { panic(err) }; _, _ = s.Put(p)`,
			`{"name":"i","flag":false}`},
		{"decoded and written", `var p s.PutParams; if err := json.Unmarshal([]byte("{\"name\":\"n\",\"count\":3}"), &p); err != nil { panic(err) }; p.Count = 0; _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"decoded deeply", `var p s.PutParams; if err := json.Unmarshal([]byte("{\"name\":\"n\",\"owner\":{\"age\":4},\"items\":[{\"id\":1,\"done\":true}]}"), &p); err != nil { panic(err) }; _, _ = s.Put(p)`, `{"name":"n","owner":{"age":4},"items":[{"id":1,"done":true}]}`},
		{"select into a field", `ch := make(chan int, 1); ch <- 0; p := s.PutParams{Name: "n"}; select { case p.Count = <-ch: }; _, _ = s.Put(p)`, `{"name":"n","count":0}`},
		{"swap of structs", `a, b := s.PutParams{Name: "a", Count: 0}, s.PutParams{Name: "b"}; a, b = b, a; _, _ = s.Put(a); _, _ = s.Put(b)`, `{"name":"b"}{"name":"a","count":0}`},
		{"conditional", `p := s.PutParams{Name: "n"}; if len(p.Name) > 5 { p.Count = 0 }; _, _ = s.Put(p)`, `{"name":"n"}`},
		{"sort and compact", `items := []s.Item{{ID: 2, Done: false}, {ID: 1}}; slices.SortFunc(items, func(a, b s.Item) int { return a.ID - b.ID }); _, _ = s.Put(s.PutParams{Name: "n", Items: items})`, `{"name":"n","items":[{"id":1},{"id":2,"done":false}]}`},
		{"range assigns both into fields", `p := s.PutParams{}; for p.Count, p.Name = range []string{"n"} { }; _, _ = s.Put(p)`,
			`{"name":"n","count":0}`},
		{"embedded by pointer", `type job struct { *s.PutParams }; j := job{&s.PutParams{}}; j.Name = "p"; j.Flag = false; _, _ = s.Put(*j.PutParams)`, `{"name":"p","flag":false}`},
		{"comparison", `a, b := s.Person{Age: 0}, s.Person{}; if a != b { panic("not equal") }; _, _ = s.Put(s.PutParams{Name: "n", Owner: a})`, `{"name":"n","owner":{"age":0}}`},
		{"printing", `a := s.Person{Age: 0}; if t := fmt.Sprintf("%v %+v", a, a); t != "{0 false } {Age:0 Active:false Nick:}" { panic(t) }; b, err := json.Marshal(a); if err != nil || string(b) != "{\"age\":0,\"active\":false,\"nick\":\"\"}" { panic(string(b)) }; _, _ = s.Put(s.PutParams{Name: "n"})`, `{"name":"n"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec.args = nil
			res, err := h.Run(t.Context(), &harness.Script{Source: c.script,
				Inputs: map[string]json.RawMessage{"p": json.RawMessage(`{"name":"i","flag":false}`)}})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != outcome.OK {
				t.Fatal(res.Text())
			}
			if got := strings.Join(rec.args, "\n"); !sameJSON("["+strings.Join(rec.args, ",")+"]", "["+
				strings.ReplaceAll(c.want, "}{", "},{")+"]") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A required parameter that the script leaves out is sent with its default.
func TestRequiredParametersHaveTheirDefaults(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "shot", Description: "Take a picture",
		Input: json.RawMessage(`{"type":"object","required":["path","scale","quality","label","clip"],"properties":{
			"path":{"type":"string"},
			"scale":{"type":"string","enum":["css","device"],"default":"css"},
			"quality":{"type":"integer","minimum":1,"default":80},
			"label":{"type":"string","default":""},
			"clip":{"type":"object","properties":{"x":{"type":"integer"}},"default":{"x":1}}}}`)}}}
	reg.Normalize()
	h, rec := harnessOver(reg, func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("ok"), nil })
	for script, want := range map[string]string{
		`_, _ = s.Shot(s.ShotParams{Path: "a"})`: `{"path":"a","scale":"css","quality":80,"label":"","clip":{"x":1}}`,
		`_, _ = s.Shot(s.ShotParams{Path: "a", Scale: "device", Quality: 3, Label: "l", Clip: s.Clip{X: 0}})`: `{"path":"a","scale":"device","quality":3,"label":"l","clip":{"x":0}}`,
	} {
		rec.args = nil
		if res := mustRun(t, h, script); res.Status != outcome.OK {
			t.Fatal(res.Text())
		}
		if got := strings.Join(rec.args, "\n"); !sameJSON(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", script, got, want)
		}
	}
}
