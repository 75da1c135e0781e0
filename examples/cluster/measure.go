package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What sizes are computed from that are not measured.
const (
	peak      = 5                // times the mean
	toolTime  = 2 * time.Second  // that a script waits for its tools
	waiting   = 20               // scripts whose workers are measured
	waitFor   = 25 * time.Second // that these wait
	waitLimit = time.Minute      // until they do
	spares    = 2                // of the runner: workers that wait for scripts
)

// gate is a server in this process, which is told by its tool begin that a script runs.
type gate struct{ came chan struct{} }

type gateParams struct {
	Item string `json:"item" jsonschema:"what it is about"`
}

type gateResult struct {
	Count int `json:"count"`
}

// serve serves it until closed is called.
func (g *gate) serve() (url string, closed func() error, err error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "gate", Version: "1"}, nil)
	tool := func(name, about string, reads bool, called func()) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}},
			func(context.Context, *mcp.CallToolRequest, gateParams) (*mcp.CallToolResult, gateResult, error) {
				called()
				return nil, gateResult{1}, nil
			})
	}
	tool("look", "Look at an item", true, func() {})
	tool("write", "Write an item", false, func() {})
	tool("begin", "Begin with an item", true, func() { g.came <- struct{}{} })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true})}
	go srv.Serve(l)
	return "http://" + l.Addr().String(), srv.Close, nil
}

// gateScript calls tools of the gate; n makes it another script than all others.
func gateScript(n int, then string, tools ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "UseTools(\"gate.%s\")\n", strings.Join(tools, `", "gate.`))
	for _, t := range tools {
		name := strings.ToUpper(t[:1]) + t[1:]
		fmt.Fprintf(&b, "if _, err := gate.%s(gate.%sParams{Item: \"%d\"}); err != nil {\n\tpanic(err)\n}\n", name, name, n)
	}
	return b.String() + then + "\nReturn(1)\n"
}

// usage is what the processes of a program have used: it and those that it has started.
type usage struct {
	cpu       time.Duration // also of those that have ended
	pss, rss  int64         // bytes, of all
	processes int
}

// used reads it from /proc.
func (p *program) used() (u usage, err error) {
	stat := map[int][]string{}
	children := map[int][]int{}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		return u, errors.New("-measure reads /proc, which this system has not")
	}
	for _, file := range all {
		b, err := os.ReadFile(file)
		if err != nil { // it has ended
			continue
		}
		// PID (NAME) STATE PPID …; the name may have anything in it.
		s := string(b)
		fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(fields) < 22 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(fields[1])
		stat[pid] = fields
		children[parent] = append(children[parent], pid)
	}
	var add func(pid int)
	add = func(pid int) {
		for _, i := range []int{11, 12, 13, 14} { // utime, stime and those of children that have ended
			ticks, _ := strconv.ParseInt(stat[pid][i], 10, 64)
			u.cpu += time.Duration(ticks) * 10 * time.Millisecond // of which Linux tells 100 a second
		}
		u.pss += memory(pid, "Pss:")
		u.rss += memory(pid, "Rss:")
		u.processes++
		for _, child := range children[pid] {
			add(child)
		}
	}
	if stat[p.cmd.Process.Pid] == nil {
		return u, fmt.Errorf("%s has ended", p.name)
	}
	add(p.cmd.Process.Pid)
	return u, nil
}

