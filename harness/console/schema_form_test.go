package console

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

const formSchema = `{"type":"object","required":["name","n"],"properties":{
 "name":{"type":"string","description":"what it is called"},
 "n":{"type":"integer","minimum":1,"default":5},
 "ratio":{"type":["number","null"]},
 "on":{"type":"boolean"},
 "body":{"type":"string"},
 "day":{"type":"string","format":"date"},
 "state":{"enum":["open","closed",null,3,""]},
 "kind":{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]},
 "only":{"const":7},
 "tags":{"type":"array","items":{"type":"string"}},
 "ids":{"type":"array","items":{"type":"integer"}},
 "sides":{"type":"array","items":{"enum":["n","s"]}},
 "where":{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"zip":{"type":"string"},
   "at":{"$ref":"#/$defs/point"}}},
 "any":{},
 "map":{"type":"object","additionalProperties":{"type":"integer"}},
 "either":{"anyOf":[{"type":"string"},{"type":"integer"}]},
 "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
 "ref":{"allOf":[{"$ref":"#/$defs/word"}],"description":"own words"},
 "loop":{"$ref":"#/$defs/loop"},
 "odd <b>/\"name\"":{"type":"string"}},
 "$defs":{"point":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}}},
   "word":{"type":"string","description":"theirs"},
   "loop":{"type":"object","properties":{"next":{"$ref":"#/$defs/loop"},"v":{"type":"string"}}}}}`

// formOf is the form of a tool with this schema.
func formOf(schema string) *form {
	reg := &registry.Registry{Servers: []registry.Server{{Name: "s"}},
		Tools: []registry.Tool{{Server: "s", Name: "t", ID: "s.t", Input: json.RawMessage(schema)}}}
	t, _ := wrappers.NewView(reg).Tool("s.t")
	return newForm(t.Fields())
}

