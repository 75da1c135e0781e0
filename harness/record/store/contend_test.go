//go:build linux || darwin

package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

func init() { children["contend"] = contend }

// contend goes on with the run of a folder, settles, answers and prunes it, at random,
// until its standard input ends or it has ended the run; it says what it did.
func contend(arg string) error {
	dir, rest, _ := strings.Cut(arg, "|")
	id, number, _ := strings.Cut(rest, "|")
	seed, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 5))
	s, err := store.Open(dir, &store.StoreOptions{Bytes: 1, Age: 1})
	if err != nil {
		return err
	}
	who := fmt.Sprint(seed)
	for range 40 {
		switch random.IntN(5) {
		case 0:
			err := s.Answer(id+".1", &record.Answer{Yes: random.IntN(2) == 0, Who: who})
			if err == nil {
				fmt.Println("answered")
			} else if !errors.Is(err, store.ErrAnswered) {
				return err
			}
		case 1:
			err := s.Settle(id, &record.Settle{N: 1, Happened: random.IntN(2) == 0, Result: record.Raw([]byte("1")),
				Who: who}, -time.Hour)
			if err == nil {
				fmt.Println("settled")
			} else if !errors.Is(err, store.ErrRunning) && !errors.Is(err, store.ErrNotUnknown) {
				return err
			}
		case 2:
			if err := s.Prune(); err != nil {
				return err
			}
		default:
			if err := hold(s, id, who, random.IntN(6)); err != nil && !errors.Is(err, store.ErrRunning) {
				return err
			}
		}
	}
	return nil
}

// hold goes on with a run, and has each line say who wrote it.
func hold(s *store.Store, id, who string, lines int) error {
	w, _, err := s.Reopen(id, &store.ReopenOptions{Who: who})
	if err != nil {
		return err
	}
	defer w.Close()
	for range lines {
		if err := w.Add(&record.Note{Stdout: who + "\n"}); err != nil {
			return err
		}
		if err := w.Sync(); err != nil {
			return err
		}
	}
	return w.Close()
}

// TestOneOwnerAndOneAnswer has two to five processes at one record, which are stopped
// and continued at random.
func TestOneOwnerAndOneAnswer(t *testing.T) {
	for n := range *contests {
		random := rand.New(rand.NewPCG(*seed, uint64(n)))
		s := folder(t, &store.StoreOptions{Bytes: 1, Age: 1})
		w, err := s.Begin(&record.Begin{})
		if err != nil {
			t.Fatal(err)
		}
		id := w.ID()
		add(t, w, &record.Call{N: 1, Class: record.Effect, Tool: "a.b", Args: record.Raw([]byte("{}"))})
		add(t, w, &record.Ask{A: "1", Tool: "a.b", Until: time.Now().Add(time.Hour)})
		if err := errors.Join(w.Sync(), w.Close()); err != nil {
			t.Fatal(err)
		}
		said := make(chan string)
		processes := 2 + random.IntN(4)
		var pids []int
		for p := range processes {
			cmd, out := child(t, "contend", fmt.Sprintf("%s|%s|%d", s.Dir(), id, 10*n+p))
			pids = append(pids, cmd.Process.Pid)
			go func() {
				for lines := bufio.NewScanner(out); lines.Scan(); {
					said <- lines.Text()
				}
				if err := cmd.Wait(); err != nil {
					said <- err.Error()
				}
				said <- ""
			}()
		}
		got := map[string]int{}
		for left, stopped := processes, 0; left > 0; {
			select {
			case line := <-said:
				if line == "" {
					left--
				} else {
					got[line]++
				}
			case <-time.After(time.Duration(random.IntN(5)) * time.Millisecond): // a schedule, not a measure
				syscall.Kill(pids[stopped], syscall.SIGCONT) // it may have ended
				stopped = random.IntN(processes)
				if left > 1 || random.IntN(2) == 0 {
					syscall.Kill(pids[stopped], syscall.SIGSTOP)
				}
			}
		}
		if got["answered"] > 1 || got["settled"] > 1 || len(got) > 2 {
			t.Fatalf("seed %d, contest %d: %v", *seed, n, got)
		}
		r, a := load(t, s, id)
		if r.Damaged != nil || r.Torn != 0 || r.Forged != nil || r.Running || (a.Answer != nil) != (got["answered"] == 1) ||
			(len(r.Unknown()) == 0) != (got["settled"] == 1) {
			t.Fatalf("seed %d, contest %d: %v: %+v", *seed, n, got, r)
		}
		who, answers := "", 0
		for _, l := range r.Lines {
			switch l := l.(type) {
			case *record.Attempt:
				who = l.Who
			case *record.Answer:
				answers++
			case *record.Note:
				if l.Stdout != who+"\n" {
					t.Fatalf("seed %d, contest %d: %s wrote while %s had the record", *seed, n, l.Stdout, who)
				}
			}
		}
		for i, l := range r.Attempts {
			if l.Number != i+2 {
				t.Fatalf("attempt %d is number %d", i+2, l.Number)
			}
		}
		if answers > 1 {
			t.Fatalf("%d answers", answers)
		}
		// When nothing waits any more it is pruned.
		if err := s.EndRun(id, "", ""); err != nil {
			t.Fatal(err)
		}
		if err := s.Prune(); err != nil {
			t.Fatal(err)
		}
		if left := list(t, s, nil); len(left) != 0 {
			t.Fatalf("left: %v", left)
		}
	}
}

