package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/recordtest"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
)

// What fails, what the caller gets, and the test that holds it. In each, what changes
// something is done once at most, and the record has an end.
//
//	the queue is full              busy                     TestAFullQueueIsBusy
//	no runner takes it             busy                     TestAScriptThatNobodyTakesIsSentBack
//	queueing is not confirmed      busy; it never begins    TestAJobThatWasNotConfirmedDoesNotBegin
//	  nor that it is taken back    the run's ID, its answer TestAJobOfWhichNothingIsKnownIsNotRunTwice
//	a runner dies before it began  another one's answer     TestAJobThatHasNotBegunGoesToAnotherRunner
//	a runner dies                  lost                     TestARunIsLostWithItsRunner
//	  while it has only read       another one's answer     TestReadsGoOnElsewhere, where told to
//	a runner hangs                 lost; no effect later    TestARunnerThatHangs of cmd/harness
//	a runner is cut off            lost; no effect later    TestARunnerThatIsCutOff
//	  without another one          lost, or canceled by it  the same
//	a front end dies               the first run's answer   TestARequestOutlivesItsFrontEnd
//	  on the way to the queue      a run of its own         TestAJobUnderWayToTheQueueDoesNotBeginTwice
//	a front end hangs              the first run's answer   TestAFrontEndThatHangs of cmd/harness
//	a front end is cut off         the first run's answer   TestAFrontEndThatIsCutOff
//	a client closes its stream     canceled                 TestARunIsCanceled
//	a client sends it again        the first run's answer   TestARequestOutlivesItsFrontEnd
//	  to go on with a run          of the one that goes on  TestARunGoesOnOnce
//	                                                        TestARunThatIsAboutToGoOnIsNotBegunAgain
//	one server of three dies       its answer               TestRunsOutliveTheEngine
//	all servers start again        its answer               TestRunsOutliveTheEngine
//	no server is reached           lost, or canceled        TestAScriptEndsWithoutTheEngine
//	  by a new script              busy                     TestWithoutTheEngineNothingHasRun
//
// All of these at random: TestAKilledClusterLosesNothing of cmd/harness.

// ended is the record of a run, which has ended with a status, once.
func ended(t *testing.T, c *cluster.Cluster, id string, status outcome.Status) *record.Run {
	t.Helper()
	var run *record.Run
	var err error
	eventually(t, "run "+id+" is written by no process", func() bool { // one that was cut off says so once it is back
		run, err = c.Store(nil).Load(id)
		return err != nil || !run.Running
	})
	if err != nil || run.End == nil || run.End.Status != string(status) || run.Damaged != nil {
		t.Fatalf("its record: %+v, %v", run, err)
	}
	for _, l := range run.Lines[:len(run.Lines)-1] {
		if end, ok := l.(*record.End); ok {
			t.Errorf("it has ended before: %+v", end)
		}
	}
	return run
}

func TestAJobThatHasNotBegunGoesToAnotherRunner(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connected(t, url, cluster.Options{AckWait: short})
	_, h := fronting(t, c, cluster.FrontOptions{})
	dies := connected(t, url, cluster.Options{AckWait: short})
	first, second := newSeller(), newSeller()
	close(second.release)
	taken := make(chan struct{}, 1)
	serving(t, dies, first, cluster.RunnerOptions{Catalog: func(ctx context.Context) (*catalog.Catalog, func(), error) {
		taken <- struct{}{}
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}})
	out := sends(t.Context(), h, &harness.Script{Source: buys})
	receive(t, taken)
	dies.Conn().Close()
	serving(t, connected(t, url, cluster.Options{AckWait: short}), second, cluster.RunnerOptions{})
	got := receive(t, out)
	if got.err != nil || got.res.Status != outcome.OK || first.orders() != 0 || second.orders() != 1 {
		t.Fatalf("%d and %d orders: %+v, %v", first.orders(), second.orders(), got.res, got.err)
	}
	if run := ended(t, c, got.res.Run, outcome.OK); len(run.Attempts) > 0 {
		t.Errorf("it went on: %+v", run.Attempts)
	}
}

