package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// children are what this program does when it is started as a child of a test.
var children = map[string]func(dir string) error{"write": writeRuns, "hold": holdRun}

const childEnv = "USETOOLS_RECORD_TEST_CHILD"

func TestMain(m *testing.M) {
	name, dir, ok := strings.Cut(os.Getenv(childEnv), ":")
	if !ok {
		os.Exit(m.Run())
	}
	if err := children[name](dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child starts a child and returns what it prints. It is killed when the test ends.
func child(t *testing.T, name, dir string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+name+":"+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		_, err = cmd.StdinPipe() // it ends when this process does
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd, bufio.NewReader(out)
}

// kill ends a child as SIGKILL does.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// writeRuns writes runs and reports each line that it has added, for as long as
// somebody reads it.
func writeRuns(dir string) error {
	s, err := store.Open(dir, &store.StoreOptions{Unkept: func(tool string) bool { return tool == "secret.tool" }})
	if err != nil {
		return err
	}
	for run := 0; ; run++ {
		w, err := s.Begin(&record.Begin{Script: record.String("package main\n")})
		if err != nil {
			return err
		}
		said := 0
		say := func() error {
			said++
			_, err := fmt.Println(w.ID(), said)
			return err
		}
		if err := say(); err != nil {
			return err
		}
		for n := range 8 {
			tool := "a.tool"
			if n == 5 {
				tool = "secret.tool"
			}
			size := []int{10, 300, 5000, 60 << 10, 70 << 10, 100}[(n+run)%6]
			for _, l := range []record.Line{
				&record.Call{N: n, Tool: tool, Args: record.String(strings.Repeat("a", size))},
				&record.Done{N: n, Kind: record.Answered, Result: record.String(fmt.Sprint(n, strings.Repeat("b", size)))},
			} {
				if err := w.Add(l); err != nil {
					return err
				}
				if err := say(); err != nil {
					return err
				}
			}
			if n%4 == 3 {
				if err := w.Sync(); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(w.Add(&record.End{Status: "ok"}), say(), w.Close()); err != nil {
			return err
		}
	}
}

func TestNothingIsLostWithItsWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 0))
	lines := 0
	for range *kills {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		cmd, out := child(t, "write", dir)
		said := map[string]int{} // lines by run
		read := func() error {
			var id string
			var n int
			_, err := fmt.Fscanln(out, &id, &n)
			if err == nil {
				said[id] = n
				lines++
			}
			return err
		}
		for range random.IntN(40) {
			if err := read(); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Process.Kill()
		for read() == nil { // what it said before it died
		}
		cmd.Wait()
		verify(t, dir, said)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d lines", *kills, lines)
}

// verify reads the records that a killed process left, which have what it said.
func verify(t *testing.T, dir string, said map[string]int) {
	t.Helper()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for sum, err := range s.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Load(sum.ID)
		if err != nil {
			t.Fatal(err)
		}
		// A kill may cut a long write; its line was not said.
		if r.Damaged != nil || r.Torn != 0 && r.End != nil || r.Running || (r.End == nil) != (sum.Status == record.Died) {
			t.Fatalf("damaged %v, torn %d, running %v, status %s", r.Damaged, r.Torn, r.Running, sum.Status)
		}
		if len(r.Lines) < said[sum.ID] {
			t.Fatalf("%d lines of %d", len(r.Lines), said[sum.ID])
		}
		delete(said, sum.ID)
		for _, m := range r.Calls {
			values := []record.Data{m.Args}
			if m.Done != nil {
				values = append(values, m.Done.Result)
			}
			for _, d := range values {
				if b, err := r.Value(d); m.Tool == "a.tool" && (err != nil || !json.Valid(b)) {
					t.Fatalf("a value of call %d: %v", m.N, err)
				} else if m.Tool != "a.tool" && !errors.Is(err, record.ErrNotKept) {
					t.Fatalf("a value that is not kept: %s, %v", b, err)
				}
			}
		}
	}
	if len(said) > 0 {
		t.Fatalf("no record of %v", said)
	}
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
}

// holdRun begins a run and holds it until it is killed.
func holdRun(dir string) error {
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		return err
	}
	fmt.Println(w.ID())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func TestARunningProcessIsToldFromADeadOne(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, &store.StoreOptions{Bytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := child(t, "hold", dir)
	id, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	id = strings.TrimSpace(id)
	if got := list(t, s, nil); len(got) != 1 || got[0].Status != record.Running || got[0].ID != id {
		t.Fatalf("while it runs: %v", got)
	}
	if err := s.Remove(id); !errors.Is(err, store.ErrRunning) {
		t.Errorf("removing what is under way: %v", err)
	}
	if err := s.Prune(); err != nil || len(list(t, s, nil)) != 1 {
		t.Errorf("pruning what is under way: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it takes as long only if it fails
	defer cancel()
	follow := s.Follow(ctx, nil)
	kill(cmd)
	for sum, err := range follow {
		if err != nil || sum.ID != id || sum.Status != record.Died {
			t.Errorf("told %+v, %v", sum, err)
		}
		break
	}
	if ctx.Err() != nil {
		t.Error("nothing was told of its death")
	}
	if got := list(t, s, &store.Filter{Status: []string{record.Died}}); len(got) != 1 {
		t.Fatalf("when it is dead: %v", got)
	}
	if err := s.Prune(); err != nil || len(list(t, s, nil)) != 0 {
		t.Errorf("pruning what has died: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
