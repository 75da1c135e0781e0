package library

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
)

func TestAScriptComesBackAsItWasSaved(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "git", Name: "git_log"}, {Server: "git", Name: "git_add"}}}
	reg.Normalize()
	l := Open(filepath.Join(t.TempDir(), "scripts"))
	s := &Script{Name: "a", About: "does a", Source: "Return(1)"}
	s.UseTools([]string{"git.git_log", "git.git_add", "git.git_log", "gone"}, reg)
	if err := l.Save(s); err != nil {
		t.Fatal(err)
	}
	got, err := l.Load("a")
	if err != nil || cmp.Diff(s, got) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(s, got))
	}
	if len(got.Tools) != 2 || len(got.Changed(reg)) != 0 {
		t.Errorf("tools %v, changed %v; want two and none", got.Tools, got.Changed(reg))
	}
	other := &registry.Registry{Tools: []registry.Tool{{Server: "git", Name: "git_log", Description: "new"}}}
	other.Normalize()
	if d := cmp.Diff([]string{"git.git_add", "git.git_log"}, got.Changed(other)); d != "" {
		t.Error(d)
	}
	for _, data := range []string{"", "{", `{"name":"b","source":"x"}`, `{"name":"x"}`} {
		if err := os.WriteFile(l.file("x"), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Load("x"); err == nil {
			t.Errorf("%s is taken for a script", data)
		}
	}
	if list, err := l.List(); len(list) != 1 || err != nil {
		t.Errorf("%d scripts, %v; want the whole one", len(list), err)
	}
	if err := l.Delete("x"); err != nil {
		t.Errorf("deleting a damaged script: %v", err)
	}
	if err := l.Delete("x"); !errors.As(err, new(*NotFoundError)) {
		t.Errorf("deleting it again: %v", err)
	}
}

// A name comes from a model: it must not leave the folder.
func TestNamesOfScriptsAreNoPaths(t *testing.T) {
	l := Open(t.TempDir())
	for _, name := range []string{"", ".", "..", "../a", "a/b", `a\b`, "A", "a.b", "-a", "ä", "a\x00", string(make([]byte, 100))} {
		if err := l.Save(&Script{Name: name, Source: "x"}); err == nil {
			t.Errorf("%q is saved", name)
		}
		if _, err := l.Load(name); err == nil {
			t.Errorf("%q is loaded", name)
		}
		if err := l.Delete(name); err == nil {
			t.Errorf("%q is deleted", name)
		}
	}
}

func TestHeaderNamesAScript(t *testing.T) {
	for source, want := range map[string][2]string{
		"// usetools:daily Says what is new\nReturn(1)":           {"daily", "Says what is new"},
		"\n```go\n// Copyright\n//usetools:a-1\npackage main\n":   {"a-1", ""},
		"Return(1) // usetools:late":                              {},
		"package main\n// usetools:late":                          {},
		"// usetools:../x":                                        {},
		"// usetools:":                                            {},
		"// usetools:name daily  Says what is new\nx()":           {"daily", "Says what is new"},
		"// usetools:name":                                        {"name", ""},
		"// usetools:name No":                                     {},
		"// about usetools:x":                                     {},
		"// usetools:two  spaces and what follows \n// more\nx()": {"two", "spaces and what follows"},
	} {
		name, about, ok := Header(source)
		if !ok {
			name, about = "", ""
		}
		if (name != "") != ok || name != want[0] || about != want[1] {
			t.Errorf("%q: %q, %q, want %q", source, name, about, want)
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("// usetools:daily Says what is new\nReturn(1)")
	f.Fuzz(func(t *testing.T, source string) {
		if name, about, ok := Header(source); ok && (CheckName(name) != nil || len(about) > maxAbout) {
			t.Errorf("%q, %q", name, about)
		}
	})
}
