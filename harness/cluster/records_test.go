package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// two connects two processes to a server of their own.
func two(t testing.TB, ackWait ...time.Duration) (*Cluster, *Cluster) {
	o := Options{URL: clustertest.Server(t)}
	if len(ackWait) > 0 {
		o.AckWait = ackWait[0]
	}
	return connect(t, o), connect(t, o)
}

// status is that of a run in a list.
func status(t testing.TB, s *store.Store, id string) string {
	t.Helper()
	for sum, err := range s.List(t.Context(), nil) {
		must(t, err)
		if sum.ID == id {
			return sum.Status
		}
	}
	return "not there"
}

// kill ends a process as if it had been killed: it says nothing more to the engine.
func kill(c *Cluster) {
	c.conn.Close()
	c.Close()
}

func TestARunIsSeenByAllProcesses(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	here, there := a.Store(nil), b.Store(nil)
	names, err := b.Backing().Names()
	if err != nil || len(names) != 0 {
		t.Errorf("%q, %v", names, err)
	}
	news := b.Backing().Changes().Wait()
	w := begin(t, here)
	<-news
	if got := status(t, there, w.ID()); got != record.Running {
		t.Errorf("while it runs: %s", got)
	}
	add(t, w, effect(1), &record.Done{N: 1, Kind: record.Answered, Result: record.String(strings.Repeat("x", 2*maxPart))})
	must(t, w.Sync())
	if _, _, err := there.Reopen(w.ID(), nil); !errors.Is(err, store.ErrRunning) {
		t.Errorf("reopened while it runs: %v", err)
	}
	if err := there.Remove(w.ID()); !errors.Is(err, store.ErrRunning) {
		t.Errorf("removed while it runs: %v", err)
	}
	add(t, w, &record.End{Status: "ok"})
	must(t, w.Close())
	r, err := there.Load(w.ID()[:5])
	must(t, err)
	if len(r.Lines) != 4 || r.Damaged != nil || r.Running || r.End.Status != "ok" {
		t.Errorf("%+v", r)
	}
	if v, err := r.Value(r.Calls[0].Done.Result); err != nil || len(v) != 2*maxPart+2 {
		t.Errorf("a value in parts: %d bytes, %v", len(v), err)
	}
	must(t, there.Remove(w.ID()))
	if got := status(t, here, w.ID()); got != "not there" {
		t.Errorf("removed: %s", got)
	}
	if left, err := a.subjectsOf(t.Context(), a.records, prefix+">"); err != nil || len(left) != 0 {
		t.Errorf("left of it: %v, %v", left, err)
	}
}

func TestARunWhoseProcessWasKilledHasDied(t *testing.T) {
	t.Parallel()
	a, b := two(t, 2*time.Second)
	w := begin(t, a.Store(nil))
	add(t, w, effect(1))
	must(t, w.Sync())
	if got := status(t, b.Store(nil), w.ID()); got != record.Running {
		t.Errorf("while it lives: %s", got)
	}
	kill(a)
	eventually(t, "it has died", func() bool { return status(t, b.Store(nil), w.ID()) == record.Died })
	again, r, err := b.Store(nil).Reopen(w.ID(), nil)
	must(t, err)
	if len(r.Unknown()) != 1 {
		t.Errorf("%+v", r)
	}
	must(t, again.Close())
}

func TestAProcessThatWasCutOffWritesNoMore(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	was := begin(t, a.Store(nil))
	add(t, was, effect(1))
	must(t, was.Sync())
	now, r, err := b.Store(nil).Reopen(was.ID(), &store.ReopenOptions{Dead: true, Who: "b"})
	must(t, err)
	if len(r.Calls) != 1 {
		t.Errorf("%+v", r)
	}
	add(t, was, effect(2))
	if err := was.Sync(); !errors.Is(err, store.ErrTaken) {
		t.Errorf("the call may be sent: %v", err)
	}
	if err := was.Add(effect(3)); err == nil {
		t.Error("it writes on")
	}
	if err := was.Close(); !errors.Is(err, store.ErrTaken) {
		t.Errorf("closed: %v", err)
	}
	add(t, now, &record.End{Status: "ok"})
	must(t, now.Close())
	for _, s := range []*store.Store{a.Store(nil), b.Store(nil)} {
		r, err := s.Load(was.ID())
		must(t, err)
		if len(r.Calls) != 1 || len(r.Attempts) != 1 || r.End == nil || r.Damaged != nil || r.Torn != 0 || r.Running {
			t.Errorf("%+v", r)
		}
	}
}

