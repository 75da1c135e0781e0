package runtime

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestPathsAreBoundedAndTellGoroutinesApart(t *testing.T) {
	seen := map[string]bool{"": true}
	s := &strand{}
	for depth := range 2000 {
		s.child("1:1") // which never says anything
		a, b := s.child("12:3"), s.child("12:3")
		for i, c := range []*strand{a, b, a.nthCall(1), a.nthCall(2), b.nthCall(3)} {
			path := c.path()
			if len(path) > MaxPath {
				t.Fatalf("at depth %d a path has %d bytes", depth, len(path))
			}
			if again := i == 2; seen[path] != again {
				t.Fatalf("at depth %d: %s", depth, path)
			}
			seen[path] = true
		}
		s = b
	}
	if !strings.HasPrefix(s.path(), "~") || !strings.HasSuffix(s.path(), "/12:3#2") {
		t.Errorf("the last path is %s", s.path())
	}
}

func TestGoroutinesThatEndAreForgotten(t *testing.T) {
	m := New(Config{})
	m.Main()
	var mu sync.Mutex
	paths := map[string]int{}
	note := func() {
		path := m.from("1:1").Path
		mu.Lock()
		defer mu.Unlock()
		paths[path]++
	}
	for range 1000 {
		m.start("12:3", note)
		m.start("13:3", func() {
			defer note()
			runtime.Goexit()
		})
		m.start("14:3", func() { m.start("15:3", note) })
	}
	for m.cfg.Timers.Goroutines() > 1 {
		runtime.Gosched()
	}
	for i := range 1000 {
		for _, path := range []string{"12:3#%d", "13:3#%d", "14:3#%d/15:3#1"} {
			if path = fmt.Sprintf(path, i+1); paths[path] != 1 {
				t.Errorf("%s came %d times", path, paths[path])
			}
		}
	}
	if n := len(m.strands.running); n != 1 {
		t.Errorf("%d goroutines are known, want main alone", n)
	}
	done := make(chan string)
	go func() { done <- m.from("1:1").Path }() // of which nobody was told
	if path := <-done; path != "unknown#1" {
		t.Errorf("got %q", path)
	}
}

// BenchmarkStart starts and awaits 1,000 goroutines of the script.
func BenchmarkStart(b *testing.B) {
	m := New(Config{})
	m.Main()
	for b.Loop() {
		var wg sync.WaitGroup
		for range 1000 {
			wg.Add(1)
			m.start("12:3", wg.Done)
		}
		wg.Wait()
	}
}

// BenchmarkFrom asks where a call comes from.
func BenchmarkFrom(b *testing.B) {
	m := New(Config{})
	m.Main()
	for b.Loop() {
		m.from("12:3")
	}
}
