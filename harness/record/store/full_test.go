//go:build linux || darwin

package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

func init() { children["full"] = fillDisk }

// TestAFullDiskEndsARecord has a child whose files may only have so many bytes,
// because the limit is of the whole process.
func TestAFullDiskEndsARecord(t *testing.T) {
	cmd, out := child(t, "full", t.TempDir())
	failed, err := out.ReadString('\n')
	if err := errors.Join(err, cmd.Wait()); err != nil || failed == "0\n" {
		t.Errorf("%v, %s records failed", err, failed)
	}
}

// fillDisk writes records with files of at most so many bytes, for many limits,
// and says how many could not be written to their end.
func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	failed := 0
	for size := uint64(0); size < 400<<10; size = size*5/4 + 100 {
		for _, sync := range []bool{false, true} {
			id, lines, err := fill(s, size, sync)
			if err != nil {
				failed++
			}
			if err := filled(s, id, lines, err); err != nil {
				return fmt.Errorf("%d bytes, sync %v: %w", size, sync, err)
			}
		}
	}
	_, err = fmt.Println(failed)
	return err
}

// fill writes a record while files are limited; it returns how many lines were
// added, and the error that ended it.
func fill(s *store.Store, size uint64, sync bool) (id string, lines int, err error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return "", 0, err
	}
	less := limit
	less.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less); err != nil {
		return "", 0, err
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	w, err := s.Begin(&record.Begin{Script: record.String(strings.Repeat("x", 3000))})
	if err != nil {
		return "", 0, err
	}
	defer w.Close()
	lines = 1
	for n := range 10 {
		for _, l := range []record.Line{
			&record.Call{N: n, Args: record.String(strings.Repeat("a", 100))},
			&record.Done{N: n, Result: record.String(strings.Repeat("b", n*n*1000))}, // up to 81 kB
		} {
			e := w.Add(l)
			if e == nil {
				lines++
			}
			if e == nil && sync {
				e = w.Sync()
			}
			if err != nil && e == nil {
				return w.ID(), lines, errors.New("after an error it went on")
			}
			if err == nil {
				err = e
			}
		}
	}
	return w.ID(), lines, err
}

// filled reports what is wrong with a record that was ended by an error.
func filled(s *store.Store, id string, lines int, failed error) error {
	if failed != nil && !errors.Is(failed, syscall.EFBIG) {
		return failed
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "*.new"))
	if more, _ := filepath.Glob(filepath.Join(s.Dir(), "*.run", "*.new")); err != nil || len(left)+len(more) > 0 {
		return fmt.Errorf("left %v, %v: %w", left, more, err)
	}
	if id == "" {
		return nil
	}
	r, err := s.Load(id)
	if err != nil {
		return err
	}
	if len(r.Lines) != lines || r.Damaged != nil || r.Running {
		return fmt.Errorf("%d lines of %d, damaged: %v, running: %v", len(r.Lines), lines, r.Damaged, r.Running)
	}
	for _, m := range r.Calls {
		if m.Done != nil {
			if _, err := r.Value(m.Done.Result); err != nil {
				return err
			}
		}
	}
	// No more of the disk is taken than the record has bytes.
	files, err := filepath.Glob(filepath.Join(s.Dir(), "*"+id+".run.jsonl"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("files %v: %w", files, err)
	}
	st, err := os.Stat(files[0])
	if err != nil {
		return err
	}
	if taken := st.Sys().(*syscall.Stat_t).Blocks * 512; taken > st.Size()+64<<10 {
		return fmt.Errorf("it takes %d bytes, and has %d", taken, st.Size())
	}
	return nil
}
