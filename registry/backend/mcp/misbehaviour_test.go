package mcp_test

//lint:file-ignore SA1019 servers of the revisions before 2026-07-28 log this way

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
)

func TestServersThatAreOnlyALittleOddWork(t *testing.T) {
	for fault, tools := range map[mcptest.Fault]int{
		mcptest.Eager: 2, mcptest.Slow: 2, mcptest.ByteByByte: 2, mcptest.Chatty: 2,
		mcptest.StringIDs: 2, mcptest.BigSchema: 3, mcptest.ListTwice: 2,
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			b := open(t, mcptest.Server("s", fault), nil)
			if l := list(t, b); len(l.Tools) != tools || len(l.Server.Problems) > 0 {
				t.Errorf("%d tools, want %d; problems %q", len(l.Tools), tools, l.Server.Problems)
			}
			if r := call(t, b, "echo", `{"a":1}`); string(r.Structured) != `{"a":1}` {
				t.Errorf("echo returned %s", r.Structured)
			}
		})
	}
}

func TestServersThatGoAwayAreReportedAsGone(t *testing.T) {
	for _, fault := range []mcptest.Fault{mcptest.LeavesEarly, mcptest.HangsUp, mcptest.ListCrash} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			b, err := mcp.Open(t.Context(), mcptest.Server("s", fault), nil)
			if err == nil {
				defer b.Close()
				_, err = b.List(t.Context())
			}
			if !errors.Is(err, backend.ErrDisconnected) && (err == nil || !strings.Contains(err.Error(), "exited at start")) {
				t.Errorf("error %v, want ErrDisconnected", err)
			}
			if fault == mcptest.ListCrash && !strings.Contains(err.Error(), "panic: no list") {
				t.Errorf("error %v lacks the last words", err)
			}
		})
	}
}

