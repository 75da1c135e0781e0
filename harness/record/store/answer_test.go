package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// only returns the only file that a pattern names.
func only(t *testing.T, pattern ...string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(files) != 1 {
		t.Fatal(pattern, files, err)
	}
	return files[0]
}

// load returns a run and its only ask.
func load(t *testing.T, s *store.Store, id string) (*record.Run, *record.Asked) {
	t.Helper()
	r, err := s.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Asks) != 1 {
		t.Fatalf("%d asks", len(r.Asks))
	}
	return r, r.Asks[0]
}

func folder(t *testing.T, o *store.StoreOptions) *store.Store {
	t.Helper()
	s, err := store.Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAnAnswerOfWhichAByteIsChangedCountsForNothing changes each byte of the file.
func TestAnAnswerOfWhichAByteIsChangedCountsForNothing(t *testing.T) {
	s := folder(t, nil)
	run, id := waiting(t, s)
	said := &record.Answer{Yes: true, Who: "ann", How: "terminal", Input: json.RawMessage(`{"a":"b"}`)}
	if err := s.Answer(id, said); err != nil {
		t.Fatal(err)
	}
	if r, a := load(t, s, run); a.Answer == nil || string(a.Answer.Input) != `{"a":"b"}` || r.Forged != nil {
		t.Fatal(a.Answer, r.Forged)
	}
	file := only(t, s.Dir(), "*.run", "answer-1")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, a := load(t, s, run)
		if a.Answer != nil || a.State(time.Now()) != record.Asking || len(r.Forged) != 1 ||
			!strings.Contains(r.Forged[0], id) {
			t.Fatalf("%s: %+v, %v", what, a.Answer, r.Forged)
		}
	}
	for i := range good {
		for _, bits := range []byte{1 << (i % 8), 0x20} { // the latter turns letters into small ones
			bad := bytes.Clone(good)
			bad[i] ^= bits
			refused(string(bad), bad)
		}
	}
	refused("nothing", nil)
	refused("one byte less", good[:len(good)-1])
	refused("more", append(bytes.Clone(good), '\n'))
	refused("twice", append(bytes.Clone(good), good...))
	refused("large", bytes.Repeat([]byte("x"), 1<<20))
	if err := s.Answer(id, &record.Answer{Yes: true}); err == nil || !strings.Contains(err.Error(), "is not valid") {
		t.Errorf("where a forged answer is: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if r, a := load(t, s, run); a.Answer != nil || len(r.Forged) != 1 {
		t.Error("a folder is an answer")
	}
	w, r, err := s.Reopen(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Lines {
		if _, ok := l.(*record.Answer); ok {
			t.Error("a forged answer is a line of the record")
		}
	}
}

func TestAnAnswerIsGoodForOneAskOfOneRun(t *testing.T) {
	s := folder(t, nil)
	answered := func() (run, file string) {
		run, id := waiting(t, s)
		if err := s.Answer(id, &record.Answer{Yes: true, Who: "ann"}); err != nil {
			t.Fatal(err)
		}
		return run, only(t, s.Dir(), "*"+run+".run", "answer-1")
	}
	_, from := answered()
	to, file := answered()
	copyFile(t, from, file)
	if r, a := load(t, s, to); a.Answer != nil || len(r.Forged) != 1 {
		t.Errorf("the answer of another run: %+v, %v", a.Answer, r.Forged)
	}

	// Another ask of the same run, with the same tool and arguments.
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{"1", "2"} {
		add(t, w, &record.Ask{A: a, Tool: "a.b", Args: record.Raw([]byte("{}")), Until: time.Now().Add(time.Hour)})
	}
	add(t, w, &record.End{Status: "waiting"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(w.ID()+".1", &record.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	one := only(t, s.Dir(), "*"+w.ID()+".run", "answer-1")
	copyFile(t, one, strings.TrimSuffix(one, "1")+"2")
	r, err := s.Load(w.ID())
	if err != nil || r.Asks[0].Answer == nil || r.Asks[1].Answer != nil || len(r.Forged) != 1 {
		t.Errorf("the answer to another ask: %+v, %v", r.Forged, err)
	}

	// The same record and answers in a store with another key.
	other := folder(t, nil)
	if err := os.CopyFS(other.Dir(), os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other.Dir(), "key"), bytes.Repeat([]byte("k"), 32), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := other.Load(w.ID()); err != nil || r.Asks[0].Answer != nil || len(r.Forged) != 2 {
		t.Errorf("with another key: %+v, %v", r.Forged, err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerComesInTime(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			run, id := waiting(t, s)
			late, lateID := waiting(t, s)
			later := time.Now().Add(2 * time.Hour)
			now := time.Now()
			store.SetClock(s, func() time.Time { return now })
			if err := s.Answer(id, &record.Answer{Yes: true, Until: now.Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
			now = later
			if err := s.Answer(lateID, &record.Answer{Yes: true}); !errors.Is(err, store.ErrExpired) {
				t.Errorf("after its time: %v", err)
			}
			r, a := load(t, s, run)
			if a.State(now) != record.Asking || len(r.Forged) != 1 || len(r.Open()) != 0 {
				t.Errorf("a yes whose time has passed: %s, %v", a.State(now), r.Forged)
			}
			if g, err := record.Resume(r, nil); err != nil || g.AskFor("", "4:1", "mail.send", `{"to":"x"}`) != nil {
				t.Errorf("a yes whose time has passed was found: %v", err)
			}
			if _, a := load(t, s, late); a.State(now) != record.Denied {
				t.Errorf("nobody has answered: %s", a.State(now))
			}
			for p, err := range approval.List(t.Context(), s, nil) {
				t.Errorf("it waits: %+v, %v", p, err)
			}
		})
	}
}

func TestWhatIsAskedIsWhatIsAnswered(t *testing.T) {
	until := time.Now().Add(time.Hour)
	ask := func() *record.Ask {
		return &record.Ask{A: "1", Path: "p", Place: "1:1", Tool: "a.b", Args: record.Raw([]byte(`{"a":1}`)), Hash: "h",
			Server: "s", Until: until}
	}
	base := record.AskDigest("run", ask())
	seen := map[string]bool{base: true}
	for _, change := range []func(*record.Ask){
		func(a *record.Ask) { a.A = "2" }, func(a *record.Ask) { a.Path = "q" }, func(a *record.Ask) { a.Place = "1:2" },
		func(a *record.Ask) { a.Tool = "a.c" }, func(a *record.Ask) { a.Args = record.Raw([]byte(`{"a":2}`)) },
		func(a *record.Ask) { a.Hash = "i" }, func(a *record.Ask) { a.Server = "t" }, func(a *record.Ask) { a.N = 3 },
		func(a *record.Ask) { a.Until = until.Add(1) }, func(a *record.Ask) { a.AllCalls = true },
		func(a *record.Ask) { a.Question = []byte("{}") }, func(a *record.Ask) { a.Path, a.Tool = "", "pa.b" },
		func(a *record.Ask) { a.Hash, a.Server = "s", "h" }, func(a *record.Ask) { a.Flow = true }, func(a *record.Ask) { a.Late = true },
		func(a *record.Ask) { a.Origins = []flow.Origin{{Arg: "a", Match: flow.Equal}} },
		func(a *record.Ask) { a.Origins = []flow.Origin{{Arg: "a", Match: flow.Within}} },
	} {
		a := ask()
		change(a)
		d := record.AskDigest("run", a)
		if seen[d] {
			t.Errorf("%+v has the digest of another", a)
		}
		seen[d] = true
	}
	old := ask() // questions of harnesses that knew no origins stay answerable
	old.Until = time.Unix(1_700_000_000, 0)
	if d := record.AskDigest("run", old); d != "448599cf9ba70b34d091c520af3f49ef71df6c4ec6fe0c8b80885359e5ae2e1c" {
		t.Errorf("an ask without origins has the digest %s", d)
	}
	if record.AskDigest("run2", ask()) == base || record.AskDigest("run", ask()) != base {
		t.Error("the run does not count, or something else does")
	}
}

// TestAnAskIsReadAsItWasSigned has asks with all that a record writes in another way:
// large, redacted, not kept, with white space.
func TestAnAskIsReadAsItWasSigned(t *testing.T) {
	o := &store.StoreOptions{Redact: hide, Unkept: func(tool string) bool { return tool == "bank.pay" }}
	for name, s := range stores(t, o) {
		t.Run(name, func(t *testing.T) {
			w, err := s.Begin(&record.Begin{})
			if err != nil {
				t.Fatal(err)
			}
			until := time.Now().Add(time.Hour)
			asks := []*record.Ask{
				{A: "1", Tool: "a.b", Args: record.Raw([]byte(`{ "a": 1, "a\u0062": "` + secrets[0] + `" }`)), Until: until},
				{A: "2", Tool: "a.b", Args: record.Raw([]byte(`{"a":"` + strings.Repeat("x", record.MaxInline) + `"}`)),
					Until: until},
				{A: "3", Tool: "bank.pay", Args: record.Raw([]byte(`{}`)), Until: until},
				{A: "4", Tool: "a.b", Place: "1:\xff", Why: secrets[0], Until: until, N: 3,
					Question: []byte(`{ "q": "<` + secrets[1] + `>" , "u": "\u0041"}`)},
			}
			for _, a := range asks {
				add(t, w, a)
			}
			add(t, w, &record.End{Status: "waiting"})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for _, a := range asks {
				if err := s.Answer(w.ID()+"."+a.A, &record.Answer{Yes: true}); err != nil {
					t.Error(err)
				}
			}
			r, err := s.Load(w.ID())
			if err != nil || len(r.Forged) != 0 {
				t.Fatal(err, r.Forged)
			}
			for i, a := range r.Asks {
				if a.Answer == nil || a.Digest != asks[i].Digest {
					t.Errorf("%+v", a)
				}
			}
			g, err := record.Resume(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range asks[:3] {
				if got := g.AskFor("", "", a.Tool, string(a.Args.JSON)); got == nil || got.A != a.A {
					t.Errorf("ask %s is not found: %+v", a.A, got)
				}
			}
		})
	}
}

func TestTheFirstAnswerCounts(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				run, id := waiting(t, s)
				var wg sync.WaitGroup
				errs := make([]error, 8)
				for i := range errs {
					wg.Go(func() { errs[i] = s.Answer(id, &record.Answer{Yes: i%2 == 0, Who: string(rune('a' + i))}) })
				}
				wg.Wait()
				_, a := load(t, s, run)
				if a.Answer == nil {
					t.Fatal("nobody's answer counts")
				}
				for i, err := range errs {
					var said *store.AnsweredError
					first := a.Answer.Who == string(rune('a'+i))
					if first != (err == nil) || !first && (!errors.As(err, &said) || said.Answer.Who != a.Answer.Who) {
						t.Fatalf("%s was first; %c got %v", a.Answer.Who, 'a'+i, err)
					}
				}
			}
		})
	}
}

func TestOnlyWhatWaitsIsAnswered(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			run, id := waiting(t, s)
			for _, none := range []string{"", ".", ".1", run + ".2", run + ".", run + ".x", run + "./../1", "zzz.1"} {
				if err := s.Answer(none, &record.Answer{}); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%q: %v", none, err)
				}
			}
			large := &record.Answer{Word: strings.Repeat("x", 200<<10)}
			if err := s.Answer(id, large); err == nil || errors.Is(err, store.ErrAnswered) {
				t.Errorf("a large one: %v", err)
			}
			if err := s.EndRun(run, "ann", "not needed"); err != nil {
				t.Fatal(err)
			}
			if err := s.Answer(id, &record.Answer{Yes: true}); !errors.Is(err, store.ErrEnded) {
				t.Errorf("of a run that was closed: %v", err)
			}
			if err := s.EndRun(run, "ann", ""); !errors.Is(err, store.ErrEnded) {
				t.Errorf("closed twice: %v", err)
			}
			if got := list(t, s, nil)[0]; got.Status != "canceled" || got.Error != "the run was closed by ann: not needed" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestALedgerIsAnswered has a dry run whose effects a person approves.
func TestALedgerIsAnswered(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			w, err := s.Begin(&record.Begin{Dry: true, Inputs: record.Values{"a": record.Raw([]byte("1"))}})
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.Tools{Tools: []record.Tool{{ID: "crm.add", Hash: "h"}}})
			for n := range 2 {
				add(t, w, &record.Guess{N: n + 1, Place: "1:1", Class: record.Effect, Tool: "crm.add",
					Args:   record.Raw([]byte(`{}`)),
					Result: record.Raw([]byte("{}"))})
			}
			if err := w.Sync(); err != nil { // as a run does: a cluster reads durable lines only
				t.Fatal(err)
			}
			lines, err := s.Load(w.ID())
			if err != nil {
				t.Fatal(err)
			}
			add(t, w, &record.Ask{A: record.Ledger, Hash: record.LedgerDigest(lines), Until: time.Now().Add(time.Hour)})
			add(t, w, &record.End{Status: "ok"})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			n := 0
			for p, err := range approval.List(t.Context(), s, nil) {
				if n++; err != nil || p.ID != w.ID()+".ledger" {
					t.Errorf("%+v, %v", p, err)
				}
			}
			if err := s.Answer(w.ID(), &record.Answer{Yes: true}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			w, r, err := s.Reopen(w.ID(), &store.ReopenOptions{Live: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			g, err := record.Resume(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			g.Ask(&record.Question{N: 1, Place: "1:1", Tool: "crm.add", Args: "{}"})
			if next := g.Idle(time.Time{}); !next.Live {
				t.Errorf("%+v", next)
			}
			for i, want := range []bool{true, true, false} {
				if a := g.AskFor("", "1:1", "crm.add", "{}"); (a != nil) != want {
					t.Errorf("effect %d: %+v", i+1, a)
				}
			}
			if a := g.AskFor("", "1:1", "crm.add", `{"a":1}`); a != nil {
				t.Errorf("what the ledger does not have: %+v", a)
			}
			add(t, w, &record.Call{N: 3, Attempt: 2, Class: record.Effect, Ask: record.Ledger, Tool: "crm.add",
				Args: record.Raw([]byte("{}"))})
			if err := w.Sync(); err != nil { // as before a call is sent
				t.Fatal(err)
			}
			if r, err = s.Load(w.ID()); err != nil || len(r.Forged) != 0 {
				t.Fatal(err, r.Forged)
			}
			r.Running = false
			if _, err := record.Resume(r, nil); !errors.As(err, new(*record.UnknownError)) {
				t.Errorf("an effect that was sent: %v", err)
			}
		})
	}
}

func TestTheSameRequestIsTheSame(t *testing.T) {
	s, other := store.Memory(1, nil), store.Memory(1, nil)
	in := func(v string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"a": json.RawMessage(v), "b": nil}
	}
	want := s.RequestDigest("ann", "x", in("1"), false)
	if want == "" || s.RequestDigest("ann", "x", in("1"), false) != want {
		t.Error("it is another")
	}
	for _, d := range []string{other.RequestDigest("ann", "x", in("1"), false), s.RequestDigest("bob", "x", in("1"),
		false),
		s.RequestDigest("ann", "y", in("1"), false), s.RequestDigest("ann", "x", in("2"), false),
		s.RequestDigest("ann", "x", nil, false), s.RequestDigest("ann", "x", in("1"), true)} {
		if d == want {
			t.Error("another one is the same")
		}
	}
}

// What was said through a store with another key counts for nothing, and is in
// nobody's way.
func TestAnswersOfAnotherKeyCountForNothing(t *testing.T) {
	dir := t.TempDir()
	open := func(key string) *store.Store {
		o := &store.StoreOptions{}
		if key != "" {
			o.AnswerKey = []byte(key)
		}
		s, err := store.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open("")
	run, id := waiting(t, s)
	keys := []string{"", "a key of 16 bytes", "another key of it"}
	for i, key := range keys {
		for _, other := range keys[i:] {
			if _, a := load(t, open(other), run); a.Answer != nil {
				t.Errorf("%q takes the answer of another: %+v", other, a.Answer)
			}
		}
		if err := open(key).Answer(id, &record.Answer{Yes: i == 1, Who: key}); err != nil {
			t.Fatal(err)
		}
		if _, a := load(t, open(key), run); a.Answer == nil || a.Answer.Who != key || a.Answer.Yes != (i == 1) {
			t.Errorf("%q has %+v", key, a.Answer)
		}
	}
}