const (
	buysTwo   = buys + "\n_, _ = shop.Buy(shop.BuyParams{Item: \"bolt\"})"
	buysLater = "UseTools(\"order an item\", \"wait for a delivery\")\nshop.Wait()\n_, _ = shop.Buy(shop.BuyParams{Item: \"nut\"})"
)

// logged tells when a logger has said something.
type logged struct {
	what string
	once sync.Once
	now  chan struct{}
}

func (s *logged) Write(line []byte) (int, error) {
	if strings.Contains(string(line), s.what) {
		s.once.Do(func() { close(s.now) })
	}
	return len(line), nil
}

// A runner that is cut off for longer than it may be silent ends its script, and what it
// says later changes nothing.
func TestARunnerThatIsCutOff(t *testing.T) {
	t.Parallel()
	for _, until := range []string{"another one has told that it is lost", "its script is ended", "the end could not be stored"} {
		t.Run("until "+until, func(t *testing.T) {
			t.Parallel()
			url := clustertest.Server(t)
			c := connected(t, url, cluster.Options{AckWait: short})
			_, h := fronting(t, c, cluster.FrontOptions{})
			link := clustertest.NewLink(t, url)
			unwritten := &logged{what: "the end of a run was not recorded", now: make(chan struct{})}
			own := connected(t, link.URL(), cluster.Options{AckWait: short, Log: slog.New(slog.NewTextHandler(unwritten, nil))})
			first, second := newSeller(), newSeller()
			stop := serving(t, own, first, cluster.RunnerOptions{})
			out := sends(t.Context(), h, &harness.Script{Source: buysTwo})
			receive(t, first.begun)
			link.Cut()
			another := strings.HasPrefix(until, "another")
			if another {
				serving(t, connected(t, url, cluster.Options{AckWait: short}), second, cluster.RunnerOptions{})
			} else {
				receive(t, first.canceled)
			}
			if strings.HasPrefix(until, "the end") {
				receive(t, unwritten.now)
			}
			if !another {
				link.Mend()
			}
			got := receive(t, out)
			// One that is back soon may yet tell itself that it has ended the script.
			if got.err != nil || got.res.Status != outcome.Lost && (got.res.Status != outcome.Canceled || until != "its script is ended") {
				t.Fatalf("%+v, %v", got.res, got.err)
			}
			if another {
				receive(t, first.canceled)
				link.Mend()
			}
			before := ended(t, c, got.res.Run, got.res.Status)
			stop() // it has said all that it has to say
			after := ended(t, c, got.res.Run, got.res.Status)
			if len(after.Lines) != len(before.Lines) || first.orders() != 1 || second.orders() != 0 {
				t.Errorf("%d and %d orders, %d lines, then %d", first.orders(), second.orders(), len(before.Lines), len(after.Lines))
			}
		})
	}
}

