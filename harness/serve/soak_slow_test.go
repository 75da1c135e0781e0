//go:build slow

package serve_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/registry/backend"
)

var soak = flag.Duration("soak", 2*time.Second, "how long TestSoak lasts")

// soakScripts are what clients send, and what must be in the answer. A third
// is hostile or fails.
var soakScripts = []struct{ script, want string }{
	{"Return(1 + {n})", "{n+1}"},
	{"fmt.Println(\"n is\", {n})", "n is {n}"},
	{"r, err := files.ReadFile(files.ReadFileParams{Path: \"p{n}\"})\nif err != nil { Return(err.Error()) } else { " +
		"Return(r.Text()) }", "p{n}|went away"},
	{"UseTools(\"show the commit history of a git repository\")\nl, err := git.Log(git.LogParams{})\nif err != nil { " +
		"Return(err.Error()) } else { Return(len(l.Commits)) }", "3|went away"},
	{"UseTools(\"read a file\")", "files.ReadFile"},
	{"var out []string\nfor i := range 2000 { out = append(out, fmt.Sprint(\"item\", i)) }\nReturn(out)", "more of 2000"},
	{"files.NoSuchThing{n}()", "undefined"},
	{"panic({n})", "panic: {n}"},
	{"for { }", "timeout|cpu_limit"},
	{"var b [][]byte\nfor { b = append(b, make([]byte, 1<<24)) }", "memory_limit|timeout"},
}

// leaving is a Caller whose servers go away now and then.
type leaving struct {
	*fake
	gone atomic.Bool
}

func (l *leaving) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	if l.gone.Load() {
		return nil, fmt.Errorf("server %q went away: %w", server, backend.ErrDisconnected)
	}
	return l.fake.Call(ctx, server, req)
}

