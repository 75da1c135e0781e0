package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const clusterScript = `
UseTools("shop.get_stock", "shop.buy")
run, reads, buys := 0, 0, 0
Input("run", &run)
Input("reads", &reads)
Input("buys", &buys)
for i := range reads {
	if _, err := shop.GetStock(shop.GetStockParams{Item: fmt.Sprint("read-", run, "-", i)}); err != nil {
		panic(err)
	}
}
bought := map[string]int64{}
for i := range buys {
	item := fmt.Sprint("buy-", run, "-", i)
	o, err := shop.Buy(shop.BuyParams{Item: item})
	var r struct{ Receipt int64 }
	if err == nil {
		err = o.JSON(&r)
	}
	if err != nil {
		panic(err)
	}
	bought[item] = r.Receipt
}
Return(bought)`

// sales is an API that counts what it sells.
type sales struct {
	takes  time.Duration // a request at most
	hold   chan struct{} // not nil: reads are told to held, and wait until it is closed
	held   chan struct{}
	mu     sync.Mutex
	bought map[string]int // receipts by item
	twice  []string
}

func (s *sales) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item := filepath.Base(r.URL.Path)
	receipt := 0
	pause(rand.N(s.takes + 1)) // before it is done, and after that
	defer pause(rand.N(s.takes + 1))
	if r.Method != http.MethodPost && s.hold != nil {
		s.held <- struct{}{}
		select {
		case <-s.hold:
		case <-r.Context().Done():
		}
	}
	if r.Method == http.MethodPost {
		s.mu.Lock()
		if s.bought[item] > 0 {
			s.twice = append(s.twice, item)
		}
		receipt = len(s.bought) + 1
		s.bought[item] = receipt
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"receipt":%d}`, receipt)
}

// serve serves the API until the test ends, and returns a folder with a config that has it.
func (s *sales) serve(t *testing.T) (dir string) {
	api := httptest.NewServer(s)
	t.Cleanup(api.Close)
	dir = t.TempDir()
	for name, text := range map[string]string{"shop.json": shopDocument, ".mcp.json": fmt.Sprintf(
		`{"mcpServers": {"shop": {"type": "openapi", "path": "shop.json", "baseUrl": %q}}}`, api.URL)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (s *sales) receipt(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bought[item]
}

// child is a process that is killed and started again.
type child struct {
	t     *testing.T
	dir   string
	name  string
	args  []string
	links []*clustertest.Link // to the engine
	log   bytes.Buffer
	busy  sync.Mutex // held while something happens to it
	mu    sync.Mutex
	cmd   *exec.Cmd
	pids  map[int]bool // it has had
}

func (c *child) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cmd = command(c.t, c.dir, c.args[1:]...)
	c.cmd.Path = filepath.Join(c.dir, c.args[0])
	c.cmd.Args[0] = c.cmd.Path
	c.cmd.Stderr = &c.log
	if err := c.cmd.Start(); err != nil {
		c.t.Error(err)
		return
	}
	if c.pids == nil {
		c.pids = map[int]bool{}
	}
	c.pids[c.cmd.Process.Pid] = true
}

// has reports whether a process was this one.
func (c *child) has(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pids[pid]
}

func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil {
		c.cmd.Process.Kill()
		c.cmd.Wait()
	}
}

// aCluster is servers of the engine, front ends and runners, each a process.
type aCluster struct {
	t      *testing.T
	wait   time.Duration
	url    string   // of the engine
	fronts []string // URLs
	kinds  map[string][]*child

	striking sync.WaitGroup
	silent   sync.Mutex // held while a process hangs or is cut off
	mu       sync.Mutex
	said     []string // of what happened
}

func startCluster(t *testing.T, dir string, wait time.Duration, servers, fronts, runners int) *aCluster {
	c := &aCluster{t: t, wait: wait, kinds: map[string][]*child{}}
	var urls, routes []string
	add := func(kind string, args ...string) {
		p := &child{t: t, dir: dir, name: fmt.Sprintf("%s %d", kind, len(c.kinds[kind])), args: args}
		if kind != "server" {
			var own []string
			for _, url := range urls {
				l := clustertest.NewLink(t, url)
				p.links, own = append(p.links, l), append(own, l.URL())
			}
			p.args = append(args, "-cluster", strings.Join(own, ","), "-replicas", fmt.Sprint(min(servers, 3)), "-ack-wait", c.wait.String())
		}
		c.kinds[kind] = append(c.kinds[kind], p)
		p.start()
		t.Cleanup(func() {
			p.kill()
			if t.Failed() {
				t.Logf("%s:\n%.4000s", p.name, p.log.String())
			}
		})
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "natsserver")); err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 2*servers+fronts)
	for i := range servers {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", ports[servers+i]))
	}
	c.url = strings.Join(urls, ",")
	for i := range servers {
		args := []string{"natsserver", "-name", fmt.Sprint("n", i), "-port", fmt.Sprint(ports[i]), "-dir",
			filepath.Join(dir, fmt.Sprint("nats", i))}
		if servers > 1 {
			args = append(args, "-route", fmt.Sprint(ports[servers+i]), "-routes", strings.Join(routes, ","))
		}
		add("server", args...)
	}
	own := c.connect(60 * time.Second) // makes the streams
	own.Close()
	for range runners {
		add("runner", "harness", "runner", "-max-runs", "4")
	}
	for i := range fronts {
		addr := fmt.Sprintf("127.0.0.1:%d", ports[2*servers+i])
		add("front", "harness", "serve", "-http", addr, "-stateless", "-no-watch", "-max-runs", "32")
		c.fronts = append(c.fronts, "http://"+addr)
	}
	for _, url := range c.fronts {
		for begun := time.Now(); ; {
			resp, err := http.Get(url + "/healthz")
			if err == nil {
				resp.Body.Close()
				break
			}
			if time.Since(begun) > 30*time.Second {
				t.Fatal(err)
			}
			pause(20 * time.Millisecond)
		}
	}
	return c
}

// connect connects the test itself; several tries, since the servers have just begun.
func (c *aCluster) connect(within time.Duration) *cluster.Cluster {
	c.t.Helper()
	servers := len(c.kinds["server"])
	for begun := time.Now(); ; pause(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(c.t.Context(), within)
		own, err := cluster.Connect(ctx, &cluster.Options{URL: c.url, Replicas: min(servers, 3), AckWait: c.wait})
		cancel()
		if err == nil {
			return own
		}
		if time.Since(begun) > within {
			c.t.Fatal(err)
		}
	}
}

// pause is how long other processes are left alone.
func pause(d time.Duration) { <-time.After(d) }

func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// strike has something happen to a process of a kind in the background: it is killed and
// started again, or it hangs or is cut off from the engine for a while. What is none says
// that it was nothing.
func (c *aCluster) strike(rng *rand.Rand, kind string, whats []string) (what string) {
	all := c.kinds[kind]
	p := all[rng.IntN(len(all))]
	what = whats[rng.IntN(len(whats))]
	down, long := time.Duration(rng.IntN(1000))*time.Millisecond, time.Duration(rng.Int64N(int64(c.wait)/2))
	if rng.IntN(3) == 0 {
		long *= 5 // longer than a process may be silent
	}
	if !p.busy.TryLock() {
		return ""
	}
	if what != "kill" && !c.silent.TryLock() { // one at a time, so that others get on
		what = "kill"
	}
	how := long
	if what == "kill" {
		how = down
	}
	c.striking.Go(func() {
		defer p.busy.Unlock()
		c.say("%s, PID %d: %s for %v", p.name, p.cmd.Process.Pid, what, how)
		switch what {
		case "stop":
			defer c.silent.Unlock()
			p.freeze(true)
			pause(how)
			p.freeze(false)
		case "cut":
			defer c.silent.Unlock()
			for _, l := range p.links {
				l.Cut()
			}
			pause(how)
			for _, l := range p.links {
				l.Mend()
			}
		default:
			p.kill()
			pause(how)
			p.start()
		}
		c.say("%s goes on", p.name)
	})
	return what
}

// say notes what happens, for the report of a failure.
func (c *aCluster) say(format string, a ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, now()+fmt.Sprintf(format, a...))
}

func now() string { return time.Now().UTC().Format("15:04:05.000 ") }

// sendScript sends a script as clients of 2026-07-28 do; nothing is kept between requests.
func sendScript(ctx context.Context, url, script string, inputs map[string]any) (*answerOf, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "execute", "arguments": map[string]any{"script": script, "inputs": inputs, "timeout_ms": 60000},
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}},
	}})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "execute"} {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for {
		line, err := in.ReadBytes('\n')
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok && resp.Header.Get("Content-Type") == "application/json" {
			rest, _ := io.ReadAll(in)
			data, ok = append(line, rest...), true
		}
		var m struct {
			ID     int
			Result *struct {
				IsError           bool
				Content           []struct{ Text string }
				StructuredContent *answerOf
			}
			Error *struct{ Message string }
		}
		if ok && json.Unmarshal(data, &m) == nil && m.ID == 1 {
			switch {
			case m.Error != nil:
				return nil, errors.New(m.Error.Message)
			case m.Result.StructuredContent == nil:
				text := ""
				for _, c := range m.Result.Content {
					text += c.Text
				}
				return &answerOf{text: text}, nil
			}
			a := m.Result.StructuredContent
			for _, c := range m.Result.Content {
				a.text += c.Text
			}
			return a, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the answer ends: %w", err)
		}
	}
}

// answerOf is what a script came to.
type answerOf struct {
	Status outcome.Status `json:"status"`
	Value  json.RawMessage
	Run    string `json:"run"`
	text   string
}

// TestAKilledClusterLosesNothing sends scripts through a cluster whose front ends, runners
// and engine are killed, hang and are cut off, again after each answer that was lost, as
// clients do: what the server has done is what each script asks for, once, and each run has
// an end.
func TestAKilledClusterLosesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long under the race detector, which sees the test's own process alone")
	}
	var whats []string
	leave := false
	for what := range strings.SplitSeq(*clusterKinds, ",") {
		switch {
		case what == "leave":
			leave = true
		case what != "stop" || canFreeze:
			whats = append(whats, what)
		}
	}
	many := *clusterRuns > 100
	servers, pace := 1, 400*time.Millisecond
	if many {
		servers, pace = 3, time.Second
	}
	wait := *clusterWait
	if wait == 0 {
		wait = 2 * time.Second
		if many {
			wait = 20 * time.Second
		}
	}
	shop := &sales{bought: map[string]int{}, takes: 100 * time.Millisecond}
	if many {
		shop.takes = 20 * time.Millisecond
	}
	dir := shop.serve(t)
	c := startCluster(t, dir, wait, servers, 2, 2)
	own := c.connect(30 * time.Second)
	t.Cleanup(func() { own.Close() })
	w := &clusterWorld{t: t, c: c, shop: shop, store: own.Store(nil), leave: leave, ends: map[string]int{}, stories: map[string][]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var striking sync.WaitGroup
	strikes := map[string]int{}
	striking.Go(func() {
		rng := rand.New(rand.NewPCG(*clusterSeed, 1))
		for n := 1; len(whats) > 0; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pace):
			}
			kind := []string{"front", "runner"}[rng.IntN(2)]
			if many && n%30 == 0 {
				kind = "server"
			}
			strikes[c.strike(rng, kind, whats)]++
		}
	})
	var clients sync.WaitGroup
	next := atomic.Int64{}
	for i := range 12 {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(*clusterSeed, uint64(2+i)))
			for n := int(next.Add(1)); n <= *clusterRuns && !t.Failed(); n = int(next.Add(1)) {
				w.play(rng, n)
			}
		})
	}
	clients.Wait()
	stop()
	striking.Wait()
	c.striking.Wait()
	w.check()
	t.Logf("%d runs, seed %d, %v; %v", *clusterRuns, *clusterSeed, strikes, w.ends)
	if t.Failed() {
		t.Log(strings.Join(c.said, "\n"))
	}
}

type clusterWorld struct {
	t       *testing.T
	c       *aCluster
	shop    *sales
	store   *store.Store
	leave   bool
	mu      sync.Mutex
	ends    map[string]int
	stories map[string][]string // by run
}

func (w *clusterWorld) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends[what]++
}

// play sends one script until it is answered for good, or its client does not want it any
// more.
func (w *clusterWorld) play(rng *rand.Rand, n int) {
	reads, buys := rng.IntN(3), 0
	if rng.IntN(5) > 1 {
		buys = 1 + rng.IntN(3)
	}
	inputs := map[string]any{"run": n, "reads": reads, "buys": buys}
	var story []string
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stories[fmt.Sprint(n)] = story
	}()
	const patience = 3 * time.Minute
	for try := 0; ; try++ {
		if try == 300 {
			w.t.Errorf("run %d does not end:\n%s", n, strings.Join(story, "\n"))
			return
		}
		ctx, cancel := context.WithTimeout(w.t.Context(), patience)
		leaves := w.leave && rng.IntN(8) == 0
		if leaves {
			cancel()
			ctx, cancel = context.WithTimeout(w.t.Context(), time.Duration(rng.IntN(2000))*time.Millisecond)
		}
		front := rng.IntN(len(w.c.fronts))
		begun := time.Now()
		a, err := sendScript(ctx, w.c.fronts[front], clusterScript, inputs)
		cancel()
		story = append(story, fmt.Sprintf("%sfront %d, %v: %+v, %v", now(), front, time.Since(begun).Round(time.Millisecond), a, err))
		switch {
		case leaves && errors.Is(err, context.DeadlineExceeded): // its stream is closed, and it is not sent again
			w.count("left")
			return
		case errors.Is(err, context.DeadlineExceeded):
			w.t.Errorf("run %d: no answer:\n%s", n, strings.Join(story, "\n"))
			return
		case err != nil: // the front end is gone: the client sends its request again
			w.count("no answer")
			pause(100 * time.Millisecond)
			continue
		}
		w.count(string(a.Status))
		switch a.Status {
		case outcome.OK:
			var got map[string]int
			if err := json.Unmarshal(a.Value, &got); err != nil {
				w.t.Errorf("run %d: %v: %s", n, err, a.Value)
			}
			for i := range buys {
				item := fmt.Sprintf("buy-%d-%d", n, i)
				if r := w.shop.receipt(item); r == 0 || r != got[item] {
					w.t.Errorf("run %d: the server gave the receipt %d for %s, the script has %v:\n%s", n, r, item, got,
						strings.Join(story, "\n"))
				}
			}
			return
		case outcome.Lost, outcome.Uncertain:
			w.settle(a.Run)
		case outcome.Canceled:
			pause(100 * time.Millisecond)
		case "busy":
			if !strings.Contains(a.text, "nothing has run") {
				w.t.Errorf("run %d: %s", n, strings.Join(story, "\n"))
			}
			pause(100 * time.Millisecond)
		case "": // what was said of the same request earlier cannot be read, say
			if !strings.Contains(a.text, "cannot be reached") {
				w.t.Errorf("run %d: %s", n, strings.Join(story, "\n"))
			}
			pause(100 * time.Millisecond)
		default:
			w.t.Errorf("run %d: %s", n, strings.Join(story, "\n"))
			return
		}
	}
}

// settle says of calls of which nothing is known what the server knows.
func (w *clusterWorld) settle(id string) {
	run, err := w.store.Load(id)
	if err != nil {
		w.t.Errorf("run %s: %v", id, err)
		return
	}
	for _, m := range run.Unknown() {
		st := &record.Settle{N: m.N, Who: "ann", How: "said"}
		if receipt := w.shop.receipt(itemOf(m)); receipt > 0 {
			st.Happened = true
			st.Result = record.Raw(fmt.Appendf(nil,
				`{"content":[{"type":"text","text":"{\"receipt\":%d}"}],"structuredContent":{"receipt":%d}}`, receipt, receipt))
		}
		switch err := w.store.Settle(id, st, -time.Hour); {
		case err == nil:
			w.count("settled")
		case errors.Is(err, store.ErrRunning), errors.Is(err, store.ErrNotUnknown):
		default:
			w.t.Errorf("run %s: %v", id, err)
		}
	}
}

// dump is what is known of the script whose item it is: what its client was told, and its
// records.
func (w *clusterWorld) dump(item string) string {
	n := strings.Split(item, "-")[1]
	b := strings.Join(w.stories[n], "\n") + "\n"
	for sum, err := range w.store.List(w.t.Context(), nil) {
		run, err2 := w.store.Load(sum.ID)
		if err == nil && err2 == nil && string(run.Begin.Inputs["run"].JSON) == n {
			b += linesOf(run)
		}
	}
	return b
}

func linesOf(run *record.Run) (b string) {
	for _, l := range run.Lines {
		if begin, ok := l.(*record.Begin); ok {
			b += fmt.Sprintf("%s %v begin %s, PID %d, front %s\n", begin.ID, begin.Time, begin.Inputs["run"].JSON, begin.PID, begin.Front)
			continue
		}
		line, _ := json.Marshal(l)
		b += fmt.Sprintf("%s %.600s\n", run.Begin.ID, line)
	}
	return b
}

// check holds the records against what the server has done.
func (w *clusterWorld) check() {
	w.shop.mu.Lock()
	for _, item := range w.shop.twice {
		w.t.Errorf("done twice: %s\n%s", item, w.dump(item))
	}
	bought := w.shop.bought
	w.shop.mu.Unlock()
	deadline := time.Now().Add(3*w.c.wait + 30*time.Second) // the last resort of a front end that was killed is its runner's
	for {
		open, all, sent := []string{}, 0, map[string]bool{}
		for sum, err := range w.store.List(w.t.Context(), nil) {
			if err != nil {
				w.t.Fatal(err)
			}
			all++
			run, err := w.store.Load(sum.ID)
			if err != nil || run.Damaged != nil {
				w.t.Fatalf("run %s: %v %v", sum.ID, err, run)
			}
			if sum.Status == record.Running || sum.Status == record.Died {
				open = append(open, fmt.Sprintf("%s %s:\n%s", sum.ID, sum.Status, linesOf(run)))
			}
			if pid := run.Begin.PID; sum.Status == string(outcome.Lost) &&
				!slices.ContainsFunc(w.c.kinds["runner"], func(c *child) bool { return c.has(pid) }) {
				w.t.Fatalf("run %s is lost, and no runner has begun it:\n%s", sum.ID, linesOf(run))
			}
			for _, m := range run.Calls {
				if m.Class == record.Read || m.Done != nil && m.Done.Kind == record.NotSent && m.Settle == nil {
					continue
				}
				sent[itemOf(m)] = true
				if done := m.Done != nil && m.Done.Kind == record.Answered; bought[itemOf(m)] == 0 &&
					(done || m.Settle != nil && m.Settle.Happened) {
					w.t.Errorf("by the record %s is done, and the server has not done it:\n%s", itemOf(m), w.dump(itemOf(m)))
				}
			}
		}
		if len(open) == 0 || time.Now().After(deadline) {
			if len(open) > 0 {
				w.t.Errorf("without an end: %s", strings.Join(open, "\n"))
			}
			for item := range bought {
				if !sent[item] {
					w.t.Errorf("the server has done %s, and no record says so:\n%s", item, w.dump(item))
				}
			}
			w.t.Logf("%d records, %d effects", all, len(bought))
			return
		}
		pause(time.Second)
	}
}