// A front end that is cut off, and whose client sends its request to another one: both
// give the answer of one run.
func TestAFrontEndThatIsCutOff(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	link := clustertest.NewLink(t, url)
	_, cut := fronting(t, connected(t, link.URL(), cluster.Options{}), cluster.FrontOptions{})
	c := connected(t, url, cluster.Options{})
	_, other := fronting(t, c, cluster.FrontOptions{})
	shop := newSeller()
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	out := sends(t.Context(), cut, &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
	receive(t, shop.begun)
	link.Cut()
	again := make(chan ran, 1)
	go func() {
		res, err := other.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
		again <- ran{res, err}
	}()
	close(shop.release)
	got := receive(t, again)
	if got.err != nil || got.res == nil || got.res.Status != outcome.OK {
		t.Fatalf("%+v, %v", got.res, got.err)
	}
	link.Mend()
	if late := receive(t, out); late.err != nil || late.res.Run != got.res.Run || late.res.Status != outcome.OK {
		t.Errorf("%+v, %v", late.res, late.err)
	}
	if shop.orders() != 1 {
		t.Errorf("%d orders", shop.orders())
	}
	ended(t, c, got.res.Run, outcome.OK)
}

// A job of which the queue says nothing in time does not begin, though the queue has it.
func TestAJobThatWasNotConfirmedDoesNotBegin(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	link := clustertest.NewLink(t, url)
	c := connected(t, link.URL(), cluster.Options{AckWait: short})
	f, err := c.Front(&cluster.FrontOptions{Records: store.On(recordtest.Through(c.Backing(), func(step string, do func() error) error {
		if step == "create" { // of the record that says so
			link.Mend()
		}
		return do()
	}), "", nil)})
	must(t, err)
	t.Cleanup(func() { f.Close() })
	name := store.NewName(time.Now())
	_, id, _ := store.ParseName(name)
	s := &harness.Script{Source: buys, Origin: harness.Origin{Request: harness.Request{Run: name}}}
	j := cluster.NewJob(t.Context(), cluster.KindRun, id, s)
	j.Name, j.Pool, j.Front, j.Until = name, cluster.DefaultPool, c.ID(), time.Now().Add(time.Minute)
	link.Cut()
	err = f.Enqueue(t.Context(), j)
	var busy *guard.BusyError
	if !errors.As(err, &busy) || !strings.Contains(err.Error(), "nothing has run") {
		t.Fatalf("%v", err)
	}
	there := connected(t, url, cluster.Options{})
	eventually(t, "its job is in the queue", func() bool { // it arrives beside the record
		j, _, err := there.Queued(t.Context(), id)
		return j != nil && err == nil
	})
	shop := newSeller()
	serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{})
	eventually(t, "its job is done", func() bool {
		j, _, err := there.Queued(t.Context(), id)
		return j == nil && err == nil
	})
	if run := ended(t, there, id, outcome.Canceled); shop.orders() != 0 || len(run.Calls) != 0 {
		t.Errorf("%d orders: %+v", shop.orders(), run.Calls)
	}
}

// A job of which the queue says nothing in time is waited for if a runner has begun it: its
// client must not be told to send it again.
func TestAJobThatWasNotConfirmedAndHasBegunIsWaitedFor(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	link := clustertest.NewLink(t, url)
	c, there := connected(t, link.URL(), cluster.Options{AckWait: short}), connected(t, url, cluster.Options{})
	name := store.NewName(time.Now())
	f, err := c.Front(&cluster.FrontOptions{Records: store.On(recordtest.Through(c.Backing(), func(step string, do func() error) error {
		if step == "create" {
			w, err := there.Backing().Create(name)
			must(t, err)
			_, err = w.Write([]byte("{}\n"))
			must(t, errors.Join(err, w.Publish()))
			link.Mend()
		}
		return do()
	}), "", nil)})
	must(t, err)
	t.Cleanup(func() { f.Close() })
	_, id, _ := store.ParseName(name)
	s := &harness.Script{Source: buys, Origin: harness.Origin{Request: harness.Request{Run: name}}}
	j := cluster.NewJob(t.Context(), cluster.KindRun, id, s)
	j.Name, j.Pool, j.Front, j.Until = name, cluster.DefaultPool, c.ID(), time.Now().Add(time.Minute)
	link.Cut()
	must(t, f.Enqueue(t.Context(), j))
}

