package backend_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

func TestProblemsAreBounded(t *testing.T) {
	raws := make([]json.RawMessage, 5000)
	for i := range raws {
		raws[i] = json.RawMessage(`null`)
	}
	if _, problems := backend.DecodeTools("s", raws); len(problems) != 101 || problems[100] != "and 4900 more problems" {
		t.Errorf("%d problems, the last %q", len(problems), problems[len(problems)-1])
	}
}

func TestNamesThatCannotBeShownAreLeftOut(t *testing.T) {
	for _, name := range []string{"a\nb", "a\u001b[31m", strings.Repeat("x", 300), ""} {
		b, _ := json.Marshal(map[string]any{"name": name})
		if tools, problems := backend.DecodeTools("s", []json.RawMessage{b}); len(tools) != 0 || len(problems) != 1 {
			t.Errorf("name %q: tools %v, problems %q", name, tools, problems)
		}
	}
}

// A key that is there twice has two values, and one of them is not looked at.
func TestADefinitionWithAKeyTwiceIsLeftOut(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"a","inputSchema":{"properties":{"n":{"title":"x"}},"properties":{"n":{}}}}`: `"properties"`,
		`{"name":"a","inputSchema":{"anyOf":[{"n":[{}],"m":"n","\u006e":1}]}}`:                `"n"`,
		`{"name":"a","name":"b"}`: `"name"`,
		`{"name":"a","inputSchema":{"n":{"n":{"n":"n"}},"m":["n","n",{"n":1},{"n":1}],"o":"n"}}`: "",
	} {
		tools, problems := backend.DecodeTools("s", []json.RawMessage{json.RawMessage(raw)})
		if text := strings.Join(problems, ""); len(tools) == 1 != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %d tools, problems %q", raw, len(tools), problems)
		}
	}
}

func FuzzDecodeTools(f *testing.F) {
	f.Add([]byte(`{"name":"x","inputSchema":{"a":[1.0,{"b":null}]},"outputSchema":true,"annotations":{"readOnlyHint":1,"title":[]},"title":7}`))
	f.Add([]byte("{\"name\":\"\xff\",\"inputSchema\":{\"\xfe\":\"\\ud800\"}}"))
	f.Add([]byte(`[[[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return // the JSON around a definition was decoded before
		}
		tools, problems := backend.DecodeTools("s", []json.RawMessage{data})
		if len(tools) == 0 && len(problems) == 0 {
			t.Error("a tool vanished without a word")
		}
		r := &registry.Registry{Tools: tools}
		r.Normalize()
		b, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Decode(b); err != nil {
			t.Error(err)
		}
	})
}

func TestFailureReportedAsSuccessIsFlagged(t *testing.T) {
	for raw, flagged := range map[string]bool{
		`{"content":[{"type":"text","text":"Error retrieving key x: connection refused"}]}`:                        true,
		`{"content":[],"structuredContent":{"result":"Error (NOT_FOUND): nothing"}}`:                               true,
		`{"content":[{"type":"text","text":"{\"success\": false, \"error\": \"no table\"}"}]}`:                     true,
		`{"content":[],"structuredContent":{"result":"{\"success\": false}"}}`:                                     true,
		`{"content":[],"structuredContent":{"success":true,"error":null}}`:                                         false,
		`{"content":[],"structuredContent":{"Success":false,"n":1e400}}`:                                           true,
		`{"content":[],"structuredContent":{"success":"no","error":"x"}}`:                                          false,
		`{"content":[{"type":"text","text":"{\"error\":\"x\"} and more"}]}`:                                        false,
		`{"content":[{"type":"text","text":"No errors"}]}`:                                                         false,
		`{"content":[{"type":"text","text":"Error ` + strings.Repeat("handling in Go is explicit. ", 300) + `"}]}`: false,
		`{"content":[{"type":"text","text":"fine"}],"structuredContent":{"n":1}}`:                                  false,
	} {
		r, err := backend.DecodeResult([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if sign := r.FailureSign(); (sign != "") != flagged {
			t.Errorf("%.100s: %q", raw, sign)
		}
	}
}

func FuzzDecodeResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"x"},{"type":"image","data":"aGk"},{"type":"resource","resource":{"blob":"_-8"}},null,7],"isError":true,"structuredContent":[1]}`))
	f.Add([]byte(`{"content":{"type":"text","text":"alone"}}`))
	f.Add([]byte(`{"content":"text","isError":"yes","structuredContent":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := backend.DecodeResult(data)
		if err != nil {
			return
		}
		if string(r.Raw) != string(data) {
			t.Error("raw bytes changed")
		}
		if len(r.Structured) > 0 && !json.Valid(r.Structured) {
			t.Errorf("structured content %q", r.Structured)
		}
		for _, c := range r.Content {
			if c.Type == "" {
				t.Errorf("content without a type: %+v", c)
			}
		}
		r.Text()
	})
}
