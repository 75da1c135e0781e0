package serve

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
)

// fronts are two instances of a cluster, each with a client that takes tasks, and with
// records and values in the engine; runners are started by run.
type fronts struct {
	url       string
	one, two  *tasker
	store     *record.Store // of a third process
	f         *fake         // what scripts call
	connected func() *cluster.Cluster
}

func twoFronts(t *testing.T, o *Options) *fronts {
	t.Helper()
	s := &fronts{url: clustertest.Server(t), f: newFake()}
	s.connected = func() *cluster.Cluster {
		t.Helper()
		c, err := cluster.Connect(t.Context(), &cluster.Options{URL: s.url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	s.store = s.connected().Store(nil)
	front := func() *tasker {
		c := s.connected()
		opts := *o
		opts.Records, opts.Kept, opts.TaskAfter, opts.Grace, opts.BestEffort = c.Store(nil), c.Kept(), 1, -1, true
		opts.Catalog = func(context.Context) (*harness.Catalog, error) {
			return &harness.Catalog{Registry: testRegistry(), Calls: s.f}, nil
		}
		f, err := c.Front(&cluster.FrontOptions{Records: opts.Records, Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		opts.Elsewhere = f
		server, err := New(&opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(server.Close(), f.Close()); err != nil {
				t.Error(err)
			}
		})
		return taking(t, server, "http://"+listenAlone(t, server, &HTTP{Stateless: true})+"/mcp", "", &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return nil, errors.New("it is asked in tasks alone")
			}})
	}
	s.one, s.two = front(), front()
	return s
}

// run starts a runner with one place.
func (s *fronts) run(t *testing.T) {
	t.Helper()
	c := s.connected()
	store := c.Store(nil)
	h := harness.New(&harness.Options{Records: store, BestEffort: true, Version: "test"})
	cat := &harness.Catalog{Registry: testRegistry(), Calls: s.f}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- c.Serve(ctx, &cluster.RunnerOptions{Harness: h, Records: store, MaxRuns: 1,
			Catalog: func(context.Context) (*harness.Catalog, func(), error) { return cat, func() {}, nil }})
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(receive(t, done), h.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Each instance says of a task what the one says that made it: while it runs, when it
// has ended, and with the answer that its request would have got.
func TestAnyInstanceTellsOfATask(t *testing.T) {
	s := twoFronts(t, &Options{Answer: 600})
	s.run(t)
	scripts := map[string]string{"ok": waiting, "fails": waiting + "\npanic(7)", "large": strings.Replace(waiting,
		`Return("done")`, `Return(strings.Repeat("large ", 1000))`, 1)}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			id := s.one.begins(script)
			receive(t, s.f.blocked)
			if got, err := s.two.get(id); err != nil || got.Status != taskWorking {
				t.Errorf("%v, %v", got.Status, err)
			}
			s.f.release <- struct{}{}
			here, there := answerOf(t, s.one.becomes(id, taskCompleted)), answerOf(t, s.two.becomes(id, taskCompleted))
			if here.IsError != (name == "fails") || !strings.Contains(textOf(here), "waited true") {
				t.Errorf("%+v", here)
			}
			a, b := structured(t, here), structured(t, there)
			if name == "large" { // each has kept the value, by a handle of its own
				handles := []string{a.Cut["value"].Stored, b.Cut["value"].Stored}
				for i, c := range []*tasker{s.two, s.one} {
					read := s.one.begins(`var v string; if err := Stored("` + handles[i] + `", &v); err != nil { panic(err) }; Return(len(v))`)
					if got := textOf(answerOf(t, c.becomes(read, taskCompleted))); got != "6000\n" {
						t.Errorf("what one has kept is read by another as %q", got)
					}
				}
				return
			}
			if d := cmp.Diff(textOf(here), textOf(there)); d != "" || here.IsError != there.IsError || a.Run != b.Run || a.Status != b.Status {
				t.Errorf("%+v and %+v: %s", a, b, d)
			}
		})
	}
}

// A task that runs is canceled at any instance, and one that waits, too.
func TestAnyInstanceCancelsATask(t *testing.T) {
	s := twoFronts(t, &Options{Policy: asksForWrites})
	s.run(t)
	id := s.one.begins(waiting)
	receive(t, s.f.blocked)
	s.two.cancel(id)
	receive(t, s.f.canceled)
	s.one.becomes(id, taskCancelled)
	s.two.becomes(id, taskCancelled)

	id = s.one.begins(deleting)
	s.two.becomes(id, taskInput)
	s.two.cancel(id)
	s.one.becomes(id, taskCancelled)
	s.two.becomes(id, taskCancelled)
	s.two.cancel(id) // which changes nothing
	s.two.becomes(id, taskCancelled)
}

// What a task waits for is answered at any instance, and it goes on at a runner; while
// that has no place it waits for its turn.
func TestAnyInstanceTakesTheAnswersOfATask(t *testing.T) {
	s := twoFronts(t, &Options{Policy: asksForWrites})
	s.run(t)
	id := s.one.begins(deleting)
	asked := s.two.becomes(id, taskInput).InputRequests
	blocks := s.two.begins(waiting)
	receive(t, s.f.blocked)
	answers := mcp.InputResponseMap{}
	for key := range asked {
		answers[key] = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
	}
	if len(answers) == 0 {
		t.Fatal("nobody is asked")
	}
	s.two.update(id, answers)
	for _, c := range []*tasker{s.one, s.two} {
		if got, err := c.get(id); err != nil || got.Status != taskWorking {
			t.Errorf("%+v, %v", got, err)
		}
	}
	s.f.release <- struct{}{}
	s.one.becomes(blocks, taskCompleted)
	for _, c := range []*tasker{s.one, s.two} {
		if got := textOf(answerOf(t, c.becomes(id, taskCompleted))); !strings.Contains(got, "deleted") {
			t.Error(got)
		}
	}
}

// A run whose runner is gone has ended for any instance: with an error that says what
// may have become of it.
func TestAnyInstanceSaysThatATaskIsLost(t *testing.T) {
	s := twoFronts(t, &Options{})
	b := &record.Begin{Script: record.String("Return(1)")}
	w, err := s.store.Begin(b)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mac, err := s.store.MAC("task/1", b.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	id := b.ID + "-" + hex.EncodeToString(mac[:8])
	s.two.becomes(id, taskWorking)
	h := harness.New(&harness.Options{Records: s.store, BestEffort: true})
	defer h.Close()
	if _, err := h.Lose(b.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*tasker{s.one, s.two} {
		res := answerOf(t, c.becomes(id, taskCompleted))
		if a := structured(t, res); !res.IsError || a.Status != harness.Lost || !strings.Contains(textOf(res), "it was not run again") {
			t.Errorf("%+v: %s", a, textOf(res))
		}
	}
}
