//go:build integration

package openapi_test

import (
	"bufio"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/backend/openapi"
	"github.com/usetools/usetools/registry/config"
)

// TestMCPOInFrontOfARealServer reaches an MCP server through mcpo, by name in
// PATH. To have it there:
//
//	pip install mcpo==0.0.20 mcp-server-calculator==0.2.1 'mcp<2' 'fastapi<0.120'
func TestMCPOInFrontOfARealServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(t.Context(), "mcpo", "--host", "127.0.0.1", "--port", port, "--api-key", "hunter2", "--", "mcp-server-calculator")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; the comment on this test says how to install it", err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	up, log := make(chan bool, 1), &strings.Builder{}
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "running on") {
				up <- true
			}
			log.WriteString(lines.Text() + "\n")
		}
		up <- false
	}()
	select {
	case ok := <-up:
		if !ok {
			t.Fatalf("mcpo ended:\n%s", log)
		}
	case <-time.After(2 * time.Minute): // a cold Python on a busy machine
		t.Fatal("mcpo is not up")
	}
	b, err := openapi.Open(t.Context(), config.Server{
		Name: "calculator", Type: config.OpenAPI, URL: "http://" + address + "/openapi.json",
		Headers: config.Secrets{"Authorization": "Bearer hunter2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	listing, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Tools) != 1 || listing.Tools[0].Name != "calculate" || len(listing.Server.Problems) > 0 {
		t.Fatalf("tools %+v, problems %q", listing.Tools, listing.Server.Problems)
	}
	r, err := b.Call(t.Context(), "calculate", []byte(`{"expression":"2**10"}`))
	if err != nil || r.IsError || r.Text() != "1024" {
		t.Errorf("result %+v, %v", r, err)
	}
	if r, err = b.Call(t.Context(), "calculate", []byte(`{"expression":[]}`)); err == nil && !r.IsError {
		t.Errorf("bad arguments: result %+v", r)
	}
}
