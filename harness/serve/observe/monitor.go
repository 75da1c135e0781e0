package observe

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/usetools/usetools/harness/serve/transport"
)

// Monitor reports on a process that has no clients, such as a runner.
type Monitor struct {
	// Metrics writes the metrics of the process, after those of the HTTP server.
	Metrics func(io.Writer)
	// Engine returns an error if the process cannot work.
	Engine func() error
	// Load returns how many scripts run, and how many may.
	Load func() (running, places int)
	// Log receives messages for the operator.
	Log *slog.Logger
}

// Serve serves GET /metrics and GET /healthz, and nothing else, until ctx ends.
func (m *Monitor) Serve(ctx context.Context, at *transport.Endpoint) error {
	own := NewMetrics(m.Log)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", at.Authorized(MetricsHandler(func(w io.Writer) {
		own.WriteProcess(w)
		m.Metrics(w)
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		answer, code := struct {
			Status  string `json:"status"` // ok, no_engine
			Running int    `json:"running"`
			Places  int    `json:"places"`
		}{Status: Healthy}, http.StatusOK
		answer.Running, answer.Places = m.Load()
		if m.Engine() != nil {
			answer.Status, code = NoEngine, http.StatusServiceUnavailable
		}
		AnswerHealth(w, code, answer)
	})
	if err := at.Listen(); err != nil {
		return err
	}
	m.Log.Info("metrics", "url", strings.TrimSuffix(at.URL(), "/mcp")+"/metrics", "tokens", len(at.Tokens))
	none := func(*http.Request) bool { return false }
	return at.Serve(ctx, at.Checked(mux, none, own.Panicked), func() {})
}

// Statuses of /healthz.
const (
	Healthy  = "ok"
	NoEngine = "no_engine"
)

// AnswerHealth answers with a code and a status as JSON.
func AnswerHealth(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v)
}

// MetricsHandler answers with metrics.
func MetricsHandler(write func(io.Writer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		write(w)
	})
}