// A front end that is cut off after it queued a job, so that it can neither confirm nor
// withdraw it, names the run to its client. If the client sends the same script again, it
// gets that run, at the same front end and at another one.
func TestAJobOfWhichNothingIsKnownIsNotRunTwice(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"queued", "running", "ended"} {
		for _, same := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, same front end %t", when, same), func(t *testing.T) {
				t.Parallel()
				url := clustertest.Server(t)
				link := clustertest.NewLink(t, url)
				c, there := connected(t, link.URL(), cluster.Options{AckWait: short}), connected(t, url, cluster.Options{AckWait: short})
				records := store.On(recordtest.Through(c.Backing(), func(step string, do func() error) error {
					if step == "create" { // of the record of the withdrawal
						return context.DeadlineExceeded
					}
					return do()
				}), "", nil)
				f, err := c.Front(&cluster.FrontOptions{Records: records})
				must(t, err)
				t.Cleanup(func() { f.Close() })
				name := store.NewName(time.Now())
				_, id, _ := store.ParseName(name)
				s := &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann", Request: harness.Request{Run: name}}}
				j := cluster.NewJob(t.Context(), cluster.KindRun, id, s)
				j.Name, j.Pool, j.Front, j.Until = name, cluster.DefaultPool, c.ID(), time.Now().Add(time.Minute)
				j.Request = f.RequestDigest(s)
				must(t, f.Note(t.Context(), j, &harness.Seen{}))
				link.Cut()
				if err := f.Enqueue(t.Context(), j); err == nil || errors.As(err, new(*guard.BusyError)) || !strings.Contains(err.Error(), id) {
					t.Fatalf("%v", err)
				}
				link.Mend()
				eventually(t, "the job is in the queue", func() bool {
					j, _, err := there.Queued(t.Context(), id)
					return j != nil && err == nil
				})
				shop := newSeller()
				serve := func() { serving(t, connected(t, url, cluster.Options{AckWait: short}), shop, cluster.RunnerOptions{}) }
				if when != "queued" {
					serve()
					receive(t, shop.begun)
				}
				if when == "ended" {
					close(shop.release)
					ended(t, there, id, outcome.OK)
				}
				asked := harness.New(&harness.Options{Records: records, Elsewhere: f, Version: "test"})
				defer asked.Close()
				if !same {
					_, asked = fronting(t, there, cluster.FrontOptions{})
				}
				out := make(chan ran, 1)
				go func() {
					res, err := asked.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
					out <- ran{res, err}
				}()
				if when == "queued" {
					serve()
				}
				if when != "ended" {
					close(shop.release)
				}
				got := receive(t, out)
				if got.err != nil || got.res == nil || got.res.Run != id || got.res.Status != outcome.OK || shop.orders() != 1 {
					t.Errorf("%d orders: %+v, %v", shop.orders(), got.res, got.err)
				}
			})
		}
	}
}

// Two jobs that go on with the same run, of a client that sent it twice, go on with it
// once, and the second one does not take it away from the first.
func TestARunGoesOnOnce(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	c := connected(t, url, cluster.Options{AckWait: short})
	f, h := fronting(t, c, cluster.FrontOptions{})
	dies := connected(t, url, cluster.Options{AckWait: short})
	first, shop := newSeller(), newSeller()
	serving(t, dies, first, cluster.RunnerOptions{})
	out := sends(t.Context(), h, &harness.Script{Source: buysLater})
	receive(t, first.begun)
	dies.Conn().Close()
	stop := serving(t, connected(t, url, cluster.Options{AckWait: short}), shop, cluster.RunnerOptions{})
	lost := receive(t, out)
	if lost.err != nil || lost.res.Status != outcome.Lost {
		t.Fatalf("%+v, %v", lost.res, lost.err)
	}
	stop()
	var both []<-chan ran
	for range 2 {
		one := make(chan ran, 1)
		go func() {
			res, err := f.Resume(t.Context(), lost.res.Run, &harness.Script{})
			one <- ran{res, err}
		}()
		both = append(both, one)
	}
	eventually(t, "both jobs are in the queue", func() bool {
		info, err := c.Jobs().Info(t.Context())
		return err == nil && info.State.Msgs == 2
	})
	serving(t, connected(t, url, cluster.Options{AckWait: short}), shop, cluster.RunnerOptions{MaxRuns: 1})
	receive(t, shop.begun)
	serving(t, connected(t, url, cluster.Options{AckWait: short}), shop, cluster.RunnerOptions{})
	busy, err := c.Jobs().Consumer(t.Context(), cluster.Token(cluster.DefaultPool))
	must(t, err)
	eventually(t, "both jobs have a runner", func() bool {
		info, err := busy.Info(t.Context())
		return err == nil && info.NumRedelivered > 0
	})
	close(shop.release)
	for _, one := range both {
		if got := receive(t, one); got.err != nil || got.res.Status != outcome.OK || got.res.Attempts != 2 {
			t.Errorf("%+v, %v", got.res, got.err)
		}
	}
	if first.orders() != 0 || shop.orders() != 1 {
		t.Errorf("%d and %d orders", first.orders(), shop.orders())
	}
}