func TestOneOfManyBeginsARun(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	for range 10 {
		at, id, _ := store.ParseName(store.NewName(time.Now()))
		var begun, taken atomic.Int32
		var all sync.WaitGroup
		for _, s := range []*store.Store{a.Store(nil), b.Store(nil), a.Store(nil), b.Store(nil)} {
			all.Go(func() {
				first := &record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline))}
				first.ID, first.Time = id, at
				switch w, err := s.Begin(first); {
				case err == nil:
					begun.Add(1)
					w.Close()
				case errors.Is(err, store.ErrTaken):
					taken.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if begun.Load() != 1 || taken.Load() != 3 {
			t.Errorf("%d began, %d found it taken", begun.Load(), taken.Load())
		}
		r, err := a.Store(nil).Load(id)
		must(t, err)
		if v, err := r.Value(r.Begin.Script); err != nil || len(v) != record.MaxInline+2 {
			t.Errorf("the script: %d bytes, %v", len(v), err)
		}
	}
}

// TestReadsCostTwoMessages counts what a run costs the engine that reads only.
func TestReadsCostTwoMessages(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	s := a.Store(nil)
	w := begin(t, s)
	add(t, w, &record.Call{N: 1, Tool: "a.b", Args: record.Raw([]byte("{}"))}, &record.Done{N: 1, Kind: record.Answered},
		&record.End{Status: "ok"})
	must(t, w.Close())
	info, err := a.records.Info(t.Context())
	must(t, err)
	if info.State.Msgs != 2 {
		t.Errorf("%d messages", info.State.Msgs)
	}
}

// TestLinesOfAnySizeAreReadAsTheyWereWritten writes to the backing itself.
func TestLinesOfAnySizeAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	name := store.NewName(time.Now())
	to, err := a.Backing().Create(name)
	must(t, err)
	var want []byte
	write := func(p []byte) {
		t.Helper()
		_, err := to.Write(p)
		must(t, err)
		want = append(want, p...)
	}
	line := func(n int) []byte { return append(bytes.Repeat([]byte{byte('a' + n%26)}, n), '\n') }
	write(line(1))
	must(t, to.Publish())
	for _, n := range []int{0, 10, maxPart - 1, maxPart, 5 << 20, 3} {
		write(line(n))
	}
	must(t, to.Sync())
	for n := range 40 {
		write(line(n))
		must(t, to.Sync())
	}
	read := func(in store.Backing) {
		t.Helper()
		from, err := in.Open(name)
		must(t, err)
		defer from.Close()
		size, err := from.Size()
		must(t, err)
		got, err := io.ReadAll(io.NewSectionReader(from, 0, size))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, want %d: %v", len(got), len(want), err)
		}
		tail := make([]byte, min(int64(len(want)), 30))
		if _, err := from.ReadAt(tail, size-int64(len(tail))); err != nil || !bytes.HasSuffix(want, tail) {
			t.Errorf("its end: %q, %v", tail, err)
		}
	}
	read(b.Backing())
	write(line(7))
	must(t, to.Close())
	read(b.Backing())

	// Whoever goes on cuts the end, which others do not see any more.
	for _, cut := range []int{len(want) - 5, 100, 2} {
		if to, err = b.Backing().Reopen(name, false); err != nil {
			t.Fatal(err)
		}
		must(t, to.Cut(int64(cut)))
		want = want[:cut]
		write(line(3))
		must(t, errors.Join(to.Sync(), to.Close()))
		read(a.Backing())
	}
	if to, err = b.Backing().Reopen(name, false); err != nil {
		t.Fatal(err)
	}
	must(t, errors.Join(to.Cut(1), to.Close()))
	want = want[:1]
	read(a.Backing())
}

