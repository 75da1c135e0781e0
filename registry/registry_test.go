package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
)

func ptr[T any](v T) *T { return &v }

// sample returns a registry with one of everything, not yet normalized.
func sample() *registry.Registry {
	return &registry.Registry{
		Config:   "sha256:abc",
		Embedder: &registry.Embedder{Name: "semb-1", Dimensions: 2, Encoding: "i8", SHA256: "ff"},
		Servers: []registry.Server{
			{Name: "git", Transport: "stdio", Title: "Git", Version: "1", Instructions: "a <b> & c", Protocol: "2025-11-25"},
			{Name: "down", Transport: "http", Error: ptr("cannot reach it"), Problems: []string{"tool 3 left out"}},
		},
		Tools: []registry.Tool{
			{Server: "git", Name: "git_show", Input: json.RawMessage(`{"z":1,"a":9007199254740993.10}`), Stale: true},
			{Server: "git", Name: "git_log", Title: "Log", Description: "Lists commits <é>.",
				Input:  json.RawMessage(`{"type":"object"}`),
				Output: json.RawMessage(`true`), Annotations: &registry.Annotations{ReadOnly: ptr(true), Destructive: ptr(false)},
				Category: "vcs", Examples: []registry.Example{json.RawMessage(`{"n":1}`)}, Embedding: []byte{1, 2, 3}},
		},
	}
}

func TestNormalizeFillsInAndSorts(t *testing.T) {
	r := &registry.Registry{Tools: []registry.Tool{
		{Server: "b", Name: "y"}, {Server: "a", Name: "x", Description: "first"},
		{Server: "a", Name: "x", Description: "second"},
	}}
	r.Normalize()
	if len(r.Tools) != 2 || r.Tools[0].ID != "a.x" || r.Tools[0].Description != "first" || r.Tools[1].ID != "b.y" {
		t.Fatalf("tools %+v", r.Tools)
	}
	for _, tool := range r.Tools {
		if string(tool.Input) != "{}" || tool.Hash != tool.ComputeHash() {
			t.Errorf("%s: input %s, hash %s", tool.ID, tool.Input, tool.Hash)
		}
		if got, ok := r.Tool(tool.ID); !ok || got.ID != tool.ID {
			t.Errorf("Tool(%q) = %v, %v", tool.ID, got, ok)
		}
	}
	s, ok := r.Server("a")
	if !ok || s.Tools != 1 || s.Transport != "snapshot" || s.Hash == "" {
		t.Errorf("server %+v, %v", s, ok)
	}
	if _, ok := r.Server("c"); ok {
		t.Error("found a server that is not there")
	}
	if _, ok := r.Tool("a.z"); ok {
		t.Error("found a tool that is not there")
	}
}

func TestHashIgnoresKeyOrderAndSpaceButNothingElse(t *testing.T) {
	base := registry.Tool{Name: "x", Description: "d",
		Input: json.RawMessage(`{"a":{"b":1.0,"c":[1,2]},"d":9007199254740993}`)}
	alike := base
	alike.Input = json.RawMessage("{ \"d\": 9007199254740993,\n \"a\": {\"c\": [1, 2], \"b\": 1.0} }")
	alike.Server, alike.Category, alike.Embedding, alike.Title = "other", "c", []byte{1}, "t"
	if base.ComputeHash() != alike.ComputeHash() {
		t.Error("key order, white space or a derived field changed the hash")
	}
	for name, edit := range map[string]func(*registry.Tool){
		"name":             func(t *registry.Tool) { t.Name = "y" },
		"description":      func(t *registry.Tool) { t.Description = "D" },
		"a value":          func(t *registry.Tool) { t.Input = json.RawMessage(`{"a":{"b":1.0,"c":[2,1]},"d":9007199254740993}`) },
		"the last digit":   func(t *registry.Tool) { t.Input = json.RawMessage(`{"a":{"b":1.0,"c":[1,2]},"d":9007199254740992}`) },
		"an output schema": func(t *registry.Tool) { t.Output = json.RawMessage(`{}`) },
		"a hint":           func(t *registry.Tool) { t.Annotations = &registry.Annotations{ReadOnly: ptr(false)} },
	} {
		other := base
		edit(&other)
		if other.ComputeHash() == base.ComputeHash() {
			t.Errorf("%s did not change the hash", name)
		}
	}
}

func TestDiffNamesWhatARebuildDid(t *testing.T) {
	build := func(tools ...registry.Tool) *registry.Registry {
		r := &registry.Registry{Tools: tools}
		r.Normalize()
		return r
	}
	tool := func(name, description string) registry.Tool {
		return registry.Tool{Server: "s", Name: name, Description: description}
	}
	before := build(tool("b", ""), tool("a", ""), tool("c", "old"), tool("same", ""))
	after := build(tool("c", "new"), tool("e", ""), tool("d", ""), tool("same", ""))
	want := registry.Changes{Added: []string{"s.d", "s.e"}, Removed: []string{"s.a", "s.b"}, Changed: []string{"s.c"}}
	got := registry.Diff(before, after)
	if d := cmp.Diff(want, got); d != "" || got.Empty() {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c := registry.Diff(nil, after); len(c.Added) != 4 || c.Removed == nil {
		t.Errorf("against nothing: %+v", c)
	}
	if c := registry.Diff(after, after); !c.Empty() {
		t.Errorf("against itself: %+v", c)
	}
}

func TestSameSeesEveryDifferenceButTheOrderOfKeys(t *testing.T) {
	normal := func(change func(*registry.Registry)) *registry.Registry {
		r := sample()
		r.Normalize()
		change(r)
		return r
	}
	r := normal(func(*registry.Registry) {})
	again, err := registry.Decode(encode(t,
		normal(func(r *registry.Registry) { r.Tools[1].Input = json.RawMessage(` {"a":9007199254740993.10, "z":1}`) })))
	if err != nil || !r.Same(again) {
		t.Errorf("a registry is not the same as what its file says: %v", err)
	}
	for what, change := range map[string]func(*registry.Registry){
		"config":    func(r *registry.Registry) { r.Config = "" },
		"embedder":  func(r *registry.Registry) { r.Embedder = nil },
		"held":      func(r *registry.Registry) { r.Tools[0].Held = true },
		"server":    func(r *registry.Registry) { r.Servers[0].Error = nil },
		"fewer":     func(r *registry.Registry) { r.Tools = r.Tools[:1] },
		"hash":      func(r *registry.Registry) { r.Tools[0].Hash = "" },
		"title":     func(r *registry.Registry) { r.Tools[0].Title = "" },
		"category":  func(r *registry.Registry) { r.Tools[0].Category = "" },
		"stale":     func(r *registry.Registry) { r.Tools[0].Stale = true },
		"error":     func(r *registry.Registry) { r.Tools[0].Error = "x" },
		"example":   func(r *registry.Registry) { r.Tools[0].Examples = nil },
		"embedding": func(r *registry.Registry) { r.Tools[0].Embedding = []byte{1, 2, 4} },
	} {
		if r.Same(normal(change)) {
			t.Errorf("another %s makes no difference", what)
		}
	}
}
