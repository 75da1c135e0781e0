package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
)

const (
	waits = "UseTools(\"wait for a delivery\")\n_, err := shop.Wait()\nfmt.Println(err)"
	buys  = "UseTools(\"order an item\", \"wait for a delivery\")\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})\nshop.Wait()\nReturn(1)"
	short = 2 * time.Second // an AckWait
)

type ran struct {
	res *outcome.Result
	err error
}

// sends runs a script in the background.
func sends(ctx context.Context, h *harness.Harness, s *harness.Script) <-chan ran {
	out := make(chan ran, 1)
	go func() {
		res, err := h.Run(ctx, s)
		out <- ran{res, err}
	}()
	return out
}

// begun receives the ID of a script's run when its job is in the queue.
func begun(s *harness.Script) <-chan string {
	ids := make(chan string, 1)
	s.OnProgress = func(p record.Progress) {
		if b := p.Begin; b != nil {
			ids <- b.ID
		}
	}
	return ids
}

func TestARunIsCanceled(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connected(t, url, cluster.Options{})
	f, h := fronting(t, c, cluster.FrontOptions{})
	other, _ := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	store := c.Store(nil)
	shop := newSeller()
	all, served := t, false
	for _, queued := range []bool{true, false} { // at first there is no runner
		for _, by := range []string{"its client", "its front end", "another one"} {
			t.Run(fmt.Sprintf("queued %t, by %s", queued, by), func(t *testing.T) {
				if !queued && !served {
					serving(all, connected(all, url, cluster.Options{}), shop, cluster.RunnerOptions{})
					served = true
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := &harness.Script{Source: waits}
				ids := begun(s)
				out := sends(ctx, h, s)
				id := receive(t, ids)
				if !queued {
					receive(t, shop.begun)
				}
				switch by {
				case "its client":
					cancel()
				case "its front end":
					if ok, err := f.Cancel(t.Context(), id); !ok || err != nil {
						t.Fatal(ok, err)
					}
				default:
					if ok, err := other.Cancel(t.Context(), id); !ok || err != nil {
						t.Fatal(ok, err)
					}
				}
				got := receive(t, out)
				if got.err != nil || got.res.Status != outcome.Canceled || got.res.Run != id {
					t.Fatalf("%+v, %v", got.res, got.err)
				}
				if !queued {
					receive(t, shop.canceled)
				}
				run, err := store.Load(id)
				if err != nil || run.End == nil || run.End.Status != string(outcome.Canceled) {
					t.Errorf("its record: %+v, %v", run, err)
				}
				if ok, err := f.Cancel(t.Context(), id); ok || err != nil {
					t.Errorf("canceled again: %t, %v", ok, err)
				}
			})
		}
	}
}

func TestAFullQueueIsBusy(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	_, h := fronting(t, connected(t, url, cluster.Options{Queue: 2}), cluster.FrontOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	var outs []<-chan ran
	for i := range 2 {
		s := &harness.Script{Source: fmt.Sprintf("Return(%d)", i)}
		ids := begun(s)
		outs = append(outs, sends(ctx, h, s))
		receive(t, ids)
	}
	_, err := h.Run(t.Context(), &harness.Script{Source: "Return(3)"})
	var busy *guard.BusyError
	if !errors.As(err, &busy) || busy.RetryAfter <= 0 {
		t.Errorf("%v", err)
	}
	cancel()
	for _, out := range outs {
		if got := receive(t, out); got.err != nil || got.res.Status != outcome.Canceled {
			t.Errorf("%+v, %v", got.res, got.err)
		}
	}
}

func TestAScriptThatNobodyTakesIsSentBack(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connected(t, url, cluster.Options{})
	_, h := fronting(t, c, cluster.FrontOptions{Wait: time.Millisecond})
	s := &harness.Script{Source: "Return(1)"}
	ids := begun(s)
	_, err := h.Run(t.Context(), s)
	var busy *guard.BusyError
	if !errors.As(err, &busy) {
		t.Errorf("%v", err)
	}
	run, err := c.Store(nil).Load(receive(t, ids)) // nobody begins it later
	if err != nil || run.End == nil || run.End.Status != string(outcome.Canceled) {
		t.Errorf("%+v, %v", run, err)
	}
	info, err := c.RecordLines().Info(t.Context(), jetstream.WithSubjectFilter(cluster.Prefix+"rec.*."+run.Begin.ID))
	if err != nil || len(info.State.Subjects) != 1 || slices.Max(slices.Collect(maps.Values(info.State.Subjects))) != 1 {
		t.Errorf("its end is not in the message that begins it: %v, %v", info.State.Subjects, err)
	}
	if j, _, err := c.Queued(t.Context(), run.Begin.ID); j != nil || err != nil {
		t.Errorf("it is in the queue: %+v, %v", j, err)
	}
}

// A run whose runner dies is lost, told by another runner, or by the front end where there
// is none; nothing that it did is done again.
func TestARunIsLostWithItsRunner(t *testing.T) {
	t.Parallel()
	for _, another := range []bool{true, false} {
		t.Run(fmt.Sprintf("another runner %t", another), func(t *testing.T) {
			t.Parallel()
			url := clustertest.Server(t)
			c := connected(t, url, cluster.Options{AckWait: short})
			_, h := fronting(t, c, cluster.FrontOptions{})
			dies := connected(t, url, cluster.Options{AckWait: short})
			first, second := newSeller(), newSeller()
			serving(t, dies, first, cluster.RunnerOptions{})
			out := sends(t.Context(), h, &harness.Script{Source: buys})
			receive(t, first.begun)
			dies.Conn().Close()
			if another {
				serving(t, connected(t, url, cluster.Options{AckWait: short}), second, cluster.RunnerOptions{RerunReads: true})
			}
			got := receive(t, out)
			if got.err != nil || got.res.Status != outcome.Lost || first.orders() != 1 || second.orders() != 0 {
				t.Fatalf("%d and %d orders: %+v, %v", first.orders(), second.orders(), got.res, got.err)
			}
			run, err := c.Store(nil).Load(got.res.Run)
			if err != nil || run.End == nil || run.End.Status != string(outcome.Lost) || run.Running || len(run.Calls) == 0 {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
}

// One that had only read goes on at another runner, where that is told to.
func TestReadsGoOnElsewhere(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	_, h := fronting(t, connected(t, url, cluster.Options{AckWait: short}), cluster.FrontOptions{})
	dies := connected(t, url, cluster.Options{AckWait: short})
	first, second := newSeller(), newSeller()
	close(second.release)
	serving(t, dies, first, cluster.RunnerOptions{})
	out := sends(t.Context(), h, &harness.Script{Source: waits})
	receive(t, first.begun)
	dies.Conn().Close()
	serving(t, connected(t, url, cluster.Options{AckWait: short}), second, cluster.RunnerOptions{RerunReads: true})
	if got := receive(t, out); got.err != nil || got.res.Status != outcome.OK || got.res.Stdout != "<nil>\n" || got.res.Attempts != 2 {
		t.Fatalf("%+v, %v", got.res, got.err)
	}
}

// Who sends again what a front end took along gets the first run's answer: while it waits
// for a runner, while it runs, and when it has ended.
func TestARequestOutlivesItsFrontEnd(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"queued", "running", "ended"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			url := clustertest.Server(t)
			dies := connected(t, url, cluster.Options{})
			f, err := dies.Front(&cluster.FrontOptions{Records: dies.Store(nil)})
			if err != nil {
				t.Fatal(err)
			}
			s := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}
			ids := begun(s)
			go f.Run(t.Context(), s)
			id := receive(t, ids)
			shop := newSeller()
			if when != "queued" {
				serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
				receive(t, shop.begun)
			}
			dies.Conn().Close()
			c := connected(t, url, cluster.Options{})
			store := c.Store(nil)
			answers, h := fronting(t, c, cluster.FrontOptions{})
			if when == "ended" {
				close(shop.release)
				eventually(t, "the run has ended", func() bool {
					run, err := store.Load(id)
					return err == nil && run.End != nil && !run.Running
				})
			}
			out := make(chan ran, 1)
			go func() {
				res, err := h.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
				out <- ran{res, err}
			}()
			if when == "queued" {
				serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
				receive(t, shop.begun)
			}
			if when != "ended" {
				close(shop.release)
			}
			got := receive(t, out)
			if got.err != nil || got.res == nil || got.res.Run != id || got.res.Status != outcome.OK || shop.orders() != 1 {
				t.Fatalf("%d orders: %+v, %v", shop.orders(), got.res, got.err)
			}
			// A front end that dies before its client has the answer has not answered: only
			// after a while, or when it ends in order, it says that it has.
			_, other := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
			again, err := other.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
			if err != nil || again == nil || again.Run != id {
				t.Errorf("not answered, although nobody may have the answer: %+v, %v", again, err)
			}
			if err := answers.Close(); err != nil {
				t.Fatal(err)
			}
			again, err = other.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
			if again != nil || err != nil {
				t.Errorf("answered once more: %+v, %v", again, err)
			}
		})
	}
}

// A front end that dies before the queue has its job has noted the request: who is sent the
// same request keeps that job from beginning, however late it comes, and begins its own.
func TestAJobUnderWayToTheQueueDoesNotBeginTwice(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	dies := connected(t, url, cluster.Options{})
	f, err := dies.Front(&cluster.FrontOptions{Records: dies.Store(nil)})
	if err != nil {
		t.Fatal(err)
	}
	s := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann", Request: harness.Request{Run: store.NewName(time.Now())}}}
	_, id, _ := store.ParseName(s.Origin.Request.Run)
	j := cluster.NewJob(t.Context(), cluster.KindRun, id, s)
	j.Name, j.Front, j.Pool, j.Until = s.Origin.Request.Run, dies.ID(), cluster.DefaultPool, time.Now().Add(time.Minute)
	j.Request = f.RequestDigest(s)
	defer f.Expect(t.Context(), id)()
	must(t, f.Note(t.Context(), j, &harness.Seen{}))

	c := connected(t, url, cluster.Options{})
	_, h := fronting(t, c, cluster.FrontOptions{})
	early := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}} // while a client waits at that front end it is another request
	if res, err := h.Rejoin(t.Context(), early); res != nil || err != nil || early.Origin.Request.Seen.Run != id {
		t.Fatalf("%+v, %v, %+v", res, err, early.Origin.Request.Seen)
	}
	dies.Conn().Close()
	late := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}
	if res, err := h.Rejoin(t.Context(), late); res != nil || err != nil || late.Origin.Request.Seen.Run != id {
		t.Fatalf("%+v, %v, %+v", res, err, late.Origin.Request.Seen)
	}
	must(t, c.Enqueue(t.Context(), j, "late"))
	shop := newSeller()
	close(shop.release)
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	late.Origin.Request.Seen.At = time.Now()
	res, err := h.Run(t.Context(), late)
	if err != nil || res.Status != outcome.OK || res.Run == id || shop.orders() != 1 {
		t.Fatalf("%d orders: %+v, %v", shop.orders(), res, err)
	}
	run, err := c.Store(nil).Load(id)
	if err != nil || run.End == nil || run.End.Status != string(outcome.Canceled) || len(run.Calls) > 0 {
		t.Errorf("%+v, %v", run, err)
	}
	// What was seen before that is too old to begin with.
	early.Origin.Request.Seen.At = time.Now()
	if _, err := h.Run(t.Context(), early); !errors.Is(err, harness.ErrSentAgain) {
		t.Errorf("%v", err)
	}
	early.Origin.Request.Seen.At = time.Now().Add(-time.Minute)
	var busy *guard.BusyError
	if _, err := h.Run(t.Context(), early); errors.Is(err, harness.ErrSentAgain) || !errors.As(err, &busy) {
		t.Errorf("%v", err)
	}
	if res, err := h.Rejoin(t.Context(), early); res != nil || err != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	early.Origin.Request.Seen.At = time.Now()
	if res, err := h.Run(t.Context(), early); err != nil || res.Status != outcome.OK || shop.orders() != 2 {
		t.Errorf("%d orders: %+v, %v", shop.orders(), res, err)
	}
}

