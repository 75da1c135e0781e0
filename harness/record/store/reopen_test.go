package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// waiting begins a run that asks for a call and ends so, and returns the approval's ID.
func waiting(t *testing.T, s *store.Store) (run, approval string) {
	t.Helper()
	w, err := s.Begin(&record.Begin{Script: record.String("package main\n")})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.Call{N: 1, Place: "3:1", Class: record.Effect, Tool: "crm.add", Args: record.Raw([]byte(`{"a":1}`))})
	add(t, w, &record.Done{N: 1, Kind: record.Answered, Result: record.Raw([]byte(`{}`))})
	add(t, w, &record.Ask{A: "1", Place: "4:1", Class: record.Effect, Tool: "mail.send",
		Args: record.Raw([]byte(`{"to":"x"}`)), Until: time.Now().Add(time.Hour)})
	add(t, w, &record.End{Status: "waiting", ExitCode: 75})
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.ID(), w.ID() + ".1"
}

func TestARunThatWaitsGoesOnAfterTheYes(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			run, id := waiting(t, s)
			var pending []*approval.Call
			for p, err := range approval.List(t.Context(), s, nil) {
				if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, p)
			}
			if len(pending) != 1 || pending[0].ID != id || pending[0].Tool != "mail.send" {
				t.Fatalf("%+v", pending)
			}
			if err := s.Answer(id[:5], &record.Answer{Yes: true, Who: "ann"}); err != nil {
				t.Fatal(err)
			}
			err := s.Answer(id, &record.Answer{Who: "bob"})
			var said *store.AnsweredError
			if !errors.Is(err, store.ErrAnswered) || !errors.As(err, &said) || said.Answer.Who != "ann" || !said.Answer.Yes {
				t.Fatal(err)
			}
			w, r, err := s.Reopen(run, &store.ReopenOptions{Who: "ann"})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if _, _, err := s.Reopen(run, nil); !errors.Is(err, store.ErrRunning) {
				t.Errorf("a second owner: %v", err)
			}
			g, err := record.Resume(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			q := &record.Question{N: 1, Place: "3:1", Tool: "crm.add", Args: `{"a":1}`, Alone: true}
			if a, ok := g.Ask(q); !ok || a.Made.N != 1 {
				t.Fatal(a, ok)
			}
			if _, ok := g.Ask(&record.Question{N: 2, Place: "4:1", Tool: "mail.send", Args: `{"to":"x"}`, Alone: true}); ok {
				t.Fatal("it is not in the record")
			}
			if n := g.Idle(time.Time{}); !n.Live {
				t.Fatalf("%+v", n)
			}
			a := g.AskFor("", "4:1", "mail.send", `{"to":"x"}`)
			if a == nil || a.State(time.Now()) != record.Granted || a.Answer.Who != "ann" {
				t.Fatalf("%+v", a)
			}
			add(t, w, &record.Call{N: 2, Ask: a.A, Place: "4:1", Class: record.Effect, Tool: "mail.send", Attempt: 2,
				Args: record.Raw([]byte(`{"to":"x"}`))})
			add(t, w, &record.Done{N: 2, Kind: record.Answered, Result: record.Raw([]byte(`{}`))})
			add(t, w, &record.End{Status: "ok"})
			if err := errors.Join(w.Sync(), w.Close()); err != nil {
				t.Fatal(err)
			}
			if r, err = s.Load(run); err != nil {
				t.Fatal(err)
			}
			if r.Damaged != nil || len(r.Ended) != 1 || r.End.Attempts != 2 || r.End.Calls != 2 || len(r.Forged) != 0 ||
				r.Asks[0].State(time.Now()) != record.Sent || len(r.Unknown()) != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// dead is a run whose process died in the middle of an effect.
func dead(t *testing.T, s *store.Store) (run string) {
	t.Helper()
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.Call{N: 1, Place: "3:1", Class: record.Effect, Tool: "crm.add", Args: record.Raw([]byte(`{}`))})
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.ID()
}

