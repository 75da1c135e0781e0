package openapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

func TestFilesAreSentAsTheDocumentSays(t *testing.T) {
	var got []string
	b := open(t, serve(t, "upload.yaml", func(w http.ResponseWriter, r *http.Request) {
		got = nil
		if r, err := r.MultipartReader(); err == nil {
			for {
				p, err := r.NextPart()
				if err != nil {
					break
				}
				data, _ := io.ReadAll(p)
				got = append(got, fmt.Sprintf("%s|%s|%s|%s", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), data))
			}
			return
		}
		data, _ := io.ReadAll(r.Body)
		got = []string{r.Header.Get("Content-Type") + "|" + string(data)}
	}))
	tools, server := list(t, b)
	if len(server.Problems) > 0 {
		t.Errorf("problems %q", server.Problems)
	}
	want := `{"type":"object","properties":{"file":{"type":"string","contentEncoding":"base64","description":"What to keep (its bytes, as base64)"},` +
		`"more":{"type":"array","items":{"type":"string","contentEncoding":"base64","description":"(its bytes, as base64)"}},` +
		`"labels":{"type":"array","items":{"type":"string"}},"meta":{"type":"object","properties":{"size":{"type":"integer"}}},"public":{"type":"boolean"}},` +
		`"required":["file"],"additionalProperties":false}`
	if string(tools["upload"].Input) != want {
		t.Errorf("upload takes\n%s, want\n%s", tools["upload"].Input, want)
	}
	for _, tc := range []struct {
		tool, args string
		want       []string
	}{
		{"upload", `{"file":"AAH/","more":["YQ==","Yg=="],"labels":["x","é"],"meta":{"size":9007199254740993},"public":true}`,
			[]string{
				"file|file|image/png|\x00\x01\xff", "labels|||x", "labels|||é", `meta||application/json|{"size":9007199254740993}`,
				"more|more|application/octet-stream|a", "more|more|application/octet-stream|b", "public|||true"}},
		{"overwrite", `{"id":"7","body":"AAH/"}`, []string{"application/octet-stream|\x00\x01\xff"}},
	} {
		if _, err := b.Call(t.Context(), &backend.Request{Tool: tc.tool, Args: registry.ReadArgs([]byte(tc.args))}); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.tool, d)
		}
	}
	for _, args := range []string{`{"file":"***"}`, `{"file":{}}`, `{"file":"","x":1}`} {
		var refused *backend.RefusedError
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "upload", Args: registry.ReadArgs([]byte(args))}); !errors.As(err, &refused) {
			t.Errorf("%s: error %v, want it refused", args, err)
		}
	}
}

func TestTagsAndPathsChooseOperations(t *testing.T) {
	for _, tc := range []struct {
		tags, paths []string
		want        string
		problem     string
	}{
		{nil, nil, "listFiles overwrite removeUser upload users", ""},
		{[]string{"files"}, nil, "listFiles overwrite upload", ""},
		{[]string{"f*", "!read"}, nil, "overwrite upload", ""},
		{nil, []string{"/files/**"}, "listFiles overwrite upload", ""},
		{nil, []string{"/files/*"}, "", `"/files/*" in paths matches no operation`},
		{nil, []string{"!/admin/**"}, "listFiles overwrite upload", ""},
		{nil, []string{"GET /**"}, "listFiles users", ""},
		{[]string{"admin"}, []string{"!delete /**"}, "users", ""},
		{[]string{"nope"}, nil, "", `"nope" in tags matches no operation`},
	} {
		s := serve(t, "upload.yaml", echo)
		s.Tags, s.Paths = tc.tags, tc.paths
		tools, server := list(t, open(t, s))
		var names []string
		for n := range tools {
			names = append(names, n)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != tc.want || strings.Join(server.Problems, "\n") != tc.problem {
			t.Errorf("tags %q, paths %q: %q, problems %q; want %q, %q", tc.tags, tc.paths, got, server.Problems, tc.want,
				tc.problem)
		}
	}
	long := strings.Repeat("**/", 20) + "x"
	if parts(strings.Split(long, "/"), strings.Split(strings.Repeat("a/", 1000), "/")) { // in no time
		t.Error("matched")
	}
}