// Who closes the stream at one front end and sends the request to another one at once gets
// the first run, which is canceled meanwhile and goes on.
func TestARequestIsSentToAnotherFrontEndAtOnce(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	_, first := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	_, second := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	shop := newSeller()
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	s := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}
	ids := begun(s)
	out := sends(ctx, first, s)
	id := receive(t, ids)
	receive(t, shop.begun)
	cancel()
	go func() {
		<-shop.canceled
		close(shop.release)
	}()
	res, err := second.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
	if err != nil || res == nil || res.Run != id || res.Status != outcome.OK || shop.orders() != 1 {
		t.Errorf("%d orders: %+v, %v", shop.orders(), res, err)
	}
	if got := receive(t, out); got.err != nil || got.res.Status != outcome.Canceled || got.res.Run != id {
		t.Errorf("%+v, %v", got.res, got.err)
	}
}

// Of several runs of a request the one is waited for that nobody else waits for.
func TestTheRunThatNobodyWaitsForIsJoined(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	dies := connected(t, url, cluster.Options{})
	gone, err := dies.Front(&cluster.FrontOptions{Records: dies.Store(nil)})
	if err != nil {
		t.Fatal(err)
	}
	first := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}
	ids := begun(first)
	go gone.Run(t.Context(), first)
	id := receive(t, ids)
	waits, other := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	second := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}
	if res, err := other.Rejoin(t.Context(), second); res != nil || err != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	ids = begun(second)
	out := sends(t.Context(), other, second)
	receive(t, ids)
	dies.Conn().Close()
	joins := make(chan ran, 1)
	go func() {
		res, err := other.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
		joins <- ran{res, err}
	}()
	waiting := func() bool { return waits.Waits(id) }
	eventually(t, "somebody waits for run "+id, func() bool { return waiting() || len(joins) > 0 })
	if len(joins) > 0 {
		t.Fatalf("nobody waits for run %s", id)
	}
	shop := newSeller()
	close(shop.release)
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	if got := receive(t, out); got.err != nil || got.res.Run == id {
		t.Errorf("%+v, %v", got.res, got.err)
	}
	if got := receive(t, joins); got.err != nil || got.res == nil || got.res.Run != id || shop.orders() != 2 {
		t.Errorf("%d orders, want run %s: %+v, %v", shop.orders(), id, got.res, got.err)
	}
}

