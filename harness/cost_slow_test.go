//go:build slow

package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asNotes makes this test's binary an MCP server with one tool.
const asNotes = "USETOOLS_TEST_NOTES"

func init() {
	if os.Getenv(asNotes) == "" {
		return
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	type query struct {
		Query string `json:"query"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "search_notes", Description: "Search the notes for words",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, query) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a b c a b a"}}}, nil, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// served is harness serve in a process of its own, built without C as releases are.
type served struct {
	t       testing.TB
	program string
	config  string
}

func newServed(t testing.TB) *served {
	t.Helper()
	s := &served{t, filepath.Join(t.TempDir(), "harness"), filepath.Join(t.TempDir(), ".mcp.json")}
	build := exec.Command("go", "build", "-o", s.program, "../cmd/harness")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": map[string]any{
		"command": s.self(), "env": map[string]string{asNotes: "1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config, config, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *served) self() string {
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return self
}

// session connects to a command that serves over stdio.
func (s *served) session(cmd *exec.Cmd) *mcp.ClientSession {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "numbers", Version: "1"}, nil).Connect(s.t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return session
}

func (s *served) call(session *mcp.ClientSession, tool string, args map[string]any) {
	res, err := session.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		text, _ := json.Marshal(res)
		s.t.Fatalf("%v: %s", err, text)
	}
}

// direct is the median time of a call that goes to the tool's server itself, with
// pauses in between, after which a call takes longer.
func (s *served) direct(n int, pause time.Duration) time.Duration {
	cmd := exec.Command(s.self())
	cmd.Env = append(os.Environ(), asNotes+"=1")
	session := s.session(cmd)
	defer session.Close()
	times := make([]time.Duration, n)
	for i := range times {
		<-time.After(pause)
		sent := time.Now()
		s.call(session, "search_notes", map[string]any{"query": "x"})
		times[i] = time.Since(sent)
	}
	slices.Sort(times)
	return times[n/2]
}

// calls is a script that makes n calls, one after another.
func calls(n int) string {
	return fmt.Sprintf(`for range %d {
	if _, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"}); err != nil {
		panic(err)
	}
}`, n)
}

// cost is what runs took.
type cost struct {
	p50    time.Duration
	cpu    time.Duration // of all processes, from start to end
	faults int64         // minor ones, as far as the system tells
	second float64       // runs a second
}

// run sends a script n times, from so many clients at once, with pauses in between.
func (s *served) run(script string, n, spares, atOnce int, pause time.Duration) cost {
	home := s.t.TempDir()
	cmd := exec.Command(s.program, "-config", s.config, "-q", "serve", "-spares", fmt.Sprint(spares))
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	session := s.session(cmd)
	one := func() { s.call(session, "execute", map[string]any{"script": script}) }
	one()
	times := make([]time.Duration, n)
	begin := time.Now()
	var all sync.WaitGroup
	for client := range atOnce {
		all.Go(func() {
			for i := client; i < n; i += atOnce {
				<-time.After(pause)
				sent := time.Now()
				one()
				times[i] = time.Since(sent)
			}
		})
	}
	all.Wait()
	c := cost{second: float64(n) / time.Since(begin).Seconds()}
	slices.Sort(times)
	c.p50 = times[n/2]
	if err := session.Close(); err != nil {
		s.t.Fatal(err)
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // with those that it has waited for
	if usage := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())); usage.Kind() == reflect.Struct {
		if faults := usage.FieldByName("Minflt"); faults.IsValid() {
			c.faults = faults.Int()
		}
	}
	return c
}

// each is what one of many runs takes, without the start and the end of the server.
func (s *served) each(script string, spares, atOnce int, pause time.Duration) cost {
	const few, many = 24, 144
	begin, c := s.run(script, few, spares, atOnce, pause), s.run(script, many, spares, atOnce, pause)
	c.cpu, c.faults = (c.cpu-begin.cpu)/(many-few), (c.faults-begin.faults)/(many-few)
	return c
}

// costRows measures what a run takes of harness serve, a client's program and all
// workers on one machine.
func costRows(t *testing.T) []row {
	s := newServed(t)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
	const trivial, rest = `Return(1)`, 60 * time.Millisecond // in which a spare is made again
	at, paused := s.each(trivial, 2, 1, 0), s.each(trivial, 2, 1, rest)
	fresh, many := s.each(trivial, 0, 1, 0), s.each(trivial, 2, 8, 0)
	direct, one, ten := s.direct(200, 0), s.run(calls(1), 50, 2, 1, rest), s.run(calls(10), 50, 2, 1, rest)
	return []row{
		{"serve: CPU of a trivial script, all processes, without pauses / with", "≤ 8 / ≤ 14 ms",
			ms(at.cpu) + " / " + ms(paused.cpu) + " ms"},
		{"serve: its minor page faults, without pauses / with", "≤ 900", fmt.Sprintf("%d / %d", at.faults, paused.faults)},
		{"serve: its p50, without pauses / with", "≤ 5 / ≤ 1.5 ms", ms(at.p50) + " / " + ms(paused.p50) + " ms"},
		{"serve: its p50, new worker each time", "≤ 7 ms", ms(fresh.p50) + " ms"},
		{"serve: trivial scripts a second, 8 at a time", "≥ 600", fmt.Sprintf("%.0f", many.second)},
		{"serve: a script of one call, spare worker ready, p50",
			"≤ " + ms(direct*6/5+time.Millisecond) + " ms (1.2 × direct + 1 ms)", ms(one.p50) + " ms"},
		{"serve: a script of 10 calls, spare worker ready, p50", "≤ 4 ms", ms(ten.p50) + " ms"},
	}
}

// BenchmarkServed is what a run takes, of all processes together.
func BenchmarkServed(b *testing.B) {
	s := newServed(b)
	for name, pause := range map[string]time.Duration{"pause=0": 0, "pause=60ms": 60 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := s.each(`Return(1)`, 2, 1, pause)
				b.ReportMetric(float64(c.cpu.Microseconds())/1000, "cpu-ms/run")
				b.ReportMetric(float64(c.faults), "faults/run")
				b.ReportMetric(float64(c.p50.Microseconds())/1000, "p50-ms")
			}
		})
	}
	const rest = 60 * time.Millisecond
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(ms(s.direct(200, 0)), "p50-ms")
			b.ReportMetric(ms(s.direct(50, rest)), "p50-ms-after-60ms")
		}
	})
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(ms(s.run(calls(n), 50, 2, 1, rest).p50), "p50-ms")
			}
		})
	}
}
