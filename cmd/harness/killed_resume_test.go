package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const goesOnScript = `
UseTools("shop.get_stock", "shop.buy")
run, rounds := 0, 0
Input("run", &run)
Input("rounds", &rounds)
bought := map[string]int64{}
var mu sync.Mutex
buy := func(item string) {
	o, err := shop.Buy(shop.BuyParams{Item: item})
	var r struct{ Receipt int64 }
	if err == nil {
		err = o.JSON(&r)
	}
	if err != nil {
		panic(err)
	}
	mu.Lock()
	defer mu.Unlock()
	bought[item] = r.Receipt
}
for i := range rounds {
	if _, err := shop.GetStock(shop.GetStockParams{Item: fmt.Sprint("read-", run, "-", i)}); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for k := range i % 3 {
		wg.Go(func() { buy(fmt.Sprint("beside-", run, "-", i, "-", k)) })
	}
	buy(fmt.Sprint("buy-", run, "-", i))
	wg.Wait()
}
jobs := make(chan int)
var wg sync.WaitGroup
for range 2 {
	wg.Go(func() {
		for j := range jobs {
			buy(fmt.Sprint("job-", run, "-", j))
		}
	})
}
for j := range rounds {
	jobs <- j
}
close(jobs)
wg.Wait()
Return(bought)`

// ledger is an API that counts what it does, and at a request of one run kills the
// harness or its worker, or is killed itself: its connections end.
type ledger struct {
	mu      sync.Mutex
	run     int
	n       int            // requests of this process
	bought  map[string]int // receipts by item
	twice   []string
	asked   map[string]bool // items of people's yeses; nil: none is needed
	refused []string        // done without a yes
	fatal   int             // the request at which something is killed; 0: none
	what    string
	after   bool // it does what is asked before
	victim  *os.Process
	started chan struct{} // closed when victim is known
	open    map[net.Conn]bool
	rest    *sync.Cond
	done    int // kills
}

