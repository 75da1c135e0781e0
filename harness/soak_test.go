package harness_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
)

// mixed are scripts of all sorts; every third is hostile or fails.
var mixed = []struct {
	script string
	want   outcome.Status
}{
	{`Return(1)`, outcome.OK},
	{`fmt.Println("a"); Return(map[string]int{"x": 1})`, outcome.OK},
	{`for { }`, outcome.Timeout},
	{`xs := []int{3, 1, 2}; slices.Sort(xs); Return(xs)`, outcome.OK},
	{`var wg sync.WaitGroup; for range 20 { wg.Go(func() {}) }; wg.Wait()`, outcome.OK},
	{`var all [][]byte; for { all = append(all, make([]byte, 1<<22)) }`, outcome.MemoryLimit},
	{`type T struct{ A int }; fmt.Printf("%+v\n", T{1})`, outcome.OK},
	{`b, _ := json.Marshal([]string{"a"}); fmt.Println(string(b))`, outcome.OK},
	{`panic("boom")`, outcome.ScriptError},
	{`fmt.Println(strings.Repeat("ab", 100))`, outcome.OK},
	{`go func() { select {} }(); fmt.Println("left one behind")`, outcome.OK},
	{`for { fmt.Println("flood flood flood flood flood flood flood") }`, outcome.OutputLimit},
	{`m := map[string]int{"a": 1}; for k, v := range m { fmt.Println(k, v) }`, outcome.OK},
	{`Return(time.Duration(1500) * time.Millisecond)`, outcome.OK},
	{`this is not Go`, outcome.CompileError},
}

// TestManyRunsLeaveNothingBehind runs mixed scripts eight at a time, with
// spares, and counts children, descriptors, goroutines and files afterwards.
func TestManyRunsLeaveNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := harness.New(&harness.Options{Spares: 2, Limits: harness.Limits{Timeout: 2 * time.Second, Memory: 256 << 20}})
	if _, err := h.Run(t.Context(), &harness.Script{Source: `Return(1)`}); err != nil {
		t.Fatal(err)
	}
	h.Close()
	before := census(t)

	h = harness.New(&harness.Options{Spares: 2, Limits: harness.Limits{Timeout: time.Minute, Memory: 256 << 20, Stdout: 64 << 10}})
	begin := time.Now()
	var wg sync.WaitGroup
	next := make(chan int)
	for range 8 {
		wg.Go(func() {
			for i := range next {
				c := mixed[i%len(mixed)]
				s := &harness.Script{Source: c.script}
				if c.want == outcome.Timeout {
					s.Limits.Timeout = time.Second
				}
				res, err := h.Run(t.Context(), s)
				if err != nil || res.Status != c.want && res.Status != outcome.CPULimit {
					t.Errorf("%s: %v, want %s", c.script, err, c.want)
					if res != nil {
						t.Log(text.Cut(res.Text(), 400))
					}
				}
			}
		})
	}
	for i := range *soak {
		next <- i
	}
	close(next)
	wg.Wait()
	h.Close()
	t.Logf("%d runs in %v", *soak, time.Since(begin).Round(time.Millisecond))

	deadline := time.Now().Add(30 * time.Second) // goroutines end a moment after what they waited for
	for {
		after := census(t)
		if after.children <= before.children && after.descriptors <= before.descriptors &&
			after.goroutines <= before.goroutines && after.files == before.files {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %+v, before %+v", after, before)
		}
		<-time.After(time.Millisecond)
	}
}

// counts are what a process holds.
type counts struct{ children, descriptors, goroutines, files int }

func census(t *testing.T) counts {
	t.Helper()
	c := counts{goroutines: runtime.NumGoroutine()}
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.files = len(entries)
	if runtime.GOOS != "linux" {
		return c
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	c.descriptors = len(fds)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tasks {
		if b, err := os.ReadFile(f); err == nil { // a thread may end meanwhile
			c.children += len(strings.Fields(string(b)))
		}
	}
	return c
}
