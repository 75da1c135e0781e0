package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

func TestStatusSaysHowTheClusterIs(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	front := connect(t, cluster.Options{URL: url, Name: "front", Version: "v1"})
	other := connect(t, cluster.Options{URL: url, Name: "worker", AckWait: 10 * time.Second})
	running := 0
	for c, say := range map[*cluster.Cluster]func(*cluster.Process){
		front: func(p *cluster.Process) { p.Front = true },
		other: func(p *cluster.Process) { p.Runner = &cluster.Runner{"gpu", running, 4} },
	} {
		if _, err := c.Announce(say); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{cluster.JobSubject("gpu", "r", "a"), cluster.JobSubject("gpu", "r", "b"), cluster.JobSubject("Other one", "r", "c")} {
		if _, err := front.JS().PublishMsg(t.Context(), nats.NewMsg(subject)); err != nil {
			t.Fatal(err)
		}
	}
	of, err := other.Jobs().CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "gpu",
		FilterSubject: cluster.Prefix + "run.gpu.>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Next(); err != nil {
		t.Fatal(err)
	}
	s, err := front.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Pools {
		if p.OldestS < 0 || p.OldestS > 60 {
			t.Errorf("the oldest job of %s: %v s", p.Name, p.OldestS)
		}
		p.OldestS = 0
	}
	if diff := cmp.Diff([]*cluster.Pool{{Name: "Other one", Waiting: 1},
		{Name: "gpu", Waiting: 1, UnderWay: 1, Runners: 1, Places: 4, AckWaitS: 10}}, s.Pools); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
	for _, p := range s.Processes {
		if p.Seen.IsZero() {
			t.Errorf("%s was seen at no time", p.Name)
		}
		p.Seen = time.Time{}
	}
	if diff := cmp.Diff([]*cluster.Process{{ID: front.ID(), Name: "front", Version: "v1", Front: true},
		{ID: other.ID(), Name: "worker", Runner: &cluster.Runner{Pool: "gpu", Max: 4}}}, s.Processes); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
	for _, st := range s.Streams {
		if len(st.Odd) > 0 || st.Config.Replicas != 1 {
			t.Errorf("%+v", st)
		}
	}
	if s.RoundTripMs <= 0 || s.Version == "" || s.TLS || s.User == nil || s.User.Permissions != nil || len(s.Streams) != 6 {
		t.Errorf("%+v, user %+v", s, s.User)
	}

	var text strings.Builder
	front.WriteMetrics(&text)
	for _, want := range []string{"usetools_cluster_connected 1\n", `usetools_cluster_queue_waiting{pool="gpu"} 1`,
		`usetools_cluster_queue_under_way{pool="gpu"} 1`, `usetools_cluster_runners{pool="gpu"} 1`,
		"usetools_cluster_round_trip_seconds ", "usetools_cluster_lost_total 0\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// A process that leaves is not in the list, and one without the engine says so.
func TestStatusOfProcessesThatLeave(t *testing.T) {
	t.Parallel()
	servers := clustertest.Servers(t, 1)
	c := connect(t, cluster.Options{URL: servers[0].ClientURL()})
	other, err := cluster.Connect(t.Context(), &cluster.Options{URL: servers[0].ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Announce(func(*cluster.Process) {}); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := c.Processes(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if err := c.Reached(); err != nil {
		t.Error(err)
	}
	lost := make(chan struct{})
	c.Conn().SetDisconnectErrHandler(func(*nats.Conn, error) { close(lost) })
	servers[0].Shutdown()
	<-lost
	if err := c.Reached(); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
	var text strings.Builder
	c.WriteMetrics(&text)
	if !strings.Contains(text.String(), "usetools_cluster_connected 0\n") {
		t.Error(text.String())
	}
}

func TestStreamsThatAreMadeOtherwise(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: cluster.QueueStream, Subjects: []string{"ut.run.>"},
		Storage: jetstream.MemoryStorage}); err != nil {
		t.Fatal(err)
	}
	s, err := connect(t, cluster.Options{URL: url}).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Streams, func(s *cluster.Stream) bool { return s.Config.Name == cluster.QueueStream })
	want := []string{"retention: limits, this version makes workqueue", "storage: memory, this version makes file",
		"discard: old, this version makes new", "max_age: 0s, this version makes 30m0s"}
	if diff := cmp.Diff(want, s.Streams[i].Odd); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSyncInterval(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]time.Duration{
		`{"jetstream":{"config":{"sync_interval":120000000000}}}`:                    2 * time.Minute,
		`{"jetstream":{"config":{"sync_interval":120000000000,"sync_always":true}}}`: 0,
		`{"jetstream":{}}`: -1, `no JSON`: -1,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/varz" {
				http.NotFound(w, r)
			}
			w.Write([]byte(body))
		}))
		got, err := cluster.Monitored(t.Context(), s.URL)
		s.Close()
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%s: %v, %v", body, got, err)
		}
	}
	if _, err := cluster.Monitored(t.Context(), "localhost:8222"); err == nil || !strings.Contains(err.Error(), "want http://HOST:8222") {
		t.Error(err)
	}
}
