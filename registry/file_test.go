package registry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/registry"
)

const golden = `{"version":1,
"config":"sha256:abc",
"embedder":{"name":"semb-1","dimensions":2,"encoding":"i8","sha256":"ff"},
"servers":[
{"name":"down","transport":"http","tools":0,"hash":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","error":"cannot reach it","problems":["tool 3 left out"]},
{"name":"git","transport":"stdio","title":"Git","version":"1","instructions":"a <b> & c","protocol":"2025-11-25","tools":2,"hash":"sha256:SERVER","error":null}
],
"tools":[
{"id":"git.git_log","server":"git","name":"git_log","title":"Log","description":"Lists commits <é>.","inputSchema":{"type":"object"},"outputSchema":true,"annotations":{"readOnlyHint":true,"destructiveHint":false},"category":"vcs","examples":[{"n":1}],"hash":"sha256:LOG","embedding":"AQID"},
{"id":"git.git_show","server":"git","name":"git_show","inputSchema":{"z":1,"a":9007199254740993.10},"hash":"sha256:SHOW","stale":true}
]}
`

func encode(t testing.TB, r *registry.Registry) []byte {
	t.Helper()
	r.Normalize()
	b, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFileHasItsGoldenBytes(t *testing.T) {
	r := sample()
	got := string(encode(t, r))
	git, _ := r.Server("git")
	want := strings.NewReplacer("sha256:SERVER", git.Hash, "sha256:LOG", r.Tools[0].Hash, "sha256:SHOW",
		r.Tools[1].Hash).Replace(golden)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// The hashes are part of the format: registries of older versions must stay comparable.
	if want := "sha256:feee0fec4bd414b44d258b17e666d742b53e0e80a6ead411c0a72ff586d41b3c"; r.Tools[0].Hash != want {
		t.Errorf("hash of git_log %s, want %s", r.Tools[0].Hash, want)
	}
}

func TestFileIsWhatItsSchemaSays(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(registry.FileSchema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*registry.Registry{sample(), {}} {
		var v any
		if err := json.Unmarshal(encode(t, r), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Error(err)
		}
	}
}

func TestRoundTripLosesNothing(t *testing.T) {
	for name, r := range map[string]*registry.Registry{"full": sample(), "empty": {}} {
		data := encode(t, r)
		got, err := registry.Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(r, got, cmpopts.IgnoreUnexported(registry.Registry{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if again := encode(t, got); !bytes.Equal(data, again) {
			t.Errorf("%s: other bytes the second time", name)
		}
	}
}

func TestBytesDoNotDependOnTheOrderOfTools(t *testing.T) {
	a, b := sample(), sample()
	b.Tools[0], b.Tools[1] = b.Tools[1], b.Tools[0]
	b.Servers[0], b.Servers[1] = b.Servers[1], b.Servers[0]
	if !bytes.Equal(encode(t, a), encode(t, b)) {
		t.Error("the order of tools and servers changed the bytes")
	}
}

func TestUnusableFilesAreRefusedWithTheReason(t *testing.T) {
	good := string(encode(t, sample()))
	tool := `{"id":"a.b","server":"a","name":"b","inputSchema":{}}`
	for _, tc := range []struct {
		name, data string
		line       int
		want       string
	}{
		{"empty", "", 1, "ends too early"},
		{"truncated", good[:len(good)/2], 9, "ends too early"},
		{"another version", strings.Replace(good, `"version":1`, `"version":2`, 1), 0,
			"it has version 2, but this program reads version 1"},
		{"a later version of another shape", `{"version":7,"tools":{"a":1}}`, 0, "version 7"},
		{"no version", `{"tools":[]}`, 0, "version 0"},
		{"no JSON", "{\"version\":1,\n\"config\":oops}", 2, "invalid character"},
		{"trailing bytes", good + "x", 12, "after top-level value"},
		{"another type", "{\"version\":1,\n\"tools\":7}", 2, "number"},
		{"two tools of one id", fmt.Sprintf(`{"version":1,"tools":[%s,%s]}`, tool, tool), 0, `two tools have the id "a.b"`},
		{"id of another tool", strings.Replace(`{"version":1,"tools":[`+tool+`]}`, `"id":"a.b"`, `"id":"a.c"`, 1), 0,
			`require "a.b"`},
		{"no name", `{"version":1,"tools":[{"id":"a.b","server":"a"}]}`, 0, "lacks a server or a name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tool_registry.json")
			if err := os.WriteFile(path, []byte(tc.data), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := registry.Load(path)
			var fe *registry.FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("error %v, want a *FormatError", err)
			}
			if fe.Line != tc.line || !strings.Contains(fe.Msg, tc.want) || fe.Path != path {
				t.Errorf("line %d, %q; want line %d, %q", fe.Line, fe.Msg, tc.line, tc.want)
			}
			if !strings.Contains(err.Error(), "build-registry") {
				t.Errorf("error %q does not say what to do", err)
			}
		})
	}
	if _, err := registry.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	data := strings.Replace(string(encode(t, sample())), `{"version":1,`, `{"version":1,"later":{"x":[]},`, 1)
	if _, err := registry.Decode([]byte(data)); err != nil {
		t.Error(err)
	}
}

func TestNullSchemasAreAsGoodAsNone(t *testing.T) {
	r, err := registry.Decode([]byte(`{"version":1,"tools":[{"id":"a.b","server":"a","name":"b","inputSchema":null,"outputSchema":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if tool := r.Tools[0]; string(tool.Input) != "{}" || tool.Output != nil {
		t.Errorf("input %s, output %s", tool.Input, tool.Output)
	}
}

func TestReadersSeeAWholeFileWhateverWritersDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool_registry.json")
	version := func(i int) *registry.Registry {
		r := &registry.Registry{Config: fmt.Sprint(i)}
		for n := range 50 * (i + 1) {
			r.Tools = append(r.Tools, registry.Tool{Server: "s", Name: fmt.Sprint(n), Description: strings.Repeat("x", 100)})
		}
		r.Normalize()
		return r
	}
	if err := version(0).Save(path); err != nil {
		t.Fatal(err)
	}
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := registry.Load(path)
				if err != nil {
					t.Error(err)
					return
				}
				if want := fmt.Sprint(len(r.Tools)/50 - 1); r.Config != want {
					t.Errorf("config %q with %d tools: two files mixed", r.Config, len(r.Tools))
				}
			}
		})
	}
	for i := range 4 {
		writers.Go(func() {
			r := version(i)
			for range 20 {
				if err := r.Save(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files left, want 1: %v %v", len(left), left, err)
	}
}

func TestSaveThatFailsLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool_registry.json")
	r := sample()
	r.Normalize()
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	r.Tools[0].Input = json.RawMessage("{no json")
	if err := r.Save(path); err == nil {
		t.Error("saved a schema that is not JSON")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file changed")
	}
	if err := r.Save(filepath.Join(path, "x")); err == nil {
		t.Error("saved into a file as if it were a folder")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add([]byte(`{"version":1,"tools":[{"id":"a.b","server":"a","name":"b","inputSchema":{"a": 1e400},"examples":[null]}]}`))
	f.Add([]byte("{\"version\":1,\"servers\":[{\"name\":\"\xff\"},{\"name\":\"\xfe\"}]}"))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte("{\"version\":1,\"Tools\":[{\"id\":\"a.b\",\"server\":\"a\",\"name\":\"b\",\"title\":\"x\"}],\n\"tools\":[\n{\"id\":\"a.b\",\"server\":\"a\",\"name\":\"b\"}\n]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := registry.Decode(data)
		// With a space behind it a file does not have the shape that is read
		// line by line.
		plain, plainErr := registry.Decode(append(slices.Clone(data), ' '))
		if (err == nil) != (plainErr == nil) {
			t.Fatalf("%v, read in one piece %v", err, plainErr)
		}
		if err == nil && !bytes.Equal(encode(t, r), encode(t, plain)) {
			t.Errorf("%s\nread in one piece:\n%s", encode(t, r), encode(t, plain))
		}
		var fe *registry.FormatError
		if err != nil {
			if !errors.As(err, &fe) {
				t.Fatalf("error %T %v, want a *FormatError", err, err)
			}
			return
		}
		first := encode(t, r)
		again, err := registry.Decode(first)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first)
		}
		if second := encode(t, again); !bytes.Equal(first, second) {
			t.Errorf("other bytes the second time:\n%s\n%s", first, second)
		}
	})
}

// large returns a registry of n tools of usual size, about 1 KB each.
func large(n int) *registry.Registry {
	r := &registry.Registry{}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Absolute path of the repository"},"max_count":{"type":"integer","default":10,"minimum":1}},"required":["path"],"additionalProperties":false}`)
	for i := range n {
		r.Tools = append(r.Tools, registry.Tool{Server: fmt.Sprintf("server%d", i%20), Name: fmt.Sprintf("tool_%d", i),
			Description: strings.Repeat("Shows the history of a repository. ", 5), Input: schema, Embedding: make([]byte, 196)})
	}
	r.Normalize()
	return r
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{535, 10000} {
		data := encode(b, large(n))
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := registry.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
