package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

// Who looks at the queue sees what waits, since when and for whom, and what runs where.
func TestQueueSaysWhatWaitsAndWhatRuns(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := connected(t, url, cluster.Options{Name: "door"})
	_, h := fronting(t, c, cluster.FrontOptions{})
	shop := newSeller()
	serving(t, connected(t, url, cluster.Options{Name: "worker"}), shop, cluster.RunnerOptions{MaxRuns: 1})
	done := make(chan error, 3)
	run := func(name, subject string) {
		go func() {
			_, err := h.Run(ctx, &harness.Script{Origin: harness.Origin{Name: name, Subject: subject}, Source: "UseTools(\"wait for a delivery\")\nshop.Wait()"})
			done <- err
		}()
	}
	run("first", "ann")
	receive(t, shop.begun)
	looker := connected(t, url, cluster.Options{Name: "looker"})
	queue := func(n int) (runs []*cluster.QueuedRun, all uint64) {
		runs, all, err := looker.Queue(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if age := time.Since(r.Queued); age < -time.Minute || age > time.Minute || len(r.ID) != cluster.IDSize {
				t.Errorf("%+v", r)
			}
			r.ID, r.Queued = "", time.Time{}
		}
		return runs, all
	}
	first := &cluster.QueuedRun{Name: "first", Subject: "ann", Pool: cluster.DefaultPool, State: cluster.QueueRunning, Runner: "worker", Front: "door"}
	runs, all := queue(10)
	if diff := cmp.Diff([]*cluster.QueuedRun{first}, runs); diff != "" || all != 1 {
		t.Errorf("%d (-want +got):\n%s", all, diff)
	}
	run("second", "")
	for _, all := queue(0); all < 2; _, all = queue(0) {
	}
	runs, _ = queue(10)
	if diff := cmp.Diff([]*cluster.QueuedRun{first, {Name: "second", Pool: cluster.DefaultPool, State: cluster.QueueWaiting, Front: "door"}}, runs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if runs, all := queue(1); len(runs) != 1 || all != 2 {
		t.Errorf("%d of %d", len(runs), all)
	}
	cancel()
	receive(t, done)
	receive(t, done)
	for runs, _ := queue(10); len(runs) > 0; runs, _ = queue(10) {
	}
}