// TestSoak has 64 clients send scripts of all kinds while backends restart and
// catalogs are exchanged: no answer is wrong, and nothing is left behind. The
// long one: go test -tags slow ./harness/serve -run Soak -soak 10m -timeout 15m -v
func TestSoak(t *testing.T) {
	const clients = 64
	if d, ok := t.Deadline(); ok && time.Until(d) < *soak+time.Minute {
		t.Fatalf("-soak %v takes -timeout %v", *soak, *soak+5*time.Minute)
	}
	f := &leaving{fake: newFake()}
	fresh := func() *catalog.Catalog { return &catalog.Catalog{Registry: testRegistry(), Calls: f} }
	stop := make(chan struct{})
	before := resources()
	s, err := serve.New(&serve.Options{
		Catalog: func(context.Context) (*catalog.Catalog, error) { return fresh(), nil },
		Watch: func(ctx context.Context, updated func(*catalog.Catalog, error)) error {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					f.gone.Store(!f.gone.Load())
					updated(fresh(), nil)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		},
		Limits: harness.Limits{Timeout: 30 * time.Second, Memory: 160 << 20}, BestEffort: true, Spares: 2, MaxRuns: 4,
		MaxQueue: 1000, Answer: 800,
		Audit: observe.AuditFile{Path: filepath.Join(t.TempDir(), "audit.jsonl")}, Grace: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	h, served := &serve.HTTP{}, make(chan error, 1)
	url := "http://" + at(t, h) + "/mcp"
	go func() { served <- s.HTTP(ctx, h) }()
	time.AfterFunc(*soak, func() { close(stop) })
	var work sync.WaitGroup
	var answers atomic.Int64
	followed := make(chan *course, 1)
	go func() { followed <- follow(stop) }()
	for i := range clients {
		work.Go(func() {
			if err := soakClient(t.Context(), url, []string{"2025-11-25", "2026-07-28"}[i%2], uint64(i), stop,
				&answers); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	c := <-followed
	t.Logf("at most %d workers with %d MB, %d files, %d goroutines; memory in MB %v", c.children, c.sumMB, c.files,
		c.goroutine, thinned(c.memory))
	if c.grows() {
		t.Error("the memory of the server keeps growing")
	}
	end()
	if err := errors.Join(receive(t, served), s.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("%d answers", answers.Load())
	after := resources()
	for deadline := time.Now().Add(20 * time.Second); !after.within(before) &&
		time.Now().Before(deadline); after = resources() {
		runtime.Gosched()
	}
	if !after.within(before) {
		buf := make([]byte, 1<<20)
		t.Errorf("before %+v, after %+v\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
	t.Logf("before %+v, after %+v", before, after)
}

func soakClient(ctx context.Context, url, version string, seed uint64, stop <-chan struct{},
	answers *atomic.Int64) error {
	transport := &mcp.StreamableClientTransport{Endpoint: url}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil).Connect(ctx, transport,
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer cs.Close()
	r := rand.New(rand.NewPCG(seed, 1))
	for n := int(seed) * 1000; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		x := soakScripts[r.IntN(len(soakScripts))]
		fill := strings.NewReplacer("{n}", fmt.Sprint(n), "{n+1}", fmt.Sprint(n+1))
		script, want := fill.Replace(x.script+"\n// {n}"), fill.Replace(x.want)
		ctx, cancel := context.WithTimeout(ctx, 3*time.Minute) // its turn comes late, but it comes
		res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "execute",
			Arguments: map[string]any{"script": script, "timeout_ms": 400 + 20_000*btoi(!strings.Contains(x.want, "timeout"))}})
		cancel()
		if err != nil {
			return fmt.Errorf("%q: %w", script, err)
		}
		answers.Add(1)
		got := textOf(res)
		if !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(got, w) }) {
			return fmt.Errorf("%q was answered %q, want %q", script, got, want)
		}
	}
}

// thinned is some of many numbers, the first and the last included.
func thinned(all []int) (some []int) {
	for i := range min(len(all), 20) {
		some = append(some, all[i*(len(all)-1)/max(1, min(len(all), 20)-1)])
	}
	return some
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// held is what a process holds.
type held struct {
	Goroutines, Files int
	Children          int // processes; WorkersMB is the memory of them all
	HeapMB            int
	MemoryMB          int // resident, without the pages of files, which the program text is
	WorkersMB         int
}

// resources is what this process, which has the server and the clients of the
// soak in it, holds after everything was collected and given back.
func resources() held {
	debug.FreeOSMemory()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	h := held{Goroutines: runtime.NumGoroutine(), HeapMB: int(mem.HeapAlloc >> 20), MemoryMB: anonymousMB(os.Getpid())}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.Files = len(fds)
	}
	pids := children()
	h.Children = len(pids)
	for _, pid := range pids {
		h.WorkersMB += anonymousMB(pid)
	}
	return h
}

// children are the processes below this one.
func children() []int {
	var pids []int
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range tasks {
		b, _ := os.ReadFile(f)
		for _, field := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// anonymousMB is a process's resident memory but for the pages of files; 0
// where it cannot be known.
func anonymousMB(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "\nRssAnon:")
	kb := 0
	fmt.Sscan(rest, &kb)
	return kb >> 10
}

// within allows for what the client side and the runtime keep for a while, and
// for tables and models that are loaded once. Stacks and the allocator's own
// tables come to the resident memory, which also keeps pages that are only
// partly free.
func (h held) within(before held) bool {
	return h.Children <= before.Children && h.WorkersMB <= before.WorkersMB && h.Files <= before.Files+8 &&
		h.Goroutines <= before.Goroutines+8 &&
		h.HeapMB <= before.HeapMB+24 &&
		(raceEnabled || h.MemoryMB <= before.MemoryMB+64) // the race detector's own memory is not given back
}

// course follows the memory of a soak.
type course struct {
	memory           []int // of this process, at even times
	children, sumMB  int   // the most at a time
	files, goroutine int
}

// follow samples until stop is closed.
func follow(stop <-chan struct{}) *course {
	c := &course{}
	tick := time.NewTicker(max(*soak/200, 50*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return c
		case <-tick.C:
		}
		c.memory = append(c.memory, anonymousMB(os.Getpid()))
		pids, sum := children(), 0
		for _, pid := range pids {
			sum += anonymousMB(pid)
		}
		c.children, c.sumMB = max(c.children, len(pids)), max(c.sumMB, sum)
		c.goroutine = max(c.goroutine, runtime.NumGoroutine())
		if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
			c.files = max(c.files, len(fds))
		}
	}
}

// grows reports whether memory kept growing: the least of the last third is
// above the most of the first by more than what fills up meanwhile, the 32 values
// that each session keeps for Stored (22 MB here, twice that with what the
// collector leaves). Short soaks do not tell.
func (c *course) grows() bool {
	third := len(c.memory) / 3
	return *soak >= time.Minute && third > 0 && slices.Min(c.memory[2*third:]) > slices.Max(c.memory[:third])+64
}