// While the engine is away nothing is known to have been sent: a client is told that nothing
// has run, and later nothing runs.
func TestWithoutTheEngineNothingHasRun(t *testing.T) {
	t.Parallel()
	s := clustertest.Servers(t, 1)[0]
	c := connected(t, s.ClientURL(), cluster.Options{AckWait: time.Hour}) // no test waits for it
	_, h := fronting(t, c, cluster.FrontOptions{})
	away := c.Conn().StatusChanged(nats.RECONNECTING)
	s.Shutdown()
	s.WaitForShutdown()
	receive(t, away)
	c.SetAway(time.Now().Add(-cluster.AwayFor))
	var busy *guard.BusyError
	if _, err := h.Run(t.Context(), &harness.Script{Source: "Return(1)"}); !errors.As(err, &busy) ||
		!strings.Contains(err.Error(), "the cluster cannot be reached; nothing has run") {
		t.Errorf("%v", err)
	}
	if _, err := h.Rejoin(t.Context(), &harness.Script{Source: "Return(1)"}); !errors.As(err, &busy) {
		t.Errorf("looking for the same request: %v", err)
	}
	big := &harness.Script{Source: "Return(1) // " + strings.Repeat("x", 2*cluster.Part)}
	if _, err := h.Run(t.Context(), big); !errors.As(err, &busy) {
		t.Errorf("a large script: %v", err)
	}
}
