package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
)

// faulty is a backing whose disk fails at one of the things it is asked to do.
type faulty struct {
	Backing
	at   int  // which fails, from 1
	half bool // a write that fails has written half
	ops  []string
}

var errDisk = errors.New("no space left on device")

func (f *faulty) do(op string) error {
	f.ops = append(f.ops, op)
	if len(f.ops) == f.at {
		return errDisk
	}
	return nil
}

func (f *faulty) Create(name string) (Sink, error) {
	if err := f.do("create"); err != nil {
		return nil, err
	}
	s, err := f.Backing.Create(name)
	return &faultySink{s, f}, err
}

type faultySink struct {
	Sink
	f *faulty
}

func (s *faultySink) Write(b []byte) (int, error) {
	if err := s.f.do("write"); err != nil {
		n := 0
		if s.f.half {
			n, _ = s.Sink.Write(b[:len(b)/2])
		}
		return n, err
	}
	return s.Sink.Write(b)
}

func (s *faultySink) Sync() error {
	if err := s.f.do("sync"); err != nil {
		return err
	}
	return s.Sink.Sync()
}

func (s *faultySink) Beside(sum string, value []byte) error {
	if err := s.f.do("beside"); err != nil {
		return err
	}
	return s.Sink.Beside(sum, value)
}

func (s *faultySink) Publish() error {
	if err := s.f.do("publish"); err != nil {
		return err
	}
	return s.Sink.Publish()
}

func TestADiskThatFailsEndsTheWriting(t *testing.T) {
	for _, half := range []bool{false, true} {
		for at := 1; ; at++ {
			in, err := openDir(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			f := &faulty{Backing: in, at: at, half: half}
			fails := failAt(t, f)
			if in.root.Close(); !fails {
				if at < 10 {
					t.Fatalf("only %d things can fail: %v", at-1, f.ops)
				}
				break
			}
			if len(f.ops) != at {
				t.Errorf("after %v failed, there was %v", f.ops[at-1], f.ops[at:])
			}
		}
	}
}

// failAt writes a record and reads it; fails: the disk did.
func failAt(t *testing.T, f *faulty) (fails bool) {
	t.Helper()
	s := On(f, "", nil)
	w, err := s.Begin(&record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline))})
	if err != nil {
		if !errors.Is(err, errDisk) {
			t.Fatal(err)
		}
		if names, _ := s.in.Names(); len(names) != 0 {
			t.Fatalf("a record that did not begin is listed: %v", names)
		}
		if left, _ := f.Backing.(*folder).files(); len(left) != 0 {
			t.Fatalf("a record that did not begin left %v", left)
		}
		return true
	}
	var first error
	note := func(err error) bool {
		if first == nil {
			first = err
		} else if err != first {
			t.Errorf("after %v: %v", first, err)
		}
		return err == nil
	}
	want := 1
	for n := range 4 {
		for _, l := range []record.Line{&record.Call{N: n}, &record.Done{N: n, Result: record.String(strings.Repeat("y", n*record.MaxInline/2))}} {
			if note(w.Add(l)) {
				want++
			}
			note(w.Sync())
		}
	}
	if note(w.Add(&record.End{Status: "ok"})) {
		want++
	}
	note(w.Sync())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if first != nil && !errors.Is(first, errDisk) {
		t.Fatal(first)
	}
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	torn := f.half && f.ops[len(f.ops)-1] == "write" && first != nil
	if len(r.Lines) != want || r.Damaged != nil || r.Running || r.Torn > 0 != torn {
		t.Errorf("%d lines of %d, damaged %v, running %v, torn %d, after %v", len(r.Lines), want, r.Damaged,
			r.Running, r.Torn, f.ops)
	}
	return first != nil
}

// counting is a sink whose syncs wait until they are let go.
type counting struct {
	Sink
	mu    sync.Mutex
	syncs int
	let   chan struct{}
}

func (c *counting) Sync() error {
	c.mu.Lock()
	c.syncs++
	c.mu.Unlock()
	<-c.let
	return nil
}

func TestSyncsSideBySideAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Memory(1, nil)
		to, _ := s.in.Create("x")
		c := &counting{Sink: to, let: make(chan struct{})}
		w := newWriter(s, "x", c)
		for n := range 20 {
			go func() {
				if err := w.Add(&record.Call{N: n}); err != nil {
					t.Error(err)
				}
				if err := w.Sync(); err != nil {
					t.Error(err)
				}
			}()
			if n == 0 {
				synctest.Wait() // the first sync is under way
			}
		}
		synctest.Wait() // all others wait for the next one
		close(c.let)
		synctest.Wait()
		if c.syncs != 2 {
			t.Errorf("20 syncs side by side were %d of the disk", c.syncs)
		}
		if err := w.Sync(); err != nil || c.syncs != 2 {
			t.Errorf("nothing is new, and it synced: %d, %v", c.syncs, err)
		}
	})
}

func TestLinesHaveTimesThatGrow(t *testing.T) {
	s := Memory(1, nil)
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	begin := w.Last()
	for _, after := range []int{0, -3600e6, 5, 5, 4, 0} { // µs; a clock that is set back
		n := &record.Note{Stdout: fmt.Sprint(after)}
		n.Time = begin.Add(time.Duration(after) * time.Microsecond)
		if err := w.Add(n); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Load(w.ID())
	if err != nil || r.Damaged != nil {
		t.Fatal(err, r.Damaged)
	}
	var got []int
	for _, l := range r.Lines[1:] {
		got = append(got, int(record.When(l).Sub(begin).Microseconds()))
	}
	if diff := cmp.Diff([]int{1, 2, 5, 6, 7, 8}, got); diff != "" {
		t.Error(diff)
	}
}
