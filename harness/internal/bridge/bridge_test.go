package bridge

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestStubDeclaresWhatIsBound keeps the three views of the package together:
// the compiled one, the one that the type checker sees, the interpreter's.
func TestStubDeclaresWhatIsBound(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "stub.go", Source, 0)
	if err != nil {
		t.Fatal(err)
	}
	bound := Symbols()["usetools/host/host"]
	declared := map[string]bool{}
	ofRT := map[string]bool{"Do": true, "Call": true, "Decode": true, "Encode": true}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil || ofRT[d.Name.Name] {
				continue
			}
			declared[d.Name.Name] = true
			if got, want := bound[d.Name.Name].Type().NumIn(), d.Type.Params.NumFields(); got != want {
				t.Errorf("%s has %d parameters, its stub %d", d.Name.Name, got, want)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				declared[s.(*ast.TypeSpec).Name.Name] = true
			}
		}
	}
	for name := range bound {
		if !declared[name] {
			t.Errorf("%s is bound but not in the stub", name)
		}
	}
	if len(declared) != len(bound) {
		t.Errorf("%d names declared, %d bound", len(declared), len(bound))
	}
}

func TestResultAsTextAndJSON(t *testing.T) {
	for _, c := range []struct {
		name, raw, text, json string // json "" means an error
	}{
		{"text", `{"content":[{"type":"text","text":"hi"},{"type":"text","text":"there"}]}`, "hi\nthere", ""},
		{"text that is JSON", `{"content":[{"type":"text","text":" {\"a\":1}"}]}`, ` {"a":1}`, `{"a":1}`},
		{"structured", `{"content":[{"type":"text","text":"one"}],"structuredContent":{"a":1}}`, "one", `{"a":1}`},
		{"structured without text", `{"content":[],"structuredContent":{"a":1}}`, `{"a":1}`, `{"a":1}`},
		{"wrapped string", `{"content":[],"structuredContent":{"result":"hello"}}`, "hello", ""},
		{"wrapped JSON in a string", `{"content":[],"structuredContent":{"result":"[1,2]"}}`, "[1,2]", `[1,2]`},
		{"wrapped number", `{"content":[{"type":"text","text":"4"}],"structuredContent":{"result":4}}`, "4", `4`},
		{"the text again in one property", `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"content":"[1]"}}`, "[1]", `[1]`},
		{"a plain text in one property", `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"content":"hi"}}`, "hi", `{"content":"hi"}`},
		{"another text in one property", `{"content":[{"type":"text","text":"found"}],"structuredContent":{"content":"[1]"}}`, "found", `{"content":"[1]"}`},
		{"what Python prints", `{"content":[{"type":"text","text":"[{'a': None}]"}]}`, `[{'a': None}]`, `[{"a":null}]`},
		{"wrapped, what Python prints", `{"content":[],"structuredContent":{"result":"{'a': True}"}}`, `{'a': True}`, `{"a":true}`},
		{"big integer", `{"content":[],"structuredContent":{"id":9007199254740993}}`, `{"id":9007199254740993}`, `{"id":9007199254740993}`},
		{"resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"body"}}]}`, "body", ""},
		{"an item that cannot be read", `{"content":[5,{"type":"text","text":"x"}]}`, "x", ""},
		{"nothing", `{}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := parse("s.t", []byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := Text(r); got != c.text {
				t.Errorf("Text: %q, want %q", got, c.text)
			}
			got, err := JSON(r)
			if (err != nil) != (c.json == "") || string(got) != c.json {
				t.Errorf("JSON: %q, %v, want %q", got, err, c.json)
			}
			if string(Raw(r)) != c.raw {
				t.Errorf("Raw: %q", Raw(r))
			}
		})
	}
}

func TestImagesAreReturnedAsMCPContent(t *testing.T) {
	const image = `{"type":"image","data":"aGk=","mimeType":"image/png"}`
	raw := `{"content":[{"type":"text","text":"a picture"},` + image + `]}`
	r, err := parse("s.t", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	list := Images(r)
	if len(list) != 1 || string(list[0].Data) != "hi" {
		t.Fatalf("images %v", list)
	}
	if got, err := json.Marshal(list[0]); err != nil || string(got) != `{"type":"image","mimeType":"image/png","data":"aGk="}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Value(r); err != nil || string(got) != `[{"type":"text","text":"a picture"},`+image+`]` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestToolFailureIsAnErrorWithItsMessage(t *testing.T) {
	r, err := parse("s.t", []byte(`{"isError":true,"content":[{"type":"text","text":"no such file"}]}`))
	if err == nil || err.Error() != "s.t: no such file" {
		t.Errorf("got %v", err)
	}
	if Text(r) != "no such file" {
		t.Errorf("the result is lost: %q", Text(r))
	}
	if _, err := parse("s.t", []byte(`[`)); err == nil {
		t.Error("what is not JSON was accepted")
	}
}

// TestValueIsWhatTheToolSaid: only who asks for JSON gets texts rewritten.
func TestValueIsWhatTheToolSaid(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a":1}`, `{"a":1}`},
		{`plain`, `"plain"`},
		{`[{'a': None}]`, `"[{'a': None}]"`},
	} {
		r := &Result{content: []content{{Type: "text", Text: c.text}}}
		if got, err := Value(r); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v", c.text, got, err)
		}
	}
}

func TestZeroResultIsHarmless(t *testing.T) {
	if Text(nil) != "" || Raw(nil) != nil || Images(nil) != nil {
		t.Error("a nil result has content")
	}
	if _, err := JSON(nil); err == nil {
		t.Error("a nil result has JSON")
	}
	if v, err := Value(nil); err != nil || string(v) != `""` {
		t.Errorf("Value(nil) = %s, %v", v, err)
	}
}

func TestWithoutABridgeEveryCallFails(t *testing.T) {
	bridge.Store(nil)
	if _, err := Call(From{}, "s.t", []byte("{}")); !errors.Is(err, errNoBridge) {
		t.Errorf("got %v", err)
	}
	if err := UseTools("x"); err != nil {
		t.Errorf("got %v", err)
	}
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"result":"x"}}`))
	f.Add([]byte(`{"isError":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := parse("s.t", raw)
		if err != nil && !strings.HasPrefix(err.Error(), "s.t: ") {
			t.Fatalf("the error does not name the tool: %v", err)
		}
		Text(r)
		JSON(r)
		if _, err := Value(r); err != nil {
			t.Fatalf("Value: %v", err)
		}
		Images(r)
		Fields("s.t", r)
		Wrapped("s.t", r, true)
	})
}

func TestTypedFieldsAreReadFromWhatPythonPrints(t *testing.T) {
	r, err := parse("s.t", []byte(`{"content":[{"type":"text","text":"{'a': True, 'b': None}"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Fields("s.t", r)); got != `{"a":true,"b":null}` {
		t.Error(got)
	}
}