func TestAFormHasAFieldForEachArgument(t *testing.T) {
	f := formOf(formSchema)
	var got []string
	for _, x := range f.Fields {
		got = append(got, x.Name+" "+x.Kind)
	}
	want := []string{"name text", "n number", "ratio number", "on choice", "body area", "day text", "state choice", "kind choice",
		"only choice", "tags lines", "ids lines", "sides ticks", "where object", "any json", "map json", "either json",
		"maybe number", "ref text", "loop object", `odd <b>/"name" text`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if x := find(f.Fields, "ref"); x.Doc != "own words" {
		t.Errorf("a description beside a reference is %q", x.Doc)
	}
	if x := find(f.Fields, "loop.next.next.next.v"); x == nil || x.Kind != "json" {
		t.Errorf("a schema in itself has no end: %+v", x)
	}
	if x := find(f.Fields, "n"); x.Default != "5" || x.Limits != "at least 1" || x.Field.Kind != "integer" {
		t.Errorf("%+v", x)
	}
}

func TestAFormMakesArguments(t *testing.T) {
	odd := "a/" + url.PathEscape(`odd <b>/"name"`)
	for _, c := range []struct {
		sent, want string
		wrong      map[string]string // part of the error by path
	}{
		{"a/name=x&a/n=9007199254740993", `{"name":"x","n":9007199254740993}`, nil},
		{"a/name=%3Cb%3E%26&a/n=1&a/ratio=-0.10e3", `{"name":"<b>&","n":1,"ratio":-0.10e3}`, nil},
		{"a/name=+x+&a/n=+7+&a/on=true&a/state=null&a/kind=%22b%22&a/only=7",
			`{"name":" x ","n":7,"on":true,"state":null,"kind":"b","only":7}`, nil},
		{"a/name=x&a/n=1&a/state=%22%22&a/body=a%0D%0Ab", `{"name":"x","n":1,"body":"a\nb","state":""}`, nil},
		{"a/name=x&a/n=1&a/tags=one%0D%0A%0D%0Atwo+words%0D%0A&a/ids=1%0A12345678901234567890&a/sides=%22s%22&a/sides=%22n%22",
			`{"name":"x","n":1,"tags":["one","two words"],"ids":[1,12345678901234567890],"sides":["n","s"]}`, nil},
		{"a/name=x&a/n=1&a/where/city=Oslo&a/where/at/x=1.50", `{"name":"x","n":1,"where":{"city":"Oslo","at":{"x":1.50}}}`, nil},
		{"a/name=x&a/n=1&a/any=+[1,+{\"a\":+null}]+&a/either=\"q\"", `{"name":"x","n":1,"any":[1,{"a":null}],"either":"q"}`, nil},
		{"a/name=x&a/n=1&" + url.QueryEscape(odd) + "=y", `{"name":"x","n":1,"odd <b>/\"name\"":"y"}`, nil},
		{"a/name=x", `{"name":"x","n":5}`, nil}, // its default
		{"", "", map[string]string{"name": "is required"}},
		{"a/name=x&a/n=1.5", "", map[string]string{"n": "whole number"}},
		{"a/name=x&a/n=12a&a/ratio=.5", "", map[string]string{"n": "whole number", "ratio": "a number"}},
		{"a/name=x&a/n=1&a/on=yes&a/sides=%22w%22", "", map[string]string{"on": "not an allowed", "sides": "not allowed"}},
		{"a/name=x&a/n=1&a/where/zip=1", "", map[string]string{"where.city": "is required"}},
		{"a/name=x&a/n=1&a/ids=1%0Atwo", "", map[string]string{"ids": `"two" must be a whole number`}},
		{"a/name=x&a/n=1&a/map={\n1:2}", "", map[string]string{"map": "line 2, character 1"}},
		{"a/name=%ff&a/n=1", "", map[string]string{"name": "UTF-8"}},
	} {
		sent, err := url.ParseQuery(strings.ReplaceAll(c.sent, ";", "%3B"))
		if err != nil {
			t.Fatal(err)
		}
		f := formOf(formSchema)
		args, ok := f.read(sent)
		wrong := map[string]string{}
		for _, x := range wrongFields(f.Fields) {
			wrong[x.Path] = x.Error
		}
		if ok != (len(c.wrong) == 0) || ok && string(args) != c.want || len(wrong) != len(c.wrong) {
			t.Errorf("%s:\n got %s %v %v\nwant %s %v", c.sent, args, ok, wrong, c.want, c.wrong)
		}
		for path, part := range c.wrong {
			if !strings.Contains(wrong[path], part) {
				t.Errorf("%s: %s: got %q, want …%s…", c.sent, path, wrong[path], part)
			}
		}
	}
}

func TestASchemaThatNoFormCanShowTakesJSON(t *testing.T) {
	var many []string
	for i := range maxArgumentFields + 1 {
		many = append(many, string(quoted(strings.Repeat("x", i)))+`:{"type":"string"}`)
	}
	for _, schema := range []string{``, `{}`, `true`, `[]`, `{"type":"array"}`, `{"type":"object"}`, `{"properties":5}`,
		`{"properties":{"` + strings.Repeat("y", formName+1) + `":{}}}`, `{"properties":{` + strings.Join(many, ",") + `}}`,
		`{"type":"object","properties":{"a":`} {
		if f := formOf(schema); len(f.Fields) > 0 {
			t.Errorf("%.60s: %d fields", schema, len(f.Fields))
		}
	}
	for _, c := range []struct{ written, want, wrong string }{
		{"", "{}", ""}, {" {\"a\" : 9007199254740993.0}\r\n", `{"a":9007199254740993.0}`, ""},
		{"[]", "", "an object"}, {"{\"a\":\n x}", "", "line 2, character 2"}, {"\xff", "", "UTF-8"}, {"{} {}", "", "not JSON"},
	} {
		f := newForm(nil)
		args, ok := f.readJSON(c.written)
		if string(args) != c.want || ok != (c.wrong == "") || !strings.Contains(f.Error, c.wrong) {
			t.Errorf("%q: %s %v %q", c.written, args, ok, f.Error)
		}
	}
}

// sentOf is what a browser sends of a form as it is filled in.
func sentOf(fields []*argument, to url.Values) url.Values {
	for _, x := range fields {
		switch {
		case x.Kind == "object":
			sentOf(x.Fields, to)
		case x.Kind == "ticks":
			for _, o := range x.Options {
				if x.Ticked[o.Value] {
					to.Add(x.ID, o.Value)
				}
			}
		default:
			to.Add(x.ID, strings.ReplaceAll(x.Value, "\n", "\r\n"))
		}
	}
	return to
}

// Whatever a server says its arguments are: a form is made in bounds, what it makes is
// an object, and arguments that it can show come out of it as they went in.
func FuzzFormKeepsArguments(f *testing.F) {
	for _, args := range []string{`{"name":"x","n":9007199254740993,"where":{"at":{"x":1}}}`, `{"name":"","n":1}`,
		`{"name":"a\nb","body":"a\nb","n":0.1e5,"tags":["a"," b "],"sides":["n"],"any":{"x":[1, 2.50]},"state":null}`} {
		f.Add(formSchema, args, "a/name=x&a/n=1&a/any={")
	}
	f.Add(`{"properties":{"a":{"$ref":"#/properties/a"},"b":{"enum":[{}]},"":{"type":"array","items":{"$ref":"#"}}}}`,
		`{"":[],"a":1}`, "a/=1")
	f.Fuzz(func(t *testing.T, schema, args, query string) {
		form := formOf(schema)
		if form.count > maxArgumentFields+1 {
			t.Fatal(form.count)
		}
		if sent, err := url.ParseQuery(query); err == nil {
			var object map[string]json.RawMessage
			if made, ok := form.read(sent); ok && json.Unmarshal(made, &object) != nil {
				t.Fatalf("%s is not an object", made)
			}
		}
		form = formOf(schema)
		given := compact(json.RawMessage(args))
		if given == nil || len(form.Fields) == 0 || !form.fill(given) {
			return
		}
		made, ok := formOf(schema).read(sentOf(form.Fields, url.Values{}))
		var want, got any
		if json.Unmarshal(given, &want) != nil || !ok || json.Unmarshal(made, &got) != nil {
			return // something that is required is missing
		}
		if diff := cmp.Diff(want, got); diff != "" && !bytes.Contains(given, []byte("{}")) {
			t.Errorf("%s\n%s became %s", diff, given, made)
		}
	})
}
