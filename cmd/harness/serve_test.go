package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
)

func TestWhoeverStartsTheServerSeesItsToolsOnce(t *testing.T) {
	var stderr strings.Builder
	e := &env{stderr: &stderr}
	fails := true
	catalog := e.shown(func(context.Context) (*harness.Catalog, error) {
		if fails {
			return nil, errors.New("not yet")
		}
		return &harness.Catalog{Registry: &registry.Registry{
			Servers: []registry.Server{{Name: "notes", Transport: "snapshot", Tools: 1}},
			Tools:   []registry.Tool{{ID: "notes.add", Server: "notes", Name: "add", Description: "Add a note."}},
		}}, nil
	}, false)
	for range 3 {
		catalog(t.Context())
		fails = false
	}
	got := stderr.String()
	for _, want := range []string{"notes (in process, snapshot, 1 tool)", "notes.add", "Add a note",
		"1 tool of 1 server"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("want %q once, got\n%s", want, got)
		}
	}
}
