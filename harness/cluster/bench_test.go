package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// clusters are one server, and three that have each stream on all.
func clusters(b *testing.B, f func(*testing.B, *cluster.Cluster)) {
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprintf("Servers%d", n), func(b *testing.B) {
			f(b, connect(b, cluster.Options{URL: clustertest.Servers(b, n)[0].ClientURL(), Replicas: n}))
		})
	}
}

// BenchmarkBegin makes a record and ends it, without a request and with one.
func BenchmarkBegin(b *testing.B) {
	clusters(b, func(b *testing.B, c *cluster.Cluster) {
		s := c.Store(nil)
		for _, request := range []string{"", "r"} {
			b.Run("Request"+request, func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					first := &record.Begin{}
					if request != "" {
						first.Request = fmt.Sprint(request, n)
					}
					w, err := s.Begin(first)
					must(b, err)
					add(b, w, &record.End{Status: "ok"})
					must(b, w.Close())
				}
			})
		}
	})
}

// BenchmarkSync makes the line of an effect durable.
func BenchmarkSync(b *testing.B) {
	clusters(b, func(b *testing.B, c *cluster.Cluster) {
		w := begin(b, c.Store(nil))
		for n := 0; b.Loop(); n++ {
			add(b, w, effect(n))
			must(b, w.Sync())
		}
	})
}

// BenchmarkLoad reads records of so many messages.
func BenchmarkLoad(b *testing.B) {
	clusters(b, func(b *testing.B, c *cluster.Cluster) {
		s := c.Store(nil)
		for _, n := range []int{2, 8, 16, 100, 1000} {
			w := begin(b, s)
			for i := range n - 2 {
				add(b, w, effect(i))
				must(b, w.Sync())
			}
			add(b, w, &record.End{Status: "ok"})
			must(b, w.Close())
			b.Run(fmt.Sprint("Messages", n), func(b *testing.B) {
				for b.Loop() {
					r, err := s.Load(w.ID())
					if err != nil || len(r.Lines) != n {
						b.Fatal(len(r.Lines), err)
					}
				}
			})
		}
	})
}

// BenchmarkList lists the last 50 of 10,000 records, as a process that has seen them
// before and as one that has not, and finds and names records.
func BenchmarkList(b *testing.B) {
	const many = 10_000
	url := clustertest.Server(b)
	c := connect(b, cluster.Options{URL: url})
	s := c.Store(nil)
	var id string
	for range many {
		w := begin(b, s)
		add(b, w, &record.End{Status: "ok"})
		must(b, w.Close())
		id = w.ID()
	}
	list := func(b *testing.B, s *store.Store) {
		n := 0
		for _, err := range s.List(b.Context(), &store.Filter{Limit: 50}) {
			must(b, err)
			n++
		}
		if n != 50 {
			b.Fatal(n)
		}
	}
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			other := connect(b, cluster.Options{URL: url})
			s := other.Store(nil)
			b.StartTimer()
			list(b, s)
			b.StopTimer()
			other.Close()
			b.StartTimer()
		}
	})
	b.Run("Again", func(b *testing.B) {
		for b.Loop() {
			list(b, s)
		}
	})
	b.Run("Names", func(b *testing.B) {
		for b.Loop() {
			names, err := c.Backing().Names()
			if err != nil || len(names) < many {
				b.Fatal(len(names), err)
			}
		}
	})
	b.Run("Find", func(b *testing.B) {
		for b.Loop() {
			names, err := c.Backing().Find(id)
			if err != nil || len(names) != 1 {
				b.Fatal(len(names), err)
			}
		}
	})
	b.Run("Prune", func(b *testing.B) {
		s := c.Store(&store.StoreOptions{Age: time.Hour, Bytes: 1 << 40})
		for b.Loop() {
			must(b, s.Prune())
		}
	})
}
