// Package bench measures a harness server as its clients see it: as a separate process, over stdio,
// on this machine and with the user's config.
//
// [Run] starts the given command twice. With the user's own flags, it measures what depends on the
// config: the start, the list of tools, memory, and scripts without calls. Over a small server that
// answers at once ([Echo]), it measures the cost of calls, and compares them with the same calls
// made directly.
//
// The result is the rows of a table, with the goal beside each number. As with agents, there is a
// pause between two scripts, except in the rows that say so.
package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// Options configure Run.
type Options struct {
	// Command is the harness with the flags for the config and the registry: the part before
	// "serve".
	Command []string
	// Program is the harness without flags. Echo are the arguments with which it serves Echo.
	Program string
	Echo    []string
	// N is the number of repetitions of each measurement. If zero, it is 100.
	N int
	// Spares is the number of spare workers.
	Spares int
	// Progress receives the name of each measurement as it begins. It may be nil.
	Progress func(string)
}

// Row is one measurement.
type Row struct {
	What     string  `json:"what"`
	Goal     string  `json:"goal"`
	Measured float64 `json:"measured"`
	Unit     string  `json:"unit"`
}

// Value returns the measured number with its unit.
func (r Row) Value() string {
	return strconv.FormatFloat(r.Measured, 'f', map[bool]int{true: 0, false: 2}[r.Unit == "tokens" || r.Unit == "MB"],
		64) + " " + r.Unit
}

// Met reports whether the goal is met. If the row has no goal that can be checked, known is false.
func (r Row) Met() (met, known bool) {
	words := strings.Fields(r.Goal)
	if len(words) < 2 {
		return false, false
	}
	goal, err := strconv.ParseFloat(strings.ReplaceAll(words[1], ",", ""), 64)
	switch {
	case err != nil:
	case words[0] == "≤":
		return r.Measured <= goal, true
	case words[0] == "≥":
		return r.Measured >= goal, true
	}
	return false, false
}

// pause is the time between two scripts of a client, in which a spare worker gets ready. Models
// think longer.
const pause = 100 * time.Millisecond

// starting bounds the start of a server, which may have to build a registry.
const starting = 5 * time.Minute

// Run runs all measurements. An error means that some could not be made at all.
func Run(ctx context.Context, o *Options) ([]Row, error) {
	b := &bench{Options: *o, ctx: ctx}
	b.N = cmp.Or(b.N, 100)
	if b.Progress == nil {
		b.Progress = func(string) {}
	}
	err := errors.Join(b.own(), b.calls())
	return b.rows, err
}

type bench struct {
	Options
	ctx  context.Context
	rows []Row
}

func (b *bench) add(what, goal, unit string, measured float64) {
	b.rows = append(b.rows, Row{what, goal, measured, unit})
}

// server is a running harness with a client.
type server struct {
	*mcp.ClientSession
	cmd *exec.Cmd
}

func (b *bench) start(command ...string) (*server, error) {
	ctx, cancel := context.WithTimeout(b.ctx, starting)
	defer cancel()
	cmd := exec.Command(command[0], command[1:]...)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", strings.Join(command, " "), err)
	}
	return &server{cs, cmd}, nil
}

// run runs a script, which must succeed.
func (s *server) run(ctx context.Context, script string) (time.Duration, error) {
	begin := time.Now()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script}})
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	if res.IsError {
		text := ""
		if len(res.Content) > 0 {
			if t, ok := res.Content[0].(*mcp.TextContent); ok {
				text = t.Text
			}
		}
		return 0, fmt.Errorf("%q failed: %s", script, text)
	}
	return took, nil
}