func TestATornEndIsCut(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	w := begin(t, a.Store(nil))
	must(t, w.Close())
	names, err := a.Backing().Names()
	must(t, err)
	to, err := a.Backing().Reopen(names[0], false)
	must(t, err)
	_, err = to.Write([]byte(`{"type":"call","n"`))
	must(t, errors.Join(err, to.Sync(), to.Close()))
	s := b.Store(nil)
	if r, err := s.Load(w.ID()); err != nil || r.Torn == 0 {
		t.Fatal(r, err)
	}
	w, _, err = s.Reopen(w.ID(), nil)
	must(t, err)
	add(t, w, &record.End{Status: "ok"})
	must(t, w.Close())
	r, err := a.Store(nil).Load(w.ID())
	if err != nil || r.Torn != 0 || r.Damaged != nil || len(r.Lines) != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRequestsAndClaimsAreOfAll(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	here, there := a.Store(nil), b.Store(nil)
	digest := here.RequestDigest("ann", "x", nil, false)
	if digest == "" || there.RequestDigest("ann", "x", nil, false) != digest {
		t.Error("the key is not the same")
	}
	if id, err := there.Latest(t.Context(), digest); id != "" || err != nil {
		t.Errorf("before it began: %q, %v", id, err)
	}
	var last string
	for range 3 {
		w, err := here.Begin(&record.Begin{Request: digest, Subject: "ann", Once: "pay"})
		must(t, err)
		must(t, w.Close())
		last = w.ID()
		if id, err := there.Latest(t.Context(), digest); id != last || err != nil {
			t.Errorf("%q, %v; want %q", id, err, last)
		}
	}
	if id, err := there.LatestOnce(t.Context(), "ann", "pay"); id != last || err != nil {
		t.Errorf("%q, %v; want %q", id, err, last)
	}
	var firsts atomic.Int32
	var all sync.WaitGroup
	until := time.Now().Add(time.Hour)
	for _, s := range []*store.Store{here, there, here, there} {
		all.Go(func() {
			if first, err := s.Once("a token", until); err != nil {
				t.Error(err)
			} else if first {
				firsts.Add(1)
			}
		})
	}
	all.Wait()
	if firsts.Load() != 1 {
		t.Errorf("%d had it first", firsts.Load())
	}
}

func TestOneIsAlone(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	var in atomic.Int32
	var all sync.WaitGroup
	for _, s := range []*store.Store{a.Store(nil), b.Store(nil), a.Store(nil), b.Store(nil)} {
		all.Go(func() {
			for range 5 {
				err := s.Alone(t.Context(), func() error {
					if n := in.Add(1); n != 1 {
						t.Errorf("%d are alone", n)
					}
					_, err := s.Latest(t.Context(), "r") // takes its time
					in.Add(-1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	err := a.Store(nil).Alone(t.Context(), func() error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := b.Store(nil).Alone(ctx, func() error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("while another one is: %v", err)
		}
		return nil
	})
	must(t, err)
}

func TestWhatStandsBesideIsPutOnce(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	w := begin(t, a.Store(nil))
	must(t, w.Close())
	names, err := a.Backing().Names()
	must(t, err)
	big := bytes.Repeat([]byte("0123456789"), maxPart/4) // some parts
	must(t, a.Backing().Put(names[0], "answer-1", big))
	if err := b.Backing().Put(names[0], "answer-1", big[1:]); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one: %v", err)
	}
	if got, err := b.Backing().Value(names[0], "answer-1", 1<<20); err == nil {
		t.Errorf("%d bytes, more than wanted", len(got))
	}
	if got, err := b.Backing().Value(names[0], "answer-1", 4<<20); err != nil || !bytes.Equal(got, big) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := b.Backing().Value(names[0], "answer-2", 1<<20); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if err := b.Backing().Put(store.NewName(time.Now()), "answer-1", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beside no record: %v", err)
	}
}

func TestAnEngineThatCannotBeReachedIsSaid(t *testing.T) {
	t.Parallel()
	url := clustertest.Servers(t, 1)[0]
	c := connect(t, Options{URL: url.ClientURL(), AckWait: 500 * time.Millisecond})
	s := c.Store(nil)
	w := begin(t, s)
	url.Shutdown()
	url.WaitForShutdown()
	add(t, w, effect(1))
	for what, err := range map[string]error{
		"an effect": w.Sync(),
		"the next":  w.Add(effect(2)),
		"begin":     func() error { _, err := s.Begin(&record.Begin{}); return err }(),
		"load":      func() error { _, err := s.Load(w.ID()); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "cannot be reached") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNothingIsLostWithALeader ends servers, each in its turn, while runs are written.
func TestNothingIsLostWithALeader(t *testing.T) {
	t.Parallel()
	servers := clustertest.Servers(t, 3)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	c := connect(t, Options{URL: strings.Join(urls, ","), Replicas: 3, AckWait: 20 * time.Second})
	s := c.Store(nil)
	const runs, lines = 4, 150
	var all sync.WaitGroup
	ids := make([]string, runs)
	half := make(chan struct{}, runs)
	for i := range runs {
		all.Go(func() {
			w, err := s.Begin(&record.Begin{})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = w.ID()
			for n := range lines {
				if n == lines/2 {
					half <- struct{}{}
				}
				if err := errors.Join(w.Add(effect(n)), w.Sync()); err != nil {
					t.Errorf("line %d: %v", n, err)
					return
				}
			}
			if err := errors.Join(w.Add(&record.End{Status: "ok"}), w.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	<-half
	info, err := c.records.Info(t.Context())
	must(t, err)
	i := slices.Index([]string{"n1", "n2", "n3"}, info.Cluster.Leader)
	servers[i].Shutdown()
	all.Wait()
	for _, id := range ids {
		r, err := s.Load(id)
		must(t, err)
		if len(r.Calls) != lines || len(r.Lines) != lines+2 || r.Damaged != nil || r.End == nil {
			t.Errorf("%d calls, %d lines, %v", len(r.Calls), len(r.Lines), r.Damaged)
		}
	}
}

// FuzzStranger has a message of somebody who may publish in the place of a record's.
func FuzzStranger(f *testing.F) {
	c := connect(f, Options{URL: clustertest.Server(f), AckWait: 2 * time.Second})
	s := c.Store(nil)
	f.Add("o", "p", "1", "0", "1", "0", "0", []byte("{}\n"), byte(0))
	f.Add("", "", "-1", "99999999999999999999", "x", "-5", "y", []byte{}, byte(1))
	f.Add("o", "p", "2", "268435456", "0", "9", "1", []byte{}, byte(1))
	f.Add("o", "p", "2", "5", "0", "1", "1", []byte{}, byte(2))
	f.Add("o", "p", "2", "-1", "0", "1", "1", []byte("\n"), byte(1))
	f.Fuzz(func(t *testing.T, owner, process, number, offset, open, data, beside string, body []byte, at byte) {
		name := store.NewName(time.Now())
		_, id, _ := store.ParseName(name)
		var w *store.Writer
		if at > 0 {
			w = begin(t, s)
			id = w.ID()
			names, err := c.Backing().Find(id)
			must(t, err)
			name = names[0]
			if at == 1 {
				must(t, w.Close())
			}
		}
		m := nats.NewMsg(recordSubject(name))
		m.Data = body
		for key, value := range map[string]string{ownerHeader: owner, processHeader: process, numberHeader: number,
			offsetHeader: offset, openHeader: open, dataHeader: data, besideHeader: beside} {
			m.Header.Set(key, strings.Map(func(r rune) rune {
				if r < ' ' {
					return -1
				}
				return r
			}, value))
		}
		if _, err := c.conn.RequestMsgWithContext(t.Context(), m); err != nil {
			t.Skip(err)
		}
		defer c.backing.Remove(name, nil)
		r, err := s.Load(id)
		if err == nil && r.Begin.ID != id {
			t.Errorf("%+v", r)
		}
		for sum, err := range s.List(t.Context(), nil) {
			if bad := new(store.UnreadableError); err != nil && !errors.As(err, &bad) {
				t.Errorf("%+v, %v", sum, err)
			}
		}
		s.Marks(map[string]bool{id: true})
		s.First(id)
		if at > 1 { // whose record it was
			add(t, w, effect(1))
			if err := w.Sync(); !errors.Is(err, store.ErrTaken) {
				t.Errorf("it writes on: %v", err)
			}
			w.Close()
		}
		if w, _, err := s.Reopen(id, &store.ReopenOptions{Dead: true}); err == nil {
			w.Close()
		}
	})
}

// Who is overtaken between becoming the owner and reading the record finds more there.
func TestWhoIsOvertakenWhileGoingOnIsTold(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	must(t, begin(t, a.Store(nil)).Close())
	names, err := a.Backing().Names()
	must(t, err)
	first, err := a.Backing().Reopen(names[0], true)
	must(t, err)
	second, err := a.Backing().Reopen(names[0], true)
	must(t, err)
	_, err = second.Write([]byte("{}\n"))
	must(t, errors.Join(err, second.Sync()))
	from, err := a.Backing().Open(names[0])
	must(t, err)
	size, err := from.Size()
	must(t, err)
	if err := first.Cut(size); !errors.Is(err, store.ErrTaken) {
		t.Errorf("cut: %v", err)
	}
	must(t, second.Close())
}

// TestWhatIsStoredStays has processes that take one run from each other all the time.
func TestWhatIsStoredStays(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	w := begin(t, a.Store(nil))
	id := w.ID()
	var number atomic.Int32
	var mu sync.Mutex
	stored := map[int]bool{}
	var all sync.WaitGroup
	for _, s := range []*store.Store{a.Store(nil), b.Store(nil), a.Store(nil), b.Store(nil)} {
		all.Go(func() {
			for range 12 {
				w, _, err := s.Reopen(id, &store.ReopenOptions{Dead: true})
				if errors.Is(err, store.ErrRunning) || errors.Is(err, store.ErrTaken) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				for range 3 {
					n := int(number.Add(1))
					if err := errors.Join(w.Add(effect(n)), w.Sync()); err == nil {
						mu.Lock()
						stored[n] = true
						mu.Unlock()
					} else if !errors.Is(err, store.ErrTaken) {
						t.Error(err)
					}
				}
				if err := w.Close(); err != nil && !errors.Is(err, store.ErrTaken) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if w.Add(effect(0)); !errors.Is(w.Sync(), store.ErrTaken) {
		t.Error("the first one writes on")
	}
	r, err := b.Store(nil).Load(id)
	must(t, err)
	if r.Damaged != nil || r.Torn != 0 {
		t.Errorf("%+v", r)
	}
	times := map[int]int{}
	for _, l := range r.Lines {
		if c, ok := l.(*record.Call); ok {
			times[c.N]++
		}
	}
	for n := range stored {
		if times[n] != 1 {
			t.Errorf("line %d is stored, and %d times in the record", n, times[n])
		}
	}
	t.Logf("%d lines stored, %d in the record, %d attempts", len(stored), len(times), len(r.Attempts))
}

// TestAWriterThatCouldNotCloseIsNotUnderWay has an engine that is away for longer than a
// process may be silent.
func TestAWriterThatCouldNotCloseIsNotUnderWay(t *testing.T) {
	t.Parallel()
	engine := clustertest.NewEngine(t, 1)
	c := connect(t, Options{URL: engine.URL(), AckWait: time.Second})
	s := c.Store(nil)
	w := begin(t, s)
	engine.Stop()
	add(t, w, effect(1))
	if err := errors.Join(w.Sync(), w.Close()); err == nil {
		t.Fatal("it is stored nowhere")
	}
	engine.Start()
	other := connect(t, Options{URL: engine.URL(), AckWait: time.Second})
	eventually(t, "it is not under way", func() bool { return status(t, other.Store(nil), w.ID()) == record.Died })
	eventually(t, "its process lives", func() bool {
		is, err := other.alive(t.Context(), c.id)
		return is && err == nil
	})
	again := begin(t, s) // which goes on working
	must(t, again.Close())
}

// TestARunCostsThreeRequests counts what this process asks of the engine.
func TestARunCostsThreeRequests(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	s := a.Store(nil)
	least := uint64(1000)
	for n := range 10 { // a run in 64 prunes, and now and then the process says that it is alive
		before := a.conn.Stats().OutMsgs
		w, err := s.Begin(&record.Begin{Request: fmt.Sprint(n)})
		must(t, err)
		add(t, w, &record.Call{N: 1, Tool: "a.b", Args: record.Raw([]byte("{}"))}, &record.Done{N: 1, Kind: record.Answered},
			&record.End{Status: "ok"})
		must(t, w.Close())
		least = min(least, a.conn.Stats().OutMsgs-before)
	}
	if least != 3 {
		t.Errorf("a run makes %d requests, not one for what it is a run of, one to begin and one to end", least)
	}
}

func TestProcessesAreAliveUntilTheyClose(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	must(t, begin(t, a.Store(nil)).Close())
	if is, err := b.alive(t.Context(), a.id); err != nil || !is {
		t.Errorf("it lives: %v, %v", is, err)
	}
	must(t, a.Close())
	if is, err := b.alive(t.Context(), a.id); err != nil || is {
		t.Errorf("it was closed: %v, %v", is, err)
	}
}

// TestReadsAreAtTheLeader holds what all that decides by a read depends on.
func TestReadsAreAtTheLeader(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connect(t, Options{URL: url})
	for _, s := range []jetstream.Stream{c.queue, c.records, c.state, c.kept, c.audit} {
		if cfg := s.CachedInfo().Config; cfg.AllowDirect {
			t.Errorf("%s has direct gets", cfg.Name)
		}
	}
	cfg := c.records.CachedInfo().Config
	cfg.AllowDirect = true
	_, err := c.js.UpdateStream(t.Context(), cfg)
	must(t, err)
	if _, err := Connect(t.Context(), &Options{URL: url}); err == nil || !strings.Contains(err.Error(), "allow_direct") {
		t.Errorf("connected to a stream with direct gets: %v", err)
	}
}

func TestClaimsAndRequestsAreForgotten(t *testing.T) {
	t.Parallel()
	a, _ := two(t)
	first, err := a.Store(nil).Once("a token", time.Now().Add(time.Hour))
	if err != nil || !first {
		t.Fatal(first, err)
	}
	must(t, a.Backing().Notes().Note("a request", "0123456789"))
	for subject, want := range map[string][2]time.Duration{
		stateSubjects + "once.*": {2*time.Hour - time.Minute, 2*time.Hour + time.Minute},
		stateSubjects + "req.*":  {store.RequestsKnown, store.RequestsKnown},
	} {
		m, err := a.last(t.Context(), a.state, subject)
		must(t, err)
		if ttl, err := time.ParseDuration(m.Header.Get(jetstream.MsgTTLHeader)); err != nil || ttl < want[0] || ttl > want[1] {
			t.Errorf("%s is forgotten after %s, %v", subject, ttl, err)
		}
	}
}

func TestSecretsOfTheURLAreNotShown(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"nats://ann:pass@h:4222, tls://tok@i?x=y,j:1": "nats://h:4222,tls://i,j:1",
		"nats://a:p@b@h": "nats://h",
	} {
		if got := plainURL(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// A bound that the whole stream is below is looked at once; another one removes the oldest
// runs that have ended.
func TestRecordsArePrunedByTheirSize(t *testing.T) {
	t.Parallel()
	a, b := two(t)
	for range 3 {
		w, err := a.Store(nil).Begin(&record.Begin{Script: record.String("package main\n")})
		must(t, err)
		must(t, errors.Join(w.Add(&record.End{Status: "ok"}), w.Close()))
	}
	b.Backing()
	most, err := b.backing.Most()
	must(t, err)
	for _, c := range []struct {
		bytes int64
		want  int
	}{{most, 3}, {1, 0}} {
		must(t, b.Store(&store.StoreOptions{Bytes: c.bytes}).Prune())
		if names, err := b.Backing().Names(); err != nil || len(names) != c.want {
			t.Errorf("with %d bytes: %q, %v", c.bytes, names, err)
		}
	}
}
