package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/serve"
)

// What runs the scripts is in the metrics, in the health and on the overview.
func TestAServerSaysHowItsClusterIs(t *testing.T) {
	var down atomic.Bool
	reached := func() error {
		if down.Load() {
			return errors.New("the cluster at nats://<a> cannot be reached")
		}
		return nil
	}
	s, _ := serving(t, &serve.Options{Metrics: func(w io.Writer) { fmt.Fprintln(w, "usetools_cluster_connected 1") }, Engine: reached,
		Cluster: func(context.Context) (*console.Cluster, error) {
			if err := reached(); err != nil {
				return nil, err
			}
			return &console.Cluster{Engine: "nats-server 9 answers",
				Queues: []console.ClusterQueue{{Name: "gpu", Waiting: 3, UnderWay: 2, Places: 4, Oldest: 12}},
				Processes: []console.ClusterProcess{{Name: "<box> 7", Kind: "runner of gpu", Version: "v9", Running: 2, Places: 4,
					Registry: "the newest"}}}, nil
		}})
	secret := bytes.Repeat([]byte{7}, 32)
	p := newSurfer(t, listenAlone(t, s, &serve.HTTP{Secret: secret}))
	receive(t, s.Ready())
	if code, text := p.get("/metrics"); code != 200 || !strings.HasSuffix(text, "usetools_cluster_connected 1\n") {
		t.Errorf("%d\n%s", code, text)
	}
	if code, text := p.get("/healthz"); code != 200 || !strings.Contains(text, `"ok"`) {
		t.Errorf("%d %s", code, text)
	}
	p.get(console.OpenPath(secret))
	_, text := p.get("/")
	for _, want := range []string{`id="o-cluster" data-part`, "nats-server 9 answers", "<bdi>gpu</bdi>: 3 queued, 2 of 4 running, the oldest for 12 s",
		"&lt;box&gt; 7", "runner of gpu", "2 of 4", "the newest"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	down.Store(true)
	if code, text := p.get("/healthz"); code != 503 || !strings.Contains(text, `"no_engine"`) {
		t.Errorf("%d %s", code, text)
	}
	if code, text := p.get("/"); code != 200 || !strings.Contains(text, "the cluster at nats://&lt;a&gt; cannot be reached") {
		t.Errorf("%d\n%s", code, text)
	}
}
