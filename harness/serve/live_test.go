package serve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry/backend"
)

// folder has a config with one server, whose tools are in a file.
func folder(t *testing.T) (files *catalog.Files, write func(tools ...string)) {
	t.Helper()
	dir := t.TempDir()
	write = func(tools ...string) {
		var list []string
		for _, name := range tools {
			list = append(list, fmt.Sprintf(`{"name":%q,"description":"does %s","inputSchema":{"type":"object"}}`, name, name))
		}
		tmp := filepath.Join(dir, "new")
		if err := os.WriteFile(tmp, []byte("["+strings.Join(list, ",")+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tmp, filepath.Join(dir, "tools.json")); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers":{"shop":{"type":"snapshot","path":"tools.json"}}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	return &catalog.Files{Configs: []string{config}, NoMemory: true, NoObserve: true}, write
}

func TestNewToolsAreThereWithoutARestart(t *testing.T) {
	t.Parallel()
	files, write := folder(t)
	write("sell_apples")
	watching := make(chan struct{}, 10)
	s, _ := serving(t, &serve.Options{Catalog: files.Catalog,
		Watch: func(ctx context.Context, updated func(*catalog.Catalog, error)) error {
			return files.Watch(ctx, -1, func(c *catalog.Catalog, err error) {
				updated(c, err)
				watching <- struct{}{}
			})
		}})
	c := connect(t, s, nil)
	if got, _ := c.run(`UseTools("shop.sell_apples")`); !strings.Contains(got, "shop.SellApples") {
		t.Error(got)
	}
	receive(t, watching) // the first build of the watch
	write("sell_apples", "sell_pears")
	receive(t, watching)
	if got, _ := c.run(`UseTools("shop.sell_pears")`); !strings.Contains(got, "shop.SellPears") {
		t.Error(got)
	}
	s.Describe()
	if got := description(c); !strings.HasSuffix(got, "\n2 tools cannot be called now") { // it is a snapshot
		t.Error(got)
	}
	// A second server takes the registry that this one has saved.
	other := &catalog.Files{Configs: files.Configs, NoMemory: true, NoObserve: true,
		Log: func(line string) { t.Error(line) }}
	defer other.Close()
	cat, err := other.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cat.Registry.Tool("shop.sell_pears"); !ok {
		t.Error("the file has not the new tool")
	}
}

// A run keeps the catalog that it began with, and its connections.
func TestARunKeepsItsCatalog(t *testing.T) {
	t.Parallel()
	exchange, exchanged := make(chan *catalog.Catalog), make(chan struct{})
	var ended, early atomic.Bool
	s, f := serving(t, &serve.Options{MaxRuns: 2, Watch: func(ctx context.Context, updated func(*catalog.Catalog, error)) error {
		select {
		case c := <-exchange:
			updated(c, nil) // behind it the old connections are closed
			early.Store(!ended.Load())
			close(exchanged)
		case <-ctx.Done():
		}
		<-ctx.Done()
		return ctx.Err()
	}})
	c := connect(t, s, nil)
	answer := make(chan string, 1)
	go func() {
		res, err := c.CallTool(t.Context(), call(`UseTools("wait until canceled", "read a file")
if _, err := files.Wait(); err != nil { panic(err) }
if _, err := files.ReadFile(files.ReadFileParams{Path: "a"}); err != nil { panic(err) }
Return("kept")`))
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- textOf(res)
	}()
	receive(t, f.blocked)
	next := &catalog.Catalog{Registry: testRegistry(), Calls: gone{}}
	exchange <- next
	until(t, func() bool { return s.Now() == next })
	if got, _ := c.run(`_, err := files.ReadFile(files.ReadFileParams{Path: "a"}); Return(err.Error())`); !strings.Contains(got, "gone") {
		t.Error("the next script has the old catalog:", got)
	}
	ended.Store(true)
	f.release <- struct{}{}
	if got := receive(t, answer); !strings.HasPrefix(got, "kept\n") {
		t.Error(got)
	}
	receive(t, exchanged)
	if early.Load() {
		t.Error("the old catalog was given up while a script used it")
	}
}

type gone struct{}

func (gone) Call(context.Context, string, *backend.Request) (*backend.Result, error) {
	return nil, fmt.Errorf("gone: %w", backend.ErrDisconnected)
}

// What could not be loaded is said, and tried again.
func TestACatalogThatCannotBeLoadedIsTriedAgain(t *testing.T) {
	var broken = true
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		if broken {
			return nil, &catalog.Error{Err: os.ErrNotExist}
		}
		return &catalog.Catalog{Registry: testRegistry()}, nil
	}})
	c := connect(t, s, nil)
	receive(t, s.Told())
	res := c.call("execute", map[string]any{"script": "Return(1)"})
	if !res.IsError || !strings.Contains(textOf(res), "the tools could not be loaded") {
		t.Error(textOf(res))
	}
	broken = false
	if got, _ := c.run("Return(1)"); got != "1\n" {
		t.Error(got)
	}
}

// A client is told of tools that are not in the list that it has, and of no
// others.
func TestNewsOfToolsAreNews(t *testing.T) {
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery})
	told := make(chan struct{}, 100)
	opts := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context,
		*mcp.ToolListChangedRequest) {
		told <- struct{}{}
	}}
	c := connect(t, s, opts)
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := textOf(c.call("tool_load", map[string]any{"tool": "git.git_log"})); !strings.HasPrefix(got, "loaded") {
		t.Fatal(got)
	}
	receive(t, told)

	sent := 0
	one := s.NewSession("one", serve.Discovery, true)
	one.IsOne(true)
	send := one.Spare(func(context.Context, string, mcp.Request) (mcp.Result, error) { sent++; return nil, nil })
	list := one.Guard(func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, nil })
	news := func(what string, want int) {
		t.Helper()
		sent = 0
		if _, err := send(t.Context(), "notifications/tools/list_changed", nil); err != nil || sent != want {
			t.Errorf("%s: told %d times, want %d, %v", what, sent, want, err)
		}
	}
	news("before it asked for a list", 0)
	list(t.Context(), "tools/list", nil)
	news("of the list that it has", 0)
	one.Loads("git.git_log")
	news("of another tool", 1)
	list(t.Context(), "tools/list", nil)
	news("of the tool that it has seen", 0)
	one.IsOne(false)
	news("those who share a session", 1)
}