func TestACallOfWhichNothingIsKnownIsSettled(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			store.SetClock(s, func() time.Time { return now })
			happened, not := dead(t, s), dead(t, s)
			now = now.Add(time.Minute)
			ends := dead(t, s)
			w, _, err := s.Reopen(ends, nil)
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.End{Status: "uncertain"})
			if err := errors.Join(w.Close(), s.Settle(ends, &record.Settle{N: 1, Happened: true}, 0)); err != nil {
				t.Fatal(err)
			}
			got := list(t, s, &store.Filter{Status: []string{"uncertain"}})
			if len(got) != 1 || got[0].ID != ends || got[0].Attempts != 2 {
				t.Errorf("a line follows its end: %+v", got)
			}
			unknown := func(id string) int {
				t.Helper()
				r, err := s.Load(id)
				if err != nil {
					t.Fatal(err)
				}
				return len(r.Unknown())
			}
			if unknown(happened) != 1 {
				t.Fatal("it is not unknown")
			}
			_, r, err := s.Reopen(happened, &store.ReopenOptions{May: func(r *record.Run) error {
				_, err := record.Resume(r, nil)
				return err
			}})
			if !errors.As(err, new(*record.UnknownError)) {
				t.Fatalf("%+v, %v", r, err)
			}
			settle := func(id string, st *record.Settle, after time.Duration, want error) {
				t.Helper()
				if err := s.Settle(id, st, after); !errors.Is(err, want) {
					t.Errorf("%+v: got %v, want %v", st, err, want)
				}
			}
			settle(not, &record.Settle{N: 1}, time.Minute-s.SentWithin(), store.ErrTooEarly)
			settle(not, &record.Settle{N: 2}, 0, store.ErrNotUnknown)
			settle(not, &record.Settle{N: 1}, 59*time.Second-s.SentWithin(), nil)
			settle(not, &record.Settle{N: 1}, 0, store.ErrNotUnknown)
			settle(happened, &record.Settle{N: 1, Happened: true, Result: record.Raw([]byte("7")), Who: "ann"}, time.Hour, nil)
			settle(happened, &record.Settle{N: 1}, 0, store.ErrNotUnknown)
			settle("zzz", &record.Settle{N: 1}, 0, store.ErrNotFound)
			for _, id := range []string{happened, not} {
				if unknown(id) != 0 {
					t.Error("it is settled, and unknown")
				}
				w, r, err := s.Reopen(id, nil)
				if err != nil {
					t.Fatal(err)
				}
				settle(id, &record.Settle{N: 1}, 0, store.ErrRunning)
				if len(r.Attempts) != 1 {
					t.Errorf("%d attempts: what failed left one", len(r.Attempts))
				}
				if _, err := record.Resume(r, nil); err != nil {
					t.Error(err)
				}
				add(t, w, &record.End{Status: "ok"})
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestAWriterGoesOnWhereItsRunEnded has values that are not kept, of calls whose lines
// were written before, and values that stand beside the record.
func TestAWriterGoesOnWhereItsRunEnded(t *testing.T) {
	o := &store.StoreOptions{Unkept: func(tool string) bool { return tool == "bank.pay" }}
	long := record.String(strings.Repeat("x", record.MaxInline+1))
	for name, s := range stores(t, o) {
		t.Run(name, func(t *testing.T) {
			w, err := s.Begin(&record.Begin{Script: long})
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.Call{N: 1, Class: record.Effect, Tool: "bank.pay", Args: record.Raw([]byte("{}"))})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(w.ID(), &record.Settle{N: 1, Happened: true, Result: record.String("a secret")}, 0); err != nil {
				t.Fatal(err)
			}
			w, r, err := s.Reopen(w.ID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			last := record.When(r.Lines[len(r.Lines)-1])
			if !w.Last().Equal(last) {
				t.Errorf("the last line is of %s, not %s", last, w.Last())
			}
			n := &record.Note{Stdout: "a"}
			n.Time = last.Add(-time.Hour)
			add(t, w, n)
			add(t, w, &record.Call{N: 2, Tool: "a.b", Args: long})
			add(t, w, &record.End{Status: "ok"})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if r, err = s.Load(w.ID()); err != nil || r.Damaged != nil || len(r.Lines) != 7 {
				t.Fatalf("%v, %+v", err, r)
			}
			if d := r.Calls[0].Settle.Result; !d.Redacted || d.JSON != nil {
				t.Errorf("what is not kept: %s", d.JSON)
			}
			if got, err := r.Value(r.Calls[1].Args); err != nil || !bytes.Equal(got, long.JSON) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if e := r.End; e.Calls != 2 || e.Attempts != 2 || len(e.Tools) != 2 {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestOnlyAWholeRecordOfThisMachineGoesOn(t *testing.T) {
	refused := func(what string, s *store.Store, id string, want string) {
		t.Helper()
		file := only(t, s.Dir(), "*"+id+".run.jsonl")
		before, _ := os.ReadFile(file)
		if _, _, err := s.Reopen(id, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
		err := s.Settle(id, &record.Settle{N: 1, Happened: true}, 0)
		if what != "a copy" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("settling in %s: %v", what, err)
		}
		if after, _ := os.ReadFile(file); what != "a copy" && !bytes.Equal(before, after) {
			t.Errorf("%s: it was written", what)
		}
	}
	change := func(s *store.Store, id string, to func([]byte) []byte) {
		file := only(t, s.Dir(), "*"+id+".run.jsonl")
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, to(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := folder(t, nil)
	id := dead(t, s)
	change(s, id, func(b []byte) []byte { b[200] ^= 1; return b })
	refused("a damaged record", s, id, "damaged")

	id = dead(t, s)
	change(s, id, func(b []byte) []byte {
		later := strings.Replace(string(b), `"v":1`, `"v":9`, 1)
		first, rest, _ := strings.Cut(later, "\n")
		first = first[:strings.LastIndex(first, `,"crc"`)]
		return fmt.Appendf(nil, "%s,\"crc\":\"%08x\"}\n%s", first, crc32.Checksum([]byte(first),
			crc32.MakeTable(crc32.Castagnoli)), rest)
	})
	refused("a later version", s, id, "version is 9")

	id = dead(t, s)
	other := folder(t, nil)
	if err := os.CopyFS(other.Dir(), os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	refused("a copy", other, id, store.ErrCopy.Error())
	w, _, err := other.Reopen(id, &store.ReopenOptions{Copy: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, _, err = other.Reopen(id, nil); err != nil { // it is the one to go on with
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Reopen("zzz", nil); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// TestATornEndIsCutByItsOwnerOnly cuts a record at every byte, and goes on with it.
func TestATornEndIsCutByItsOwnerOnly(t *testing.T) {
	s := folder(t, nil)
	run, _ := waiting(t, s)
	file := only(t, s.Dir(), "*.run.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(data, '\n') + 1
	tails := [][]byte{nil, make([]byte, 600), data[first:], []byte("{}\n")}
	for cut := first; cut <= len(data); cut += everyCut {
		torn := append(bytes.Clone(data[:cut]), tails[cut%len(tails)]...)
		if err := os.WriteFile(file, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := s.Load(run)
		if err != nil {
			t.Fatal(err)
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, torn) {
			t.Fatal("a reader writes")
		}
		w, again, err := s.Reopen(run, nil)
		if r.Damaged != nil {
			if err == nil {
				t.Fatalf("cut at %d: it goes on damaged", cut)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		now, err := s.Load(run)
		if err != nil || now.Damaged != nil || now.Torn != 0 || len(now.Attempts) != 1 || again.Torn != 0 {
			t.Fatalf("cut at %d: %v, %+v", cut, err, now)
		}
		if diff := cmp.Diff(r.Lines, now.Lines[:len(r.Lines)]); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		if len(r.Lines) < bytes.Count(data[:cut], []byte("\n")) {
			t.Fatalf("cut at %d: %d lines", cut, len(r.Lines))
		}
	}
}

// TestWhatIsReopenedIsWhatIsRead compares the run that Reopen returns to what is
// read then.
func TestWhatIsReopenedIsWhatIsRead(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			run, id := waiting(t, s)
			if err := s.Answer(id, &record.Answer{Yes: true, Word: "go"}); err != nil {
				t.Fatal(err)
			}
			w, r, err := s.Reopen(run, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			now, err := s.Load(run)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(now, r, cmpopts.IgnoreUnexported(record.Run{}, record.Made{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRetentionLeavesWhatMayGoOn(t *testing.T) {
	for _, kind := range []string{"folder", "memory"} {
		t.Run(kind, func(t *testing.T) {
			o := &store.StoreOptions{Bytes: 1}
			s := store.Memory(0, o)
			if kind == "folder" {
				s = folder(t, o)
			}
			now := time.Now()
			store.SetClock(s, func() time.Time { return now })
			left := func(want ...string) {
				t.Helper()
				if kind == "memory" { // it trims when a run ends
					w, err := s.Begin(&record.Begin{})
					if err != nil {
						t.Fatal(err)
					}
					add(t, w, &record.End{Status: "ok"})
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Prune(); err != nil {
					t.Fatal(err)
				}
				got := ids(list(t, s, nil))
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("left %v, want %v", got, want)
				}
			}
			waits, id := waiting(t, s) // for an hour
			uncertain := dead(t, s)
			closed, _ := waiting(t, s)
			left(waits, uncertain, closed)
			if err := s.EndRun(closed, "", ""); err != nil {
				t.Fatal(err)
			}
			left(waits, uncertain)
			if err := s.Answer(id, &record.Answer{Yes: true}); err != nil {
				t.Fatal(err)
			}
			left(waits, uncertain)
			w, _, err := s.Reopen(waits, nil)
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(2 * time.Hour)
			left(waits, uncertain) // the first is under way
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			left(uncertain) // it died, and its time has passed
			now = now.Add(7 * 24 * time.Hour)
			left()
		})
	}
}

// What a server asked and nobody answered in time is unknown, and a person may say
// what became of it, or close the run.
func TestAQuestionWithoutAnAnswerIsSettled(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			store.SetClock(s, func() time.Time { return now })
			asks := func() string {
				t.Helper()
				w, err := s.Begin(&record.Begin{})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range []record.Line{
					&record.Call{N: 1, Class: record.Effect, Tool: "a.b", Place: "1:1"}, &record.Round{N: 1, State: "s"},
					&record.Ask{A: "1", N: 1, Tool: "a.b", Question: []byte(`{"q":{}}`), Until: now.Add(time.Hour)},
					&record.End{Status: "timeout"},
				} {
					add(t, w, l)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				return w.ID()
			}
			settled, closed := asks(), asks()
			settle := func() error {
				return s.Settle(settled, &record.Settle{N: 1, Happened: true, Result: record.Raw([]byte("7"))}, 0)
			}
			if err := settle(); !errors.Is(err, store.ErrNotUnknown) {
				t.Errorf("settled while it can be answered: %v", err)
			}
			if err := s.EndRun(closed, "ann", ""); !errors.Is(err, store.ErrEnded) {
				t.Errorf("closed while nothing is unknown: %v", err)
			}
			now = now.Add(2 * time.Hour)
			if err := errors.Join(settle(), s.EndRun(closed, "ann", "")); err != nil {
				t.Fatal(err)
			}
			r, err := s.Load(settled)
			if err != nil {
				t.Fatal(err)
			}
			if state, err := r.Calls[0].State(false); state != record.Ended || err != nil || len(r.Unknown()) != 0 {
				t.Errorf("%s, %v", state, err)
			}
			if _, err := record.Resume(r, nil); err != nil {
				t.Error(err)
			}
			if err := s.EndRun(closed, "ann", ""); !errors.Is(err, store.ErrEnded) {
				t.Errorf("closed twice: %v", err)
			}
		})
	}
}