func (l *ledger) state(c net.Conn, s http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch s {
	case http.StateNew:
		l.open[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(l.open, c)
		l.rest.Broadcast()
	}
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item := filepath.Base(r.URL.Path)
	if item == "rest" {
		w.Header().Set("Connection", "close")
		return
	}
	l.mu.Lock()
	l.n++
	kill, after, what, victim := l.n == l.fatal, l.after, l.what, l.victim
	started := l.started
	if kill {
		l.done++
	}
	l.mu.Unlock()
	strike := func() {
		switch what {
		case "harness":
			<-started
			l.mu.Lock()
			victim = l.victim
			l.mu.Unlock()
			victim.Kill()
		case "worker":
			<-started
			l.mu.Lock()
			victim = l.victim
			l.mu.Unlock()
			killWorkers(victim.Pid)
		case "server":
			if !strings.HasPrefix(item, "read") {
				panic(http.ErrAbortHandler)
			}
		}
	}
	if kill && !after {
		strike()
	}
	receipt := 0
	if r.Method == http.MethodPost {
		l.mu.Lock()
		if l.bought[item] > 0 {
			l.twice = append(l.twice, item)
		}
		if l.asked != nil && !l.asked[item] {
			l.refused = append(l.refused, item)
		}
		receipt = len(l.bought) + 1
		l.bought[item] = receipt
		l.mu.Unlock()
	}
	if kill && after && what == "server" {
		strike()
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"receipt":%d}`, receipt)
	if kill && after {
		w.(http.Flusher).Flush()
		strike()
	}
}

// killWorkers kills the processes that a process has started, where the system tells
// of them.
func killWorkers(pid int) {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, child := range strings.Fields(string(children)) {
		if n, err := strconv.Atoi(child); err == nil {
			if p, err := os.FindProcess(n); err == nil {
				p.Kill()
			}
		}
	}
}

// TestAKilledRunGoesOn kills the command, its worker or the server at random moments,
// and has the run go on, up to five times, killed again: what the server has done is
// what one execution of the script asks for, each once.
func TestAKilledRunGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := &ledger{open: map[net.Conn]bool{}}
	l.rest = sync.NewCond(&l.mu)
	api := httptest.NewUnstartedServer(l)
	api.Config.ConnState = l.state
	api.Config.ErrorLog = nil
	api.Start()
	defer api.Close()
	for name, text := range map[string]string{
		"shop.json": shopDocument, "script.go": goesOnScript,
		".mcp.json": fmt.Sprintf(`{"mcpServers": {"shop": {"type": "openapi", "path": "shop.json", "baseUrl": %q}}}`,
			api.URL),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(*killSeed, 1))
	most := max(1, *kills/3)
	if *kills > 100 {
		most = *kills
	}
	took := 2 * time.Second // of a run, about
	ends := map[string]int{}
	all := 0
	for n := 0; all < most || n == 0; n++ {
		g := &goingOn{t: t, l: l, dir: dir, api: api.URL, rng: rng, records: filepath.Join(dir, "state"), n: n,
			rounds: 1 + rng.IntN(7), approve: n > 0 && rng.IntN(4) == 0, ends: ends}
		begun := time.Now()
		all += g.play(n == 0, took)
		if n == 0 {
			took = time.Since(begun)
		}
		if t.Failed() {
			t.Fatalf("run %d of seed %d:\n%s", n, *killSeed, strings.Join(g.story, "\n"))
		}
	}
	t.Logf("%d kills; %v", all, ends)
}

// goingOn is one run that is killed and goes on.
type goingOn struct {
	t       *testing.T
	l       *ledger
	dir     string
	api     string
	records string
	rng     *rand.Rand
	n       int
	rounds  int
	approve bool
	ends    map[string]int
	story   []string
}

func (g *goingOn) say(format string, a ...any) { g.story = append(g.story, fmt.Sprintf(format, a...)) }

// play plays the run, and returns how often something was killed. calm: nothing is.
func (g *goingOn) play(calm bool, took time.Duration) (killed int) {
	if err := os.RemoveAll(g.records); err != nil {
		g.t.Fatal(err)
	}
	l := g.l
	l.mu.Lock()
	l.run, l.bought, l.twice, l.refused, l.asked = g.n, map[string]int{}, nil, nil, nil
	if g.approve {
		l.asked = map[string]bool{}
	}
	l.mu.Unlock()
	args := []string{"-q", "run", "-state", g.records, "-no-rejoin", "-json", "-input", fmt.Sprint("run=", g.n), "-input",
		fmt.Sprint("rounds=", g.rounds), "-timeout", "5m"}
	if g.approve {
		args = append(args, "-approve", "writes")
	}
	resumes := 1 + g.rng.IntN(5)
	code, out := g.process(calm, took, &killed, append(args, "script.go")...)
	for i := 0; ; i++ {
		run := g.check()
		if run == nil || g.t.Failed() {
			g.ends["never began"]++
			return killed
		}
		if code == 0 {
			break
		}
		if i > resumes+60 {
			g.t.Error("it does not end")
			return killed
		}
		if run.End != nil && run.End.Status == "ok" { // it was killed when it had ended
			out = fmt.Appendf(nil, `{"value": %s}`, run.End.Value.JSON)
			break
		}
		g.people(run)
		args := []string{"-q", "resume", "-state", g.records, "-json"}
		if run.End != nil && run.End.Status == "memory_limit" { // for that a killed worker is taken
			args = append(args, "-memory", "600")
		}
		code, out = g.process(calm || i >= resumes, took, &killed, append(args, run.Begin.ID)...)
	}
	g.ended(out)
	return killed
}

// process runs the command once.
func (g *goingOn) process(calm bool, took time.Duration, killed *int, args ...string) (code int, out []byte) {
	l := g.l
	l.mu.Lock()
	l.n, l.fatal, l.done, l.started = 0, 0, 0, make(chan struct{})
	l.what = []string{"harness", "harness", "worker", "server"}[g.rng.IntN(4)]
	l.after = g.rng.IntN(2) == 0
	timed := time.Duration(0)
	switch {
	case calm:
	case g.rng.IntN(4) > 0:
		l.fatal = 1 + g.rng.IntN(1+g.rng.IntN(3*g.rounds+2))
	default:
		timed = time.Duration(g.rng.Int64N(int64(took)))
	}
	fatal, what, after := l.fatal, l.what, l.after
	l.mu.Unlock()
	cmd := command(g.t, g.dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	l.mu.Lock()
	l.victim = cmd.Process
	close(l.started)
	l.mu.Unlock()
	if timed > 0 {
		defer time.AfterFunc(timed, func() {
			if what == "worker" {
				killWorkers(cmd.Process.Pid)
			} else {
				cmd.Process.Kill()
			}
		}).Stop()
		*killed++
	}
	err := cmd.Wait()
	g.comeToRest()
	l.mu.Lock()
	*killed += l.done
	l.mu.Unlock()
	code = cmd.ProcessState.ExitCode()
	g.ends[fmt.Sprint("exit ", code)]++
	g.say("%s: %v; %s killed at request %d (after its answer: %v) or after %v; %s%.1000s", args[1], err, what, fatal, after,
		timed, stderr.String(), stdout.String())
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		g.t.Fatal(err)
	}
	return code, stdout.Bytes()
}

// comeToRest waits until the server has nothing of the process before any more: it
// takes connections in their order.
func (g *goingOn) comeToRest() {
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(g.api + "/rest")
	if err != nil {
		g.t.Fatal(err)
	}
	resp.Body.Close()
	late := time.AfterFunc(20*time.Second, func() {
		g.l.mu.Lock()
		defer g.l.mu.Unlock()
		g.t.Error("the server has connections of a process that is gone")
		clear(g.l.open)
		g.l.rest.Broadcast()
	})
	defer late.Stop()
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	for len(g.l.open) > 0 {
		g.l.rest.Wait()
	}
}

func (g *goingOn) store() *store.Store {
	store, err := store.Open(g.records, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return store
}

// check holds the record against what the server has done; nil: there is none.
func (g *goingOn) check() *record.Run {
	var run *record.Run
	store := g.store()
	for sum, err := range store.List(g.t.Context(), nil) {
		if err == nil {
			run, err = store.Load(sum.ID)
		}
		if err != nil || run.Damaged != nil {
			g.t.Errorf("the record cannot be read: %v", err)
			return nil
		}
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	if len(g.l.twice) > 0 {
		g.t.Errorf("done twice: %v", g.l.twice)
	}
	if len(g.l.refused) > 0 {
		g.t.Errorf("done without a yes: %v", g.l.refused)
	}
	if run == nil {
		if len(g.l.bought) > 0 {
			g.t.Errorf("there is no record, and the server has done %v", g.l.bought)
		}
		return nil
	}
	unknown, done := map[string]bool{}, map[string]bool{}
	for _, m := range run.Unknown() {
		unknown[itemOf(m)] = true
	}
	for _, m := range run.Calls {
		answered := m.Done != nil && m.Done.Kind == record.Answered
		if m.Class != record.Read && (answered || m.Settle != nil && m.Settle.Happened) {
			done[itemOf(m)] = true
		}
	}
	for item := range g.l.bought {
		if !unknown[item] && !done[item] {
			g.t.Errorf("the server has done %s, and the record does not say so", item)
		}
	}
	for item := range done {
		if g.l.bought[item] == 0 {
			g.t.Errorf("by the record %s is done, and the server has not done it", item)
		}
	}
	return run
}

func itemOf(m *record.Made) string {
	var args struct{ Item string }
	json.Unmarshal(m.Args.JSON, &args)
	return args.Item
}

// people answer what is asked, and say of calls of which nothing is known what the
// server knows.
func (g *goingOn) people(run *record.Run) {
	store := g.store()
	for _, a := range run.Open() {
		var args struct{ Item string }
		json.Unmarshal(a.Args.JSON, &args)
		g.l.mu.Lock()
		if g.l.asked != nil {
			g.l.asked[args.Item] = true
		}
		g.l.mu.Unlock()
		if err := store.Answer(run.Begin.ID+"."+a.A, &record.Answer{Yes: true, Who: "ann", How: "test"}); err != nil {
			g.t.Error(err)
		}
		g.say("yes to %s", args.Item)
	}
	for _, m := range run.Unknown() {
		st := &record.Settle{N: m.N, Who: "ann", How: "said"}
		g.l.mu.Lock()
		if receipt := g.l.bought[itemOf(m)]; receipt > 0 {
			st.Happened = true
			st.Result = record.Raw(fmt.Appendf(nil,
				`{"content":[{"type":"text","text":"{\"receipt\":%d}"}],"structuredContent":{"receipt":%d}}`, receipt, receipt))
		}
		g.l.mu.Unlock()
		// Nothing of it is under way any more: one need not wait.
		if err := store.Settle(run.Begin.ID, st, -time.Hour); err != nil {
			g.t.Error(err)
		}
		g.say("settled %s: %v", itemOf(m), st.Happened)
	}
}

// ended holds the value of the script against what the server has done.
func (g *goingOn) ended(out []byte) {
	var res struct{ Value map[string]int }
	if err := json.Unmarshal(out, &res); err != nil {
		g.t.Errorf("%v: %s", err, out)
		return
	}
	want := map[string]bool{}
	for i := range g.rounds {
		want[fmt.Sprintf("buy-%d-%d", g.n, i)], want[fmt.Sprintf("job-%d-%d", g.n, i)] = true, true
		for k := range i % 3 {
			want[fmt.Sprintf("beside-%d-%d-%d", g.n, i, k)] = true
		}
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	for item := range want {
		if g.l.bought[item] == 0 || g.l.bought[item] != res.Value[item] {
			g.t.Errorf("%s: the server gave the receipt %d, the script has %d", item, g.l.bought[item], res.Value[item])
		}
	}
	for item := range g.l.bought {
		if !want[item] {
			g.t.Errorf("the server has done %s, which the script does not ask for", item)
		}
	}
	g.ends["ok"]++
}
