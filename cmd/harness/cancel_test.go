package main

import (
	"io"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// A script that no runner has taken is canceled from another process, and only once.
func TestARunOfAClusterIsCanceled(t *testing.T) {
	url := clustertest.Server(t)
	c, err := cluster.Connect(t.Context(), &cluster.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	store := c.Store(nil)
	front, err := c.Front(&cluster.FrontOptions{Records: store})
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	h := harness.New(&harness.Options{Records: store, Elsewhere: front})
	defer h.Close()
	queued := make(chan string, 1)
	done := make(chan *outcome.Result, 1)
	go func() {
		res, err := h.Run(t.Context(), &harness.Script{Source: "Return(1)", OnProgress: func(p record.Progress) {
			if p.Begin != nil {
				queued <- p.Begin.ID
			}
		}})
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	id := <-queued
	cancel := func(args ...string) error {
		return app(strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(), append([]string{"harness", "runs", "cancel"}, args...))
	}
	if err := cancel(id, "-cluster", url); err != nil {
		t.Fatal(err)
	}
	if res := <-done; res == nil || res.Status != outcome.Canceled {
		t.Errorf("%+v", res)
	}
	if err := cancel(id, "-cluster", url); err == nil || !strings.Contains(err.Error(), "is neither queued nor running") {
		t.Errorf("the second time: %v", err)
	}
	if err := cancel(id); err == nil || !strings.Contains(err.Error(), "wants the -cluster") {
		t.Errorf("without a cluster: %v", err)
	}
}
