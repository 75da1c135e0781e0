package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/usetools/usetools/registry/backend"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error)             { return f(r) }
func (f roundTrip) Send(r *http.Request, _ *backend.Send) (*http.Response, error) { return f(r) }
func (f roundTrip) CloseIdleConnections()                                         {}

// A server that is slow to take a call still hears that it is called off, also
// when whoever said so has not waited for that.
func TestCancellationOfASlowPostIsSent(t *testing.T) {
	taken, sent := make(chan struct{}), make(chan string, 2)
	trip := &tripper{
		base: roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			what := "cancellation"
			if strings.Contains(string(body), "tools/call") {
				what = "call"
				<-taken
			}
			if err := r.Context().Err(); err != nil {
				what = err.Error()
			}
			sent <- what
			return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody}, nil
		}),
		captures: newCaptures(false), max: 1 << 20,
		named:   &url.URL{Scheme: "http", Host: "127.0.0.1"},
		posts:   &posts{under: map[jsonrpc.ID]chan struct{}{}},
		closing: t.Context(),
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trip.RoundTrip(req); !errors.Is(err, context.Canceled) {
			t.Fatalf("sending %s: error %v, want context.Canceled", message, err)
		}
	}
	close(taken)
	for _, want := range []string{"call", "cancellation"} {
		select {
		case got := <-sent:
			if got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second): // only reached when the test fails
			t.Fatalf("no %s was sent", want)
		}
	}
}
