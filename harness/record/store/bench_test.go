package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const many = 10_000 // records

// manyRuns is a store of many ended runs, of 20 calls and about 10 KB each.
func manyRuns(b *testing.B) *store.Store {
	s, err := store.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	script := record.String("// Finds the open issues.\n" + strings.Repeat("fmt.Println(1)\n", 40))
	args := record.Raw([]byte(`{"query":"is:open label:bug","page":3}`))
	result := record.Raw([]byte(`{"content":[{"type":"text","text":"` + strings.Repeat("result ", 20) + `"}]}`))
	for run := range many {
		w, err := s.Begin(&record.Begin{Script: script, Name: fmt.Sprintf("script-%d", run%100)})
		if err != nil {
			b.Fatal(err)
		}
		for n := range 20 {
			for _, l := range []record.Line{
				&record.Call{N: n, Place: "4:1", Tool: fmt.Sprintf("git.tool_%d", n%5), Args: args},
				&record.Done{N: n, Kind: record.Answered, Result: result},
			} {
				if err := w.Add(l); err != nil {
					b.Fatal(err)
				}
			}
		}
		if run == many/2 {
			if err := w.Add(&record.Note{Stdout: "the needle in the middle"}); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Add(&record.End{Status: "ok", Value: args, Ms: 12}); err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkList lists 10,000 records: the last 50, those that called a tool, and
// those with a text; as one process does again and again, and as the first list of a new
// process each time.
func BenchmarkList(b *testing.B) {
	s := manyRuns(b)
	for _, c := range []struct {
		name   string
		filter store.Filter
		want   int
	}{
		{"Last50", store.Filter{Limit: 50}, 50},
		{"Tool", store.Filter{Tool: "git.tool_3"}, many},
		{"Script", store.Filter{Script: "script-7"}, many / 100},
		{"Text", store.Filter{Text: "NEEDLE in"}, 1},
	} {
		for _, process := range []string{"New", "Same"} {
			b.Run(c.name+"/"+process, func(b *testing.B) {
				for b.Loop() {
					if process == "New" {
						var err error
						if s, err = store.Open(s.Dir(), nil); err != nil {
							b.Fatal(err)
						}
					}
					n := 0
					for _, err := range s.List(b.Context(), &c.filter) {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
					if n != c.want {
						b.Fatalf("%d runs of %d", n, c.want)
					}
				}
			})
		}
	}
}

// BenchmarkLatest looks for a request that is not one of 10,000, in a new process each time.
func BenchmarkLatest(b *testing.B) {
	dir := manyRuns(b).Dir()
	for _, process := range []string{"New", "Same"} {
		b.Run(process, func(b *testing.B) {
			s, err := store.Open(dir, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if process == "New" {
					s, _ = store.Open(dir, nil)
				}
				if id, err := s.Latest(b.Context(), "another"); id != "" || err != nil {
					b.Fatal(id, err)
				}
			}
		})
	}
}

// BenchmarkPrune looks through 10,000 records and finds none to delete.
func BenchmarkPrune(b *testing.B) {
	s, err := store.Open(manyRuns(b).Dir(), &store.StoreOptions{Age: time.Hour, Bytes: 1 << 40})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Prune(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad reads a record of 100 calls by its ID, among 10,000.
func BenchmarkLoad(b *testing.B) {
	s := manyRuns(b)
	w, err := s.Begin(&record.Begin{Script: record.String("x := 1\n")})
	if err != nil {
		b.Fatal(err)
	}
	for n := range 100 {
		for _, l := range []record.Line{
			&record.Call{N: n, Tool: "git.log", Args: record.Raw([]byte(`{"query":"is:open"}`))},
			&record.Done{N: n, Result: record.String(strings.Repeat("result ", 100))},
		} {
			if err := w.Add(l); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := s.Load(w.ID()); err != nil || len(r.Calls) != 100 {
			b.Fatal(err)
		}
	}
}

// BenchmarkAdd appends a call and its result, as a read does, and with a sync
// between, as an effect does.
func BenchmarkAdd(b *testing.B) {
	for _, kind := range []string{"Read", "Effect", "Redacted"} {
		o := &store.StoreOptions{}
		if kind == "Redacted" {
			o.Redact = func(s string) string { return strings.ReplaceAll(s, "secret", "***") }
		}
		s, err := store.Open(b.TempDir(), o)
		if err != nil {
			b.Fatal(err)
		}
		w, err := s.Begin(&record.Begin{})
		if err != nil {
			b.Fatal(err)
		}
		args := record.Raw([]byte(`{"query":"is:open label:bug","page":3}`))
		result := record.Raw([]byte(`{"content":[{"type":"text","text":"` + strings.Repeat("result ", 100) + `"}]}`))
		b.Run(kind, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if n%1000 == 999 { // the record would be full
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
					if w, err = s.Begin(&record.Begin{}); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Add(&record.Call{N: n, Tool: "git.log", Args: args}); err != nil {
					b.Fatal(err)
				}
				if kind == "Effect" {
					if err := w.Sync(); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Add(&record.Done{N: n, Kind: record.Answered, Result: result}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBegin makes a record and ends it.
func BenchmarkBegin(b *testing.B) {
	s, err := store.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w, err := s.Begin(&record.Begin{})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
