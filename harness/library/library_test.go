package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
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

func TestALibraryBesideASharedOne(t *testing.T) {
	shared := Open(filepath.Join(t.TempDir(), "scripts"))
	ann, bob, none := shared.Beside(localfile.ApartKey("ann")), shared.Beside(localfile.ApartKey("bob")), shared.ReadOnly()
	save := func(l *Library, name, source string) {
		t.Helper()
		if err := l.Save(&Script{Name: name, Source: source}); err != nil {
			t.Fatal(err)
		}
	}
	save(shared, "daily", "shared")
	save(shared, "weekly", "shared")
	save(ann, "daily", "ann")
	save(ann, "mine", "ann")
	save(bob, "daily", "bob")
	for _, x := range []struct {
		of   *Library
		want map[string]string
	}{
		{shared, map[string]string{"daily": "shared", "weekly": "shared"}},
		{ann, map[string]string{"daily": "ann", "mine": "ann", "weekly": "shared"}},
		{bob, map[string]string{"daily": "bob", "weekly": "shared"}},
		{none, map[string]string{"daily": "shared", "weekly": "shared"}},
	} {
		list, err := x.of.List()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range list {
			got[s.Name] = s.Source
		}
		if d := cmp.Diff(x.want, got); d != "" {
			t.Error(d)
		}
	}
	if err := none.Save(&Script{Name: "daily", Source: "x"}); err == nil {
		t.Error("who has no library has saved")
	}
	for _, l := range []*Library{ann, none} {
		if err := l.Delete("weekly"); !errors.As(err, new(*NotFoundError)) {
			t.Errorf("deleting a shared script: %v", err)
		}
		if s, err := l.Load("weekly"); err != nil {
			t.Error(err)
		} else {
			s.Broken = "it is"
			l.Note(s)
		}
	}
	if s, err := shared.Load("weekly"); err != nil || s.Broken != "" {
		t.Errorf("others note what becomes of a shared script: %+v, %v", s, err)
	}
	s, err := ann.Load("mine")
	if err != nil {
		t.Fatal(err)
	}
	s.Broken = "it is"
	ann.Note(s)
	if s, err = ann.Load("mine"); err != nil || s.Broken != "it is" {
		t.Errorf("not noted: %+v, %v", s, err)
	}
	save(ann, "mine", "another")
	ann.Note(s)
	if s, err := ann.Load("mine"); err != nil || s.Source != "another" || s.Broken != "" {
		t.Errorf("what was known of another text: %+v, %v", s, err)
	}
}

// A library that is full is so for its owner alone.
func TestALibraryIsBoundedByItself(t *testing.T) {
	shared := Open(filepath.Join(t.TempDir(), "scripts"))
	ann, bob := shared.Beside(localfile.ApartKey("ann")), shared.Beside(localfile.ApartKey("bob"))
	if err := ann.Save(&Script{Name: "first", Source: "x"}); err != nil {
		t.Fatal(err)
	}
	for i := range MaxScripts {
		if err := os.WriteFile(ann.file(fmt.Sprintf("n%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		of *Library
		ok bool
	}{"more": {ann, false}, "first": {ann, true}, "bob's": {bob, true}, "shared": {shared, true}} {
		if err := x.of.Save(&Script{Name: strings.TrimSuffix(name, "'s"), Source: "y"}); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A name comes from a model: it must not leave the folder.
func TestNamesOfScriptsAreNoPaths(t *testing.T) {
	l := Open(t.TempDir())
	for _, name := range []string{"", ".", "..", "../a", "a/b", `a\b`, "A", "a.b", "-a", "ä", "a\x00",
		string(make([]byte, 100))} {
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
