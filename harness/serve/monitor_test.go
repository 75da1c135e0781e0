package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/harness/serve"
)

// monitored serves a monitor until the test ends, and returns its URL.
func monitored(t *testing.T, h *serve.HTTP, m *serve.Monitor) string {
	t.Helper()
	m.Log = serverLog(t)
	addr := at(t, h)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Monitor(ctx, m) }()
	t.Cleanup(func() {
		cancel()
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
	})
	return "http://" + addr
}

func TestAProcessWithoutClientsIsMonitored(t *testing.T) {
	var down atomic.Bool
	url := monitored(t, &serve.HTTP{Tokens: map[string]string{"ann": "token-of-ann-0123"}}, &serve.Monitor{
		Metrics: func(w io.Writer) { fmt.Fprintln(w, "usetools_cluster_connected 1") },
		Load:    func() (int, int) { return 2, 8 },
		Engine: func() error {
			if down.Load() {
				return errors.New("gone")
			}
			return nil
		}})
	get := func(path, token, host string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Host = host; token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(b)
	}
	for name, x := range map[string]struct {
		path, token, host string
		code              int
		want              string
	}{
		"metrics":            {"/metrics", "token-of-ann-0123", "", 200, "usetools_uptime_seconds 0\n"},
		"of the cluster":     {"/metrics", "token-of-ann-0123", "", 200, "usetools_cluster_connected 1\n"},
		"without a token":    {"/metrics", "", "", 401, ""},
		"of another host":    {"/metrics", "token-of-ann-0123", "evil.example", 403, "-allow-host"},
		"health":             {"/healthz", "", "", 200, `{"status":"ok","running":2,"places":8}`},
		"nothing else":       {"/mcp", "token-of-ann-0123", "", 404, ""},
		"no page of its own": {"/", "", "", 404, ""},
	} {
		if code, text := get(x.path, x.token, x.host); code != x.code || !strings.Contains(text, x.want) {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	down.Store(true)
	if code, text := get("/healthz", "", ""); code != 503 || !strings.Contains(text, `"no_engine"`) {
		t.Errorf("%d %s", code, text)
	}
}

func TestAMonitorForOtherMachinesWantsATokenToo(t *testing.T) {
	if err := (&serve.HTTP{Address: "0.0.0.0:0"}).Monitor(t.Context(), &serve.Monitor{}); err == nil || !strings.Contains(err.Error(), "-token-file") {
		t.Error(err)
	}
}