func TestOddAnswersCostOnlyTheirCall(t *testing.T) {
	b := open(t, mcptest.Server("s", mcptest.ListNull), nil)
	if l, err := b.List(t.Context()); err == nil && len(l.Tools) > 0 {
		t.Errorf("tools %v out of nothing", l.Tools)
	}
	for _, tool := range []string{"null", "both", "mixed"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if r, err := b.Call(ctx, &backend.Request{Tool: tool}); err == nil {
			t.Errorf("%s: result %s", tool, r.Raw)
		}
		cancel()
		if string(call(t, b, "echo", `{"a":1}`).Structured) != `{"a":1}` {
			t.Errorf("after %s the connection is no use", tool)
		}
	}
	if r := call(t, b, "utf8", ""); r.Text() != "caf\ufffd" || string(r.Structured) != "{\"a\":\"\ufffd\"}" ||
		!utf8.Valid(r.Raw) {
		t.Errorf("utf8: %+v", r)
	}
	if r := call(t, b, "deep", `{"bytes":5000}`); len(r.Structured) != 6*5000+2 {
		t.Errorf("deep: %d bytes", len(r.Structured))
	}
	for tool, want := range map[string]string{
		"deep": `server "s": calling "deep": its answer cannot be read: invalid character '{' exceeded max depth`,
		"nan":  `server "s": calling "nan": its answer cannot be read: invalid character 'N'`,
	} {
		if _, err := b.Call(t.Context(), &backend.Request{Tool: tool, Args: registry.ReadArgs([]byte(`{"bytes":20000}`))}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if r := call(t, b, "empty", ""); r.IsError || len(r.Content) > 0 {
		t.Errorf("empty: %+v", r)
	}
	if r := call(t, b, "asks", ""); r.Text() != "asked" {
		t.Errorf("asks: %+v", r)
	}
	if r := call(t, b, "tells", ""); r.Text() != "told" {
		t.Errorf("tells: %+v", r)
	}
}

func TestServerThatAsksForEverWaits(t *testing.T) {
	t.Parallel()
	s := mcptest.Server("s")
	s.CallTimeout = time.Second
	log := &lines{seen: make(chan string, 10)}
	b := open(t, s, &mcp.Options{Log: log})
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "nags"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if len(log.seen) > 0 {
		t.Errorf("it %s requests that it reads no answers to", <-log.seen)
	}
}

func TestURLThatAsksForEverWaits(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	answering := rpc("application/json", nil)
	hung := make(chan struct{})
	def := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case bytes.Contains(body, []byte(`"tools/call"`)):
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 100000 {
				if _, err := fmt.Fprintf(w, "data: "+
					"{\"jsonrpc\":\"2.0\",\"id\":\"nag%d\",\"method\":\"ping\",\"params\":{\"x\":%q}}\n\n", i,
					strings.Repeat("x", 1000)); err != nil {
					return
				}
				sent.Store(int64(i))
			}
		case bytes.Contains(body, []byte(`"nag`)):
			select {
			case <-hung:
			case <-r.Context().Done():
			}
		default:
			answering.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { close(hung) })
	def.CallTimeout = time.Second
	b := open(t, def, nil)
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "x"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if n := sent.Load(); n > 50000 {
		t.Errorf("it sent %d requests that nobody answered", n)
	}
}

func TestHandshakeThatWorkedIsTriedFirst(t *testing.T) {
	t.Parallel()
	log := &lines{seen: make(chan string, 1000)}
	for _, tc := range []struct {
		known    string
		messages []string // that the server gets until it is connected
	}{
		{"", []string{"initialize", "server/discover"}},
		{"2025-11-25", []string{"initialize", "server/discover"}}, // no longer true
		{"2026-07-28", []string{"server/discover"}},
	} {
		var v mcp.Verdicts
		v.Learn(registry.Server{Name: "s", Transport: "stdio", Protocol: tc.known})
		for i := range 2 {
			s := mcptest.Server("s", mcptest.ModernOnly, mcptest.Reports)
			b, err := mcp.Open(t.Context(), s, &mcp.Options{Verdicts: &v, Log: log})
			if err != nil {
				t.Fatal(err)
			}
			b.Close()
			var got []string
			for len(log.seen) > 0 {
				if m, ok := strings.CutPrefix(<-log.seen, "got "); ok {
					got = append(got, m)
				}
			}
			want := tc.messages
			if i > 0 {
				want = []string{"server/discover"}
			}
			if !cmp.Equal(got, want) {
				t.Errorf("known %q, connection %d: the server got %q, want %q", tc.known, i+1, got, want)
			}
		}
	}
	for _, fault := range []mcptest.Fault{mcptest.DiesOfModern, mcptest.SilentFirst} {
		var v mcp.Verdicts
		s := mcptest.Server("s", fault) // which takes no probe
		tries := []time.Duration{0}     // the default
		if fault == mcptest.SilentFirst {
			tries = limits
		}
		var err error
		for _, s.StartTimeout = range tries {
			v.Learn(registry.Server{Name: "s", Protocol: "2026-07-28"}) // it is said to be modern
			var b backend.Backend
			if b, err = mcp.Open(t.Context(), s, &mcp.Options{Verdicts: &v}); err == nil {
				b.Close()
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

func TestURLThatSpokeSSEIsAskedThatFirst(t *testing.T) {
	var posts atomic.Int32
	s := sdkServer(t)
	h := sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
	def := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.RawQuery == "" {
			posts.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	var v mcp.Verdicts
	for i := range 2 {
		b := open(t, def, &mcp.Options{Verdicts: &v})
		if got := list(t, b).Server.Transport; got != "sse" {
			t.Errorf("transport %q", got)
		}
		if n := posts.Swap(0); (n == 0) != (i > 0) {
			t.Errorf("connection %d: %d requests in vain", i+1, n)
		}
	}
}

func TestServerThatChangesItsToolsListsTheNewOnes(t *testing.T) {
	t.Parallel()
	b := open(t, mcptest.Server("s", mcptest.Restless), nil)
	before := names(list(t, b).Tools)
	call(t, b, "news", "")
	if after := names(list(t, b).Tools); cmp.Equal(before, after) || !cmp.Equal(after, []string{"echo", "new"}) {
		t.Errorf("tools %q, then %q", before, after)
	}
	dir := t.TempDir()
	for i, want := range [][]string{{"echo", "fail"}, {"echo", "new"}, {"echo", "new"}} {
		if got := names(list(t, open(t, mcptest.Again("s", dir), nil)).Tools); !cmp.Equal(got, want) {
			t.Errorf("start %d: tools %q, want %q", i+1, got, want)
		}
	}
}