// times runs a script N times, with a pause before each, and returns the sorted durations.
func (b *bench) times(s *server, script string, pause time.Duration) ([]time.Duration, error) {
	out := make([]time.Duration, 0, b.N)
	for range b.N {
		if err := b.think(pause); err != nil {
			return nil, err
		}
		d, err := s.run(b.ctx, script)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	slices.Sort(out)
	return out, nil
}

func (b *bench) think(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func at(sorted []time.Duration, p float64) float64 {
	return ms(sorted[min(int(p*float64(len(sorted))), len(sorted)-1)])
}

// own measures the server with the user's own config.
func (b *bench) own() error {
	b.Progress("starting with your config")
	command := append(slices.Clone(b.Command), "serve", "-no-watch", "-spares", strconv.Itoa(b.Spares))
	s, err := b.start(command...) // this builds the registry if needed
	if err != nil {
		return err
	}
	if _, err := s.ListTools(b.ctx, nil); err != nil {
		return err
	}
	if _, err := s.run(b.ctx, "Return(1)"); err != nil {
		return err
	}
	s.Close()
	var starts []time.Duration
	for range 5 {
		begin := time.Now()
		if s, err = b.start(command...); err != nil {
			return err
		}
		if _, err := s.run(b.ctx, "Return(1)"); err != nil {
			return err
		}
		starts = append(starts, time.Since(begin))
		if len(starts) < 5 {
			s.Close()
		}
	}
	defer s.Close()
	slices.Sort(starts)
	list, err := s.ListTools(b.ctx, nil)
	if err != nil {
		return err
	}
	wire, err := json.Marshal(list)
	if err != nil {
		return err
	}
	b.add("the tool list, about", "≤ 1,000", "tokens", float64(text.Tokens(string(wire))))
	b.add("start to first answer, p50", "≤ 150 ms", "ms", at(starts, .5))
	b.Progress("scripts that call nothing")
	trivial, err := b.times(s, "Return(1)", pause)
	if err != nil {
		return err
	}
	b.add("a script that returns 1, p50", "≤ 2 ms", "ms", at(trivial, .5))
	b.add("a script that returns 1, p99", "≤ 15 ms", "ms", at(trivial, .99))
	if trivial, err = b.times(s, "Return(1)", 0); err != nil {
		return err
	}
	b.add("the same without a pause, p50", "", "ms", at(trivial, .5))
	b.add("the same without a pause, p99", "", "ms", at(trivial, .99))
	b.memory(s)
	return nil
}

// memory measures the memory of an idle server and of its spares.
func (b *bench) memory(s *server) {
	if b.think(pause) != nil {
		return
	}
	rss := residentMB(s.cmd.Process.Pid)
	if rss == 0 {
		return // unknown on this system
	}
	b.add("resident memory, idle", "≤ 60 MB", "MB", rss)
	n, sum := 0, 0.0
	for _, pid := range children(s.cmd.Process.Pid) {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && sameFile(exe, b.Program) {
			n, sum = n+1, sum+residentMB(pid)
		}
	}
	if n > 0 {
		b.add("resident memory of a spare", "≤ 40 MB", "MB", sum/float64(n))
	}
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// residentMB returns the resident memory of a process in MB, or 0 if it is unknown.
func residentMB(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	return 0
}

func children(pid int) []int {
	var out []int
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for _, s := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(s); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// calls measures the cost of calls, and of the same calls made directly.
func (b *bench) calls() error {
	b.Progress("calls")
	dir, err := os.MkdirTemp("", "usetools-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mcp.json")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"bench": map[string]any{"command": b.Program,
		"args": b.Echo}}})
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return err
	}
	raw, err := b.direct(file)
	if err != nil {
		return err
	}
	s, err := b.start(b.Program, "-config", file, "-no-memory", "serve", "-no-watch", "-spares", strconv.Itoa(b.Spares))
	if err != nil {
		return err
	}
	defer s.Close()
	const call = "if _, err := bench.Echo(bench.EchoParams{Text: \"x\"}); err != nil { panic(err) }\n"
	if _, err := s.run(b.ctx, "UseTools(\"bench.echo\")\n"+call); err != nil {
		return err
	}
	for _, x := range []struct{ what, goal, script string }{
		{"a script with one call, p50", fmt.Sprintf("≤ %.2f ms (1.2 × direct + 2 ms)", 1.2*raw+2), call},
		{"10 calls, one after the other, p50", "≤ 8 ms", "for range 10 {\n" + call + "}"},
		{"20 calls at once, p50", "≤ 12 ms", "var wg sync.WaitGroup\nfor range 20 { wg.Go(func() {\n" + call +
			"}) }\nwg.Wait()"},
	} {
		ts, err := b.times(s, "UseTools(\"bench.echo\")\n"+x.script, pause)
		if err != nil {
			return err
		}
		b.add(x.what, x.goal, "ms", at(ts, .5))
	}
	return nil
}

// direct returns the median duration of a call without a harness, in ms.
func (b *bench) direct(file string) (float64, error) {
	cfg, err := config.Load(file)
	if err != nil {
		return 0, err
	}
	pool := dial.Pool(cfg)
	defer pool.Close()
	var ts []time.Duration
	for range b.N + 1 {
		begin := time.Now()
		if _, err := pool.Call(b.ctx, "bench", &backend.Request{Tool: "echo", Args: registry.ReadArgs([]byte(`{"text":"x"}`))}); err != nil {
			return 0, err
		}
		ts = append(ts, time.Since(begin))
	}
	ts = ts[1:] // the first one starts the server
	slices.Sort(ts)
	raw := at(ts, .5)
	b.add("a call made directly, p50", "", "ms", raw)
	return raw, nil
}

// Echo runs an MCP server on stdin and stdout. Its only tool, echo, returns its input.
func Echo(ctx context.Context) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", Description: "Say a text back",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil
		})
	return s.Run(ctx, &mcp.StdioTransport{})
}
