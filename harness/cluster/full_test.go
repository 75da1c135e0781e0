package cluster

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
)

// newTestJob is a job that nobody has begun.
func newTestJob(t *testing.T) *job {
	name := store.NewName(time.Now())
	_, id, _ := store.ParseName(name)
	j := newJob(t.Context(), kindRun, id, &harness.Script{Source: "Return(1)"})
	j.Name, j.Front, j.Pool, j.Until = name, "front", DefaultPool, time.Now().Add(time.Minute)
	return j
}

// A job that is sent again is in the queue once, also when that is full by then.
func TestAJobThatIsSentAgainToAFullQueueIsThere(t *testing.T) {
	t.Parallel()
	for _, servers := range []int{1, 3} {
		url := clustertest.Servers(t, servers)[0].ClientURL()
		c := connect(t, Options{URL: url, Queue: 2, Replicas: servers})
		jobs := []*job{newTestJob(t), newTestJob(t), newTestJob(t)}
		for _, j := range jobs[:2] {
			must(t, c.enqueue(t.Context(), j, j.Name))
		}
		var busy *guard.BusyError
		if err := c.enqueue(t.Context(), jobs[2], jobs[2].Name); !errors.As(err, &busy) {
			t.Errorf("%d servers: the third job of two: %v", servers, err)
		}
		if err := c.enqueue(t.Context(), jobs[0], jobs[0].Name); err != nil {
			t.Errorf("%d servers: a job that is there is sent again: %v", servers, err)
		}
		info, err := c.queue.Info(t.Context())
		must(t, err)
		if info.State.Msgs != 2 {
			t.Errorf("%d servers: %d jobs", servers, info.State.Msgs)
		}
	}
}

// Where a try was not answered, that the queue is full for the next one does not say that
// the job never was in it.
func TestAFullQueueSaysNothingOfATryBefore(t *testing.T) {
	t.Parallel()
	c := connect(t, Options{URL: clustertest.Server(t)})
	j := newTestJob(t)
	must(t, c.js.DeleteStream(t.Context(), queueStream))
	var tries atomic.Int32
	_, err := c.conn.Subscribe(jobSubject(j.Pool, j.Request, j.ID), func(m *nats.Msg) {
		if tries.Add(1) > 1 {
			m.Respond([]byte(`{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`))
		}
	})
	must(t, err)
	must(t, c.conn.Flush())
	err = c.enqueue(t.Context(), j, j.Name)
	var busy *guard.BusyError
	if err == nil || errors.As(err, &busy) || tries.Load() != 2 {
		t.Errorf("after %d tries: %v", tries.Load(), err)
	}
}
