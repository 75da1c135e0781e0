package cluster

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// connect connects a process to a server.
func connect(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := Connect(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// begin begins a run.
func begin(t testing.TB, s *store.Store) *store.Writer {
	t.Helper()
	w, err := s.Begin(&record.Begin{Script: record.String("package main\n")})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func add(t testing.TB, w *store.Writer, lines ...record.Line) {
	t.Helper()
	for _, l := range lines {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func effect(n int) *record.Call {
	return &record.Call{N: n, Place: "3:1", Class: record.Effect, Tool: "crm.add", Args: record.Raw([]byte(`{}`))}
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	late := late(t)
	for tick := time.Tick(10 * time.Millisecond); !is(); {
		select {
		case <-tick:
		case <-late:
			t.Fatal("not so: " + what)
		}
	}
}

// home gives the test folders of its own for what is kept of a user.
func home(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	return dir
}

// receive waits for a value.
func receive[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-late(t):
		t.Fatal("nothing came")
	}
	return v
}

// late returns a channel that receives shortly before the test binary is stopped: no test
// has a deadline of its own. If there is none, as in a benchmark, it is nil.
func late(t testing.TB) <-chan time.Time {
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := d.Deadline(); ok {
			return time.After(time.Until(at) - 20*time.Second)
		}
	}
	return nil
}

// Receive is receive for the tests outside of the package.
func Receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	return receive(t, c)
}