// A lost run that is about to go on, of which no line says so yet, is not begun again.
func TestARunThatIsAboutToGoOnIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	_, h := fronting(t, connected(t, url, cluster.Options{AckWait: short}), cluster.FrontOptions{})
	dies := connected(t, url, cluster.Options{AckWait: short})
	shop := newSeller()
	serving(t, dies, shop, cluster.RunnerOptions{})
	out := sends(t.Context(), h, &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}})
	receive(t, shop.begun)
	dies.Conn().Close()
	serving(t, connected(t, url, cluster.Options{AckWait: short}), newSeller(), cluster.RunnerOptions{})
	lost := receive(t, out)
	if lost.err != nil || lost.res.Status != outcome.Lost {
		t.Fatalf("%+v, %v", lost.res, lost.err)
	}
	other := connected(t, url, cluster.Options{AckWait: short})
	other.Backing()
	names, err := other.Backing().Find(lost.res.Run)
	must(t, err)
	w, err := other.Backing().Reopen(names[0], false)
	must(t, err)
	defer w.Close()
	var running *store.RunningError
	if res, err := h.Rejoin(t.Context(), &harness.Script{Source: buys, Origin: harness.Origin{Subject: "ann"}}); !errors.As(err, &running) {
		t.Errorf("%+v, %v", res, err)
	}
}

// Runs under way and in the queue outlive one server of three, and all servers, which
// come back with what they had stored.
func TestRunsOutliveTheEngine(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3} {
		for _, all := range []bool{true, false} {
			if n == 1 && !all {
				continue
			}
			t.Run(fmt.Sprintf("%d servers, all %t", n, all), func(t *testing.T) {
				t.Parallel()
				engine := clustertest.NewEngine(t, n)
				url := engine.URL()
				c := connected(t, url, cluster.Options{Replicas: n})
				_, h := fronting(t, c, cluster.FrontOptions{})
				shop := newSeller()
				serving(t, connected(t, url, cluster.Options{Replicas: n}), shop, cluster.RunnerOptions{MaxRuns: 1})
				running := sends(t.Context(), h, &harness.Script{Source: buysTwo})
				receive(t, shop.begun)
				waiting := &harness.Script{Source: buys}
				ids := begun(waiting)
				queued := sends(t.Context(), h, waiting)
				receive(t, ids)
				info, err := c.RecordLines().Info(t.Context())
				must(t, err)
				for _, s := range engine.Servers {
					if s.Name() == info.Cluster.Leader && !all {
						s.Shutdown()
					}
				}
				if all {
					engine.Stop()
					engine.Start()
				}
				close(shop.release)
				for _, out := range []<-chan ran{running, queued} {
					got := receive(t, out)
					if got.err != nil || got.res.Status != outcome.OK {
						t.Fatalf("%+v, %v", got.res, got.err)
					}
					ended(t, c, got.res.Run, outcome.OK)
				}
				if shop.orders() != 3 {
					t.Errorf("%d orders", shop.orders())
				}
			})
		}
	}
}

// A script whose runner does not reach the engine for so long that another one may have
// its run is ended, and its record has an end when the engine is back.
func TestAScriptEndsWithoutTheEngine(t *testing.T) {
	t.Parallel()
	engine := clustertest.NewEngine(t, 1)
	c := connected(t, engine.URL(), cluster.Options{AckWait: short})
	_, h := fronting(t, c, cluster.FrontOptions{})
	shop := newSeller()
	serving(t, connected(t, engine.URL(), cluster.Options{AckWait: short}), shop, cluster.RunnerOptions{})
	out := sends(t.Context(), h, &harness.Script{Source: buysTwo})
	receive(t, shop.begun)
	engine.Stop()
	receive(t, shop.canceled)
	engine.Start()
	got := receive(t, out)
	if got.err != nil || got.res.Status != outcome.Lost && got.res.Status != outcome.Canceled || shop.orders() != 1 {
		t.Fatalf("%d orders: %+v, %v", shop.orders(), got.res, got.err)
	}
	ended(t, c, got.res.Run, got.res.Status)
}
