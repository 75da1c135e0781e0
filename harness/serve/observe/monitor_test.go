package observe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
)

// monitored serves a monitor until the test ends, and returns its URL.
func monitored(t *testing.T, at *transport.Endpoint, m *observe.Monitor) string {
	t.Helper()
	m.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	at.Address = "127.0.0.1:0"
	if err := at.Listen(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Serve(ctx, at) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return strings.TrimSuffix(at.URL(), "/mcp")
}

func TestAProcessWithoutClientsIsMonitored(t *testing.T) {
	var down atomic.Bool
	url := monitored(t, &transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123"}}, &observe.Monitor{
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
	m := &observe.Monitor{Log: slog.New(slog.DiscardHandler)}
	if err := m.Serve(t.Context(), &transport.Endpoint{Address: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "-token-file") {
		t.Error(err)
	}
}
