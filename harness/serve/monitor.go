package serve

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"github.com/usetools/usetools/harness/serve/observe"
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

// Monitor serves GET /metrics and GET /healthz, and nothing else, until ctx ends. The
// address, tokens and hosts are those of h.
func (h *HTTP) Monitor(ctx context.Context, m *Monitor) error {
	if err := h.Check(); err != nil {
		return err
	}
	if err := h.Listen(); err != nil {
		return err
	}
	own := observe.NewMetrics(m.Log)
	d := &door{h: h, log: m.Log, metrics: own}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", d.authorized(metricsHandler(func(w io.Writer) {
		own.WriteProcess(w)
		m.Metrics(w)
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		answer, code := struct {
			Status  string `json:"status"` // ok, no_engine
			Running int    `json:"running"`
			Places  int    `json:"places"`
		}{Status: healthy}, http.StatusOK
		answer.Running, answer.Places = m.Load()
		if m.Engine() != nil {
			answer.Status, code = noEngine, http.StatusServiceUnavailable
		}
		answerHealth(w, code, answer)
	})
	l := h.bounded()
	srv := serverOf(d.checked(mux))
	m.Log.Info("metrics", "url", "http://"+l.Addr().String()+"/metrics", "tokens", len(h.Tokens))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	srv.Shutdown(end)
	srv.Close()
	<-served
	return nil
}

// Statuses of /healthz.
const (
	healthy  = "ok"
	noEngine = "no_engine"
)

func answerHealth(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v)
}

func metricsHandler(write func(io.Writer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		write(w)
	})
}
