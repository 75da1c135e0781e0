//go:build integration

package openapi_test

import (
	"bufio"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/openapi"
	"github.com/usetools/usetools/registry/config"
)

// TestMCPOInFrontOfARealServer reaches an MCP server through mcpo, by name in
// PATH. To have it there:
//
//	pip install mcpo==0.0.20 mcp-server-calculator==0.2.1 'mcp<2' 'fastapi<0.120'
func TestMCPOInFrontOfARealServer(t *testing.T) {
	var address string
	for try := 0; address == ""; try++ {
		var why string
		if address, why = mcpo(t); address == "" && try == 3 { // the port may be taken again
			t.Fatal(why)
		}
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
	r, err := b.Call(t.Context(), &backend.Request{Tool: "calculate", Args: registry.ReadArgs([]byte(`{"expression":"2**10"}`))})
	if err != nil || r.IsError || r.Text() != "1024" {
		t.Errorf("result %+v, %v", r, err)
	}
	if r, err = b.Call(t.Context(), &backend.Request{Tool: "calculate", Args: registry.ReadArgs([]byte(`{"expression":[]}`))}); err == nil && !r.IsError {
		t.Errorf("bad arguments: result %+v", r)
	}
}

// mcpo starts it at a port that was free, and returns its address, or why it
// ended.
func mcpo(t *testing.T) (address, why string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command("mcpo", "--host", "127.0.0.1", "--port", port, "--api-key", "hunter2", "--",
		"mcp-server-calculator")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; the comment on this test says how to install it", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	ended := make(chan string, 1)
	up := make(chan bool, 100)
	go func() {
		log := &strings.Builder{}
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if strings.Contains(lines.Text(), "running on") {
				up <- true
			}
			log.WriteString(lines.Text() + "\n")
		}
		ended <- log.String()
	}()
	select {
	case <-up:
		return address, ""
	case log := <-ended:
		return "", "mcpo ended:\n" + log
	case <-time.After(2 * time.Minute): // a cold Python on a busy machine
		t.Fatal("mcpo is not up")
	}
	return "", ""
}
