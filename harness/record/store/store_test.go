package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// stores are a folder, memory and a cluster of one server.
func stores(t *testing.T, o *store.StoreOptions) map[string]*store.Store {
	disk, err := store.Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Connect(t.Context(), &cluster.Options{URL: clustertest.Server(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return map[string]*store.Store{"folder": disk, "memory": store.Memory(100, o), "cluster": c.Store(o)}
}

func TestARunIsReadAsItWasWritten(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			w, err := s.Begin(&record.Begin{Script: record.String("// Say hello.\n"), Name: "hello",
				Stored: record.Values{}})
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.Call{N: 1, Place: "1:2", Class: record.Read, Tool: "git.log",
				Args: record.Raw([]byte(`{ "a": 1 }`))})
			add(t, w, &record.Done{N: 1, Kind: record.Answered, Result: record.Raw([]byte("{}"))})
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
			if got := list(t, s, nil); len(got) != 1 || got[0].Status != record.Running {
				t.Errorf("while it runs: %v", got)
			}
			add(t, w, &record.End{Status: "ok", Value: record.Raw([]byte("7"))})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := s.Load(w.ID()[:4])
			if err != nil {
				t.Fatal(err)
			}
			if r.Damaged != nil || r.Torn != 0 || len(r.Lines) != 4 || len(r.Calls) != 1 {
				t.Errorf("%+v", r)
			}
			if r.Begin.Stored == nil || r.Begin.Inputs != nil {
				t.Errorf("a session that stored nothing: %v, %v", r.Begin.Stored, r.Begin.Inputs)
			}
			if got := string(r.Calls[0].Args.JSON); got != `{ "a": 1 }` {
				t.Errorf("arguments: %s", got)
			}
			for _, sum := range list(t, s, nil) {
				if got := fmt.Sprint([]any{sum.ID == w.ID(), sum.Status, sum.Title, sum.Calls, sum.Tools}); got !=
					"[true ok Say hello. 1 [git.log]]" {
					t.Error(got)
				}
			}
		})
	}
}

func add(t *testing.T, w *store.Writer, l record.Line) {
	t.Helper()
	if err := w.Add(l); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, s *store.Store, f *store.Filter) []*record.Summary {
	t.Helper()
	var all []*record.Summary
	for sum, err := range s.List(context.Background(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sum)
	}
	return all
}

// A record whose file was renamed, or was made by hand, is what its file's name
// says: whoever removes it removes no other.
func TestARecordIsTheRunOfItsName(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.End{Status: "ok"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.run.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	const other = "0000000000"
	if err := os.Rename(files[0], strings.Replace(files[0], w.ID(), other, 1)); err != nil {
		t.Fatal(err)
	}
	for sum, err := range s.List(t.Context(), nil) {
		if err != nil || sum.ID != other || !sum.Damaged {
			t.Errorf("%+v, %v", sum, err)
		}
	}
	if r, err := s.Load(other); err != nil || r.Begin.ID != other || r.Damaged == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestARunThatHasNotEndedIsTitledByItsScript(t *testing.T) {
	for script, want := range map[string]string{
		"package main\n\n//go:build x\n// Count the orders.\nUseTools(\"list orders\")\n": "Count the orders.",
		"UseTools(\"list the \\\"late\\\" orders\", \"x\")\n":                             `list the "late" orders`,
		"UseTools(\n\n\t`list orders`,\n)\n":                                              "list orders",
		"err := UseTools(\"list orders\")":                                                "list orders",
		"UseTools(phrases...)\nx := 1":                                                    "UseTools(phrases...)",
		"UseTools(\"torn":                                                                 `UseTools("torn`,
		"UseTools(":                                                                       "UseTools(",
		"// T20\nx := 1":                                                                  "T20",
		"//\n/* Say\n hello */\nx":                                                        "Say",
		"x := 1\nUseTools(\"a\")":                                                         "x := 1",
	} {
		s := store.Memory(1, nil)
		w, err := s.Begin(&record.Begin{Script: record.String(script)})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		for sum, err := range s.List(t.Context(), nil) {
			if err != nil || sum.Title != want {
				t.Errorf("%q: %q, %v; want %q", script, sum.Title, err, want)
			}
		}
	}
}

// until is a context that ends when it has been asked so often.
type until struct {
	context.Context
	left int
}

func (c *until) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestAListThatIsStoppedSaysWhereToGoOn(t *testing.T) {
	for name, s := range stores(t, nil) {
		var want []string
		for range 5 {
			w, err := s.Begin(&record.Begin{Script: record.String("x")})
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.End{Status: "ok"})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			want = append([]string{w.ID()}, want...)
		}
		var got []string
		f := &store.Filter{}
		for pages := 0; pages < 3; pages++ {
			for sum, err := range s.List(&until{t.Context(), 2}, f) {
				var stopped *store.StoppedError
				switch {
				case err == nil:
					got = append(got, sum.ID)
				case !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) || stopped.Time.IsZero():
					t.Fatalf("%s: %v", name, err)
				default:
					f.Before = stopped.ID
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		for _, err := range s.List(&until{t.Context(), 0}, nil) {
			var stopped *store.StoppedError
			if !errors.As(err, &stopped) || stopped.ID != "" {
				t.Errorf("%s: before the first run: %v", name, err)
			}
		}
	}
}
