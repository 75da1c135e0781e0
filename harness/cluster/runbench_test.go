package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
)

// BenchmarkRun is a trivial script in one process, and through the queue of one server and
// of three: one at a time (p50 and p99 in ms), and side by side.
func BenchmarkRun(b *testing.B) {
	runner := func(store *store.Store) *harness.Harness {
		h := harness.New(&harness.Options{Records: store, Spares: 4, Version: "test"})
		b.Cleanup(func() { h.Close() })
		return h
	}
	through := func(b *testing.B, n int) *harness.Harness {
		url := clustertest.Servers(b, n)[0].ClientURL()
		c := connected(b, url, cluster.Options{Replicas: n})
		_, h := fronting(b, c, cluster.FrontOptions{})
		runs := connected(b, url, cluster.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		o := &cluster.RunnerOptions{Harness: runner(runs.Store(nil)), Records: runs.Store(nil), MaxRuns: 8}
		go func() { done <- runs.Serve(ctx, o) }()
		b.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				b.Error(err)
			}
		})
		return h
	}
	for _, where := range []string{"memory", "folder", "1 server", "3 servers"} {
		for _, beside := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d at a time", where, beside), func(b *testing.B) {
				var h *harness.Harness
				switch where {
				case "memory":
					h = runner(store.Memory(100, nil))
				case "folder":
					store, err := store.Open(b.TempDir(), nil)
					if err != nil {
						b.Fatal(err)
					}
					h = runner(store)
				case "1 server":
					h = through(b, 1)
				default:
					h = through(b, 3)
				}
				took := make(chan time.Duration, b.N)
				next := make(chan int, b.N)
				for i := range b.N {
					next <- i
				}
				close(next)
				done := make(chan error, beside)
				b.ResetTimer()
				for range beside {
					go func() {
						for i := range next {
							begin := time.Now()
							res, err := h.Run(b.Context(), &harness.Script{Source: fmt.Sprintf("Return(%d)", i)})
							if err != nil || res.Status != outcome.OK {
								done <- fmt.Errorf("%+v, %w", res, err)
								return
							}
							took <- time.Since(begin)
						}
						done <- nil
					}()
				}
				for range beside {
					if err := <-done; err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				close(took)
				var all []time.Duration
				for d := range took {
					all = append(all, d)
				}
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "runs/s")
			})
		}
	}
}