// memory is what a process has, in bytes; 0: it has ended.
func memory(pid int, of string) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(b)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == of {
			kb, _ := strconv.ParseInt(fields[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// stored is how many bytes of disk a folder takes.
func stored(folder string) (n int64, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// measured is what a cluster of three NATS servers, a front end and a runner takes.
type measured struct {
	front, runner, engine  usage // without scripts
	perWaiting             usage // a worker that waits for its tools
	frontAfter, engineLate usage // after the runs
	frontCPU, runnerCPU    time.Duration
	engineCPU              time.Duration // each of the servers
	disk                   int64         // bytes of a run, on each of the servers
	rate                   float64       // runs a second, with all on this machine
}

// measure measures with so many runs, and prints what follows for larger numbers.
func measure(ctx context.Context, d *demo, runs int, w io.Writer) error {
	g := &gate{make(chan struct{}, waiting)}
	url, closed, err := g.serve()
	if err != nil {
		return err
	}
	defer closed()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"gate": map[string]any{"url": url}}})
	if err != nil {
		return err
	}
	if err := d.start(ctx, string(config), 1, 1, "-max-runs", strconv.Itoa(waiting), "-memory", "128"); err != nil {
		return err
	}
	m, err := d.measured(ctx, g, runs)
	if err != nil {
		return err
	}
	m.tell(w, runs)
	return nil
}

func (d *demo) measured(ctx context.Context, g *gate, runs int) (m *measured, err error) {
	m = &measured{}
	front, runner, engine := d.fronts[0], d.runners[0], d.engines[0]
	if err := d.execute(ctx, 2*waiting, 8, "", "look"); err != nil { // all has been used once
		return nil, err
	}
	read := func(of *program) usage {
		u, e := of.used()
		err = errors.Join(err, e)
		return u
	}
	m.front, m.runner, m.engine = read(front), read(runner), read(engine)

	sent := make(chan error, 1)
	go func() { sent <- d.execute(ctx, waiting, waiting, fmt.Sprintf("time.Sleep(%d)", waitFor), "begin") }()
	deadline := time.After(waitLimit)
	for range waiting {
		select {
		case <-g.came:
		case err := <-sent:
			return nil, errors.Join(errors.New("the scripts that were to wait have ended"), err)
		case <-deadline:
			return nil, errors.New("the scripts that were to wait have not begun in time")
		}
	}
	now := read(runner)
	m.perWaiting = usage{pss: (now.pss - m.runner.pss) / waiting, rss: (now.rss - m.runner.rss) / waiting}
	if now.processes < m.runner.processes+waiting-spares {
		err = errors.Join(err, errors.New("the scripts that were to wait have ended: the machine is too busy to measure"))
	}
	if err := errors.Join(err, <-sent); err != nil {
		return nil, err
	}

	disk, err := stored(filepath.Join(d.folder, engine.name))
	if err != nil {
		return nil, err
	}
	programs := slices.Concat(d.engines, d.fronts, d.runners)
	before := map[*program]usage{}
	for _, p := range programs {
		before[p] = read(p)
	}
	began := time.Now()
	if err := errors.Join(err, d.execute(ctx, runs, 8, "", "look", "write")); err != nil {
		return nil, err
	}
	m.rate = float64(runs) / time.Since(began).Seconds()
	each := func(p *program) time.Duration { return (read(p).cpu - before[p].cpu) / time.Duration(runs) }
	m.frontCPU, m.runnerCPU = each(front), each(runner)
	for _, p := range d.engines {
		m.engineCPU += each(p) / time.Duration(len(d.engines))
	}
	m.frontAfter, m.engineLate = read(front), read(engine)
	after, e := stored(filepath.Join(d.folder, engine.name))
	m.disk = (after - disk) / int64(runs)
	return m, errors.Join(err, e)
}

// execute has a number of scripts run that call tools, some at a time.
func (d *demo) execute(ctx context.Context, scripts, atOnce int, then string, tools ...string) error {
	var sending sync.WaitGroup
	errs := make([]error, atOnce)
	for i := range atOnce {
		sending.Go(func() {
			session, err := connect(ctx, d.fronts[0].url+"/mcp")
			if err != nil {
				errs[i] = err
				return
			}
			defer session.Close()
			for n := i; n < scripts && errs[i] == nil; n += atOnce {
				one, cancel := context.WithTimeout(ctx, scriptTime)
				status, err := executeIn(one, session, gateScript(n, then, tools...))
				cancel()
				if err == nil && status != "ok" {
					err = fmt.Errorf("a script has ended as %q", status)
				}
				errs[i] = err
			}
		})
	}
	sending.Wait()
	return errors.Join(errs...)
}

const (
	mb  = 1 << 20
	day = 24 * time.Hour
)

func (m *measured) tell(w io.Writer, runs int) {
	row := func(what, format string, v ...any) {
		fmt.Fprintf(w, "%-52s "+format+"\n", append([]any{what}, v...)...)
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	fmt.Fprintf(w, "measured: three NATS servers, a front end, a runner; %d runs of a read and a write\n", runs)
	row("memory (PSS): front end, then after the runs", "%d, %d MB", m.front.pss/mb, m.frontAfter.pss/mb)
	row("memory (PSS): runner with its spare workers", "%d MB", m.runner.pss/mb)
	row("memory: a worker that waits for its tools", "%.1f MB PSS, %.1f MB RSS", float64(m.perWaiting.pss)/mb,
		float64(m.perWaiting.rss)/mb)
	row("memory (PSS): a NATS server, then after the runs", "%d, %d MB", m.engine.pss/mb, m.engineLate.pss/mb)
	row("disk: 1,000 runs, on each NATS server", "%.1f MB", float64(m.disk)*1000/mb)
	row("CPU of a run: front end", "%.2f ms", ms(m.frontCPU))
	row("CPU of a run: runner with its worker", "%.2f ms", ms(m.runnerCPU))
	row("CPU of a run: each NATS server", "%.2f ms", ms(m.engineCPU))
	row("runs a second, all of it on this machine", "%.0f", m.rate)

	fmt.Fprintf(w, "\ncomputed: a peak of %d times the mean; scripts wait %v for their tools\n", peak, toolTime)
	fmt.Fprintf(w, "%-52s %12s %12s\n", "", "10^6 a day", "10^7 a day")
	for _, r := range []struct {
		what, format string
		of           func(perSecond float64) float64
	}{
		{"runs a second at the peak", "%.0f", func(n float64) float64 { return n }},
		{"front ends, cores at the peak", "%.1f", func(n float64) float64 { return n * m.frontCPU.Seconds() }},
		{"runners, cores at the peak", "%.1f", func(n float64) float64 { return n * m.runnerCPU.Seconds() }},
		{"each NATS server, cores at the peak", "%.1f", func(n float64) float64 { return n * m.engineCPU.Seconds() }},
		{"scripts that wait at the peak", "%.0f", func(n float64) float64 { return n * toolTime.Seconds() }},
		{"their workers, GB", "%.1f", func(n float64) float64 {
			return n * toolTime.Seconds() * float64(m.perWaiting.pss) / (1 << 30)
		}},
		{"records a day on each NATS server, GB", "%.1f", func(n float64) float64 {
			return n / peak * day.Seconds() * float64(m.disk) / (1 << 30)
		}},
	} {
		cells := []any{r.what}
		for _, runs := range []float64{1e6, 1e7} {
			cells = append(cells, fmt.Sprintf(r.format, r.of(runs/day.Seconds()*peak)))
		}
		fmt.Fprintf(w, "%-52s %12s %12s\n", cells...)
	}
}