// TestLinksAndPipesAreNoAnswersAndNoRecords would wait for the pipes' writers.
func TestLinksAndPipesAreNoAnswersAndNoRecords(t *testing.T) {
	s := folder(t, nil)
	run, id := waiting(t, s)
	if err := s.Answer(id, &record.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	file := only(t, s.Dir(), "*.run", "answer-1")
	swap := func(file string, with func(old, at string) error) {
		t.Helper()
		old := filepath.Join(filepath.Dir(file), "old")
		if err := os.Rename(file, old); err != nil {
			t.Fatal(err)
		}
		if err := with(old, file); err != nil {
			t.Fatal(err)
		}
	}
	restore := func(file string) {
		t.Helper()
		if err := os.Rename(filepath.Join(filepath.Dir(file), "old"), file); err != nil {
			t.Fatal(err)
		}
	}
	link := func(old, at string) error { return os.Symlink(filepath.Base(old), at) }
	pipe := func(_, at string) error { return syscall.Mkfifo(at, 0o600) }
	for name, with := range map[string]func(old, at string) error{"link": link, "pipe": pipe} {
		swap(file, with)
		if r, a := load(t, s, run); a.Answer != nil || len(r.Forged) != 1 {
			t.Errorf("a %s is an answer", name)
		}
		restore(file)
	}
	file = only(t, s.Dir(), "*.run.jsonl")
	for name, with := range map[string]func(old, at string) error{"link": link, "pipe": pipe} {
		swap(file, with)
		if _, _, err := s.Reopen(run, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("a %s goes on: %v", name, err)
		}
		restore(file)
	}
	list(t, s, nil)
	index := filepath.Join(s.Dir(), "index")
	for name, with := range map[string]func(old, at string) error{"link": link, "pipe": pipe} {
		swap(index, with)
		again := again(t, s)
		if err := again.Remove(ended(t, again, &record.Begin{})); err != nil || len(list(t, again, nil)) != 1 {
			t.Errorf("a %s is the index: %v", name, err)
		}
		restore(index)
	}
	// Another file in the record's place is a copy.
	swap(file, func(old, at string) error {
		data, err := os.ReadFile(old)
		if err == nil {
			err = os.WriteFile(at, data, 0o600)
		}
		return err
	})
	if _, _, err := s.Reopen(run, nil); err == nil || !strings.Contains(err.Error(), "is a copy") {
		t.Errorf("another file goes on: %v", err)
	}
}
