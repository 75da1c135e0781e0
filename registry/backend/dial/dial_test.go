package dial_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
	"github.com/usetools/usetools/registry/config"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

func TestPoolReachesServersOfEveryTypeByName(t *testing.T) {
	broken := errors.New(`server "broken": environment variable "TOKEN" is not set`)
	c := &config.Config{Servers: []config.Server{
		{Name: "broken", Err: broken},
		{Name: "pigeon", Type: "pigeon"},
		{Name: "snap", Type: config.Snapshot, Path: filepath.Join("..", "snapshot", "testdata", "memory.json")},
		mcptest.Server("work"),
	}}
	p := dial.Pool(c)
	defer p.Close()
	if _, err := p.Call(t.Context(), "work", &backend.Request{Tool: "echo"}); err != nil {
		t.Error(err)
	}
	if _, err := p.Call(t.Context(), "snap", &backend.Request{Tool: "read_graph"}); !errors.Is(err, backend.ErrNotCallable) {
		t.Errorf("snapshot: %v", err)
	}
	if _, err := p.Call(t.Context(), "broken", &backend.Request{Tool: "x"}); !errors.Is(err, broken) {
		t.Errorf("broken definition: %v", err)
	}
	for name, want := range map[string]string{"pigeon": `type "pigeon"`,
		"stranger": `server "stranger" is not in the config`} {
		if _, err := p.Call(t.Context(), name, &backend.Request{Tool: "x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", name, err, want)
		}
	}
}

func TestPoolRestartsARealServerThatCrashed(t *testing.T) {
	p := dial.Pool(&config.Config{Servers: []config.Server{mcptest.Server("s")}})
	defer p.Close()
	if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "crash"}); !errors.Is(err, backend.ErrDisconnected) {
		t.Errorf("crash: %v", err)
	}
	if _, err := p.Call(t.Context(), "s", &backend.Request{Tool: "echo"}); err != nil {
		t.Errorf("after the crash: %v", err)
	}
}
