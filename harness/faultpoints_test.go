package harness_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// TestFaultPoints plays runs of scripts that are drawn at random, of which the
// harness, the worker or the server is killed, or the disk fails, at points that are
// drawn at random, and which go on after that, several times. A server counts: all
// effects are those of one execution, none is made twice, none without the yes that it
// needs, and what nobody knows is said.
func TestFaultPoints(t *testing.T) {
	dir := t.TempDir()
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() { // a disk's syncs take long
		if d, err := os.MkdirTemp("/dev/shm", "faults"); err == nil {
			dir = d
			t.Cleanup(func() { os.RemoveAll(d) })
		}
	}
	total := map[string]int{}
	ends := map[string]int{}
	begun := time.Now()
	points, scenarios := 0, 0
	for n := uint64(1); points < quarter(*faultPoints); n++ {
		if *faultOnly > 0 {
			n = *faultOnly
		}
		s := newScenario(t, filepath.Join(dir, fmt.Sprint(n)), n)
		s.play()
		if len(s.w.bad) > 0 {
			t.Errorf("scenario %d of seed %d:\n%s", n, *seed, s.tell())
			break
		}
		for k, v := range s.w.faults {
			total[k] += v
		}
		ends[s.end]++
		points += s.w.sum
		scenarios++
		os.RemoveAll(s.w.dir)
		if *faultOnly > 0 {
			t.Log(s.tell())
			break
		}
	}
	t.Logf("%d failures in %d scenarios in %v", points, scenarios, time.Since(begun).Round(time.Millisecond))
	for _, m := range []map[string]int{total, ends} {
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&b, "\n%7d %s", m[k], k)
		}
		t.Log(b.String())
	}
}

// scenario is one run, with all that happens to it.
type scenario struct {
	t       *testing.T
	w       *world
	rng     *rand.Rand
	n       uint64
	wall    time.Duration // of the clock, since where it begins in a bubble
	id      string        // of the run
	end     string
	value   string // of the last attempt
	story   []string
	clocked bool // the clock is set now and then
}

func newScenario(t *testing.T, dir string, n uint64) *scenario {
	rng := rand.New(rand.NewPCG(*seed, n))
	w := &world{dir: dir, model: drawModel(rng), rng: rand.New(rand.NewPCG(rng.Uint64(), 1)), yes: map[string]int{},
		faults: map[string]int{}}
	return &scenario{t: t, w: w, rng: rng, n: n, wall: 30 * 24 * time.Hour, clocked: rng.IntN(5) == 0}
}

// at does something at the present time, with a clock of its own.
func (s *scenario) at(f func()) {
	synctest.Test(s.t, func(t *testing.T) {
		time.Sleep(s.wall)
		s.w.begun = time.Now()
		room.UnderWay = room.NewResults(room.Max, time.Second)
		f()
		took := time.Since(s.w.begun)
		s.wall += took
		s.w.before += took
		s.w.begun = time.Now()
	})
}

func (s *scenario) say(format string, a ...any) { s.story = append(s.story, fmt.Sprintf(format, a...)) }

func (s *scenario) script() *harness.Script {
	return &harness.Script{Catalog: modelCatalog(), Policy: &policy.Policy{Approve: policy.ApproveMarked}, Limits: harness.Limits{Timeout: time.Hour}}
}

// killAt draws the point at which a process is killed, 0: none.
func (s *scenario) killAt() int {
	if s.rng.IntN(8) == 0 {
		return 0
	}
	return 1 + s.rng.IntN(1+s.rng.IntN(30+14*s.w.model.effects))
}

// play lets the run begin, fail, and go on until it has ended.
func (s *scenario) play() {
	if err := os.Mkdir(s.w.dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.process(func(ctx context.Context, h *harness.Harness) (*outcome.Result, error) {
		one := s.script()
		one.Source = "model"
		return h.Run(ctx, one)
	}, s.killAt())
	resumes := 1 + s.rng.IntN(5)
	for i := 0; s.id != "" && !s.over(); i++ {
		calm := i >= resumes
		if i > resumes+60 && s.w.model.chancy {
			s.end = "goes on asking"
			break
		}
		if i > resumes+60 {
			s.w.fault("it does not end")
			return
		}
		if calm {
			s.w.mu.Lock()
			s.w.model.fates, s.w.model.workerDies = 0, 0
			s.w.mu.Unlock()
		}
		s.between(calm)
		kill := 0
		if !calm {
			kill = s.killAt()
		}
		s.process(func(ctx context.Context, h *harness.Harness) (*outcome.Result, error) {
			return h.Resume(ctx, s.id, s.script())
		}, kill)
	}
	s.ended()
}

// process is a process that runs the script, and may be killed.
func (s *scenario) process(do func(context.Context, *harness.Harness) (*outcome.Result, error), killAt int) {
	failAt := 0
	if killAt > 0 && s.rng.IntN(20) == 0 {
		failAt, killAt = killAt, 0
	}
	s.at(func() {
		p, ctx := s.w.newProcess(killAt, failAt)
		defer p.cancel()
		p.leave = s.rng.IntN(10) == 0
		if s.rng.IntN(6) == 0 {
			p.rivalAt, p.rival = 1+s.rng.IntN(20+10*s.w.model.effects), s.rival
		}
		store, err := p.open(s.w.dir)
		if err != nil {
			s.t.Fatal(err)
		}
		h := harness.New(&harness.Options{Records: store})
		res, err := do(harness.WithWork(ctx, s.w.work(p)), h)
		h.Close()
		if p.isDead() {
			s.end = "killed"
			s.say("killed at point %d: %s", p.n, p.at)
			if s.rng.IntN(3) == 0 {
				s.say("power failure")
				if err := s.w.loseUnsynced(); err != nil {
					s.t.Fatal(err)
				}
				if s.w.recordFile() == "" {
					s.id = ""
				}
			}
		} else {
			s.outcome(p, res, err)
		}
		s.check()
	})
}

// rival is another process that wants to go on with a run that is under way.
func (s *scenario) rival() {
	records, err := store.Open(s.w.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for sum, err := range records.List(context.Background(), nil) {
		if err != nil {
			s.w.fault("the list: %v", err)
			return
		}
		for what, err := range map[string]error{
			"settled": records.Settle(sum.ID, &record.Settle{N: 1, Who: "eve"}, 0),
			"closed":  records.EndRun(sum.ID, "eve", ""),
		} {
			if !errors.Is(err, store.ErrRunning) {
				s.w.fault("a run that is under way is %s by another process: %v", what, err)
			}
		}
		_, err := harness.New(&harness.Options{Records: records}).Resume(context.Background(), sum.ID, s.script())
		if !errors.Is(err, store.ErrRunning) {
			s.w.fault("a run that is under way is gone on with by another process: %v", err)
		}
	}
}

// outcome takes what a process says of its run.
func (s *scenario) outcome(p *process, res *outcome.Result, err error) {
	var stays *harness.NotResumableError
	var unknown *record.UnknownError
	switch {
	case p.failed:
		s.end = "disk"
		s.say("the disk failed: %+v, %v", res, err)
	case errors.As(err, &unknown):
		s.end = "uncertain"
		s.say("not gone on with: %v", err)
	case errors.As(err, &stays):
		s.end = "not resumable"
		s.say("not gone on with: %v", err)
	case err != nil:
		s.end = "error"
		s.w.fault("an error: %v", err)
	default:
		s.end, s.value = string(res.Status), string(res.Value)
		s.say("%s, %d attempts: %d waiting, %d unknown %+v", res.Status, res.Attempts, len(res.Waiting), len(res.Unknown),
			res.Error)
		if res.Status == outcome.Diverged && s.w.model.strict() {
			s.w.fault("a deterministic script has diverged: %s", res.Error.Message)
		}
		if s.end == string(outcome.Diverged) && !s.w.model.chancy {
			s.w.fault("diverged: %s", res.Error.Message)
		}
	}
}

// over reports whether the run has come to an end for good.
func (s *scenario) over() bool {
	switch s.end {
	case string(outcome.OK), string(outcome.ScriptError), "not resumable", "error":
		return true
	case string(outcome.Diverged):
		return true
	}
	return len(s.w.bad) > 0
}

// between is what happens between two attempts: time passes, people answer, and say
// what they know. calm: nothing fails.
func (s *scenario) between(calm bool) {
	switch n := s.rng.IntN(10); {
	case n < 5:
		s.pass(time.Duration(s.rng.IntN(5000)) * time.Millisecond)
	case n < 8:
		s.pass(time.Duration(s.rng.IntN(600)) * time.Second)
	case n < 9:
		s.pass(6 * 24 * time.Hour)
	}
	if s.clocked && s.rng.IntN(2) == 0 {
		s.w.comeToRest() // else a person is misled
		s.wall += time.Duration(s.rng.IntN(20*24)-10*24) * time.Hour
		s.wall = max(s.wall, 0)
		s.say("the clock is set to %v", s.wall)
	}
	s.at(func() {
		if s.end != string(outcome.Uncertain) {
			s.people(calm)
		}
		if s.end != string(outcome.Waiting) {
			s.settle(calm)
		}
	})
}

// pass lets time pass.
func (s *scenario) pass(d time.Duration) {
	s.wall += d
	s.w.before += d
	s.w.mu.Lock()
	for _, q := range s.w.requests {
		if q.due > 0 && q.due <= s.w.before {
			q.late = true
			s.w.executeLocked(q)
		}
	}
	s.w.mu.Unlock()
}

// people answer what the run asks: from another process, which may be killed.
func (s *scenario) people(calm bool) {
	for again := true; again; {
		kill := 0
		if !calm && s.rng.IntN(10) == 0 {
			kill = 1 + s.rng.IntN(4)
		}
		p, ctx := s.w.newProcess(kill, 0)
		defer p.cancel()
		store, err := p.open(s.w.dir)
		if err != nil {
			s.t.Fatal(err)
		}
		for x, err := range approval.List(ctx, store, nil) {
			if err != nil {
				s.w.fault("what waits: %v", err)
				return
			}
			if !calm && s.rng.IntN(4) == 0 {
				continue
			}
			tool, call := x.Tool[len("shop."):], x.Tool[len("shop."):]+string(x.Args.JSON)
			yes := s.says(call)
			s.w.mu.Lock()
			if yes {
				s.w.yes[call]++ // or it may be
			}
			s.w.mu.Unlock()
			err := store.Answer(x.ID, &record.Answer{Yes: yes, Who: "ann", How: "test"})
			s.say("%s: %s %v, yes: %v, %v", x.ID, tool, string(x.Args.JSON), yes, err)
			if err != nil && !p.isDead() {
				s.w.fault("answering: %v", err)
			}
		}
		again = p.isDead()
	}
}

// says is what a person says of a call, whenever asked.
func (s *scenario) says(call string) bool {
	if !strings.HasPrefix(call, "pay") { // an equal one may have been done: it is meant all the same
		return true
	}
	call, _, _ = strings.Cut(call, "@") // of what is drawn at random, or read from a clock
	call, _, _ = strings.Cut(call, "?")
	h := fnv.New64()
	fmt.Fprint(h, s.n, strings.TrimSuffix(call, `"}`))
	return h.Sum64()%8 > 0
}

// settle says of calls of which nobody knows what became what the server knows.
func (s *scenario) settle(calm bool) {
	records, err := store.Open(s.w.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	run, err := records.Load(s.id)
	if err != nil {
		s.w.fault("the record: %v", err)
		return
	}
	used := map[int]bool{} // receipts
	for _, m := range run.Calls {
		if m.Done != nil || m.Settle != nil {
			raw, _ := run.Value(m.Result())
			receipt, _ := receiptOf(raw)
			used[receipt] = true
		}
	}
	for _, m := range run.Calls {
		if m.Done != nil && m.Done.Kind == record.Unread {
			if q := s.done(m, used, true); q != nil {
				used[q.receipt] = true
			}
		}
	}
	for _, m := range run.Unknown() {
		if !calm && s.rng.IntN(3) == 0 {
			continue
		}
		if !calm && s.rng.IntN(3) == 0 && s.done(m, used, false) == nil { // it is not there: too early, perhaps
			err := records.Settle(s.id, &record.Settle{N: m.N, Who: "bob"}, callTime)
			s.say("call %d settled at once: %v", m.N, err)
			if err == nil {
				continue
			}
		}
		time.Sleep(callTime + 6*time.Second)
		s.w.comeToRest()
		st := &record.Settle{N: m.N, Who: "ann"}
		if q := s.done(m, used, false); q != nil {
			st.Happened, st.Result = true, record.Raw(q.result(false))
			used[q.receipt] = true
		}
		err := records.Settle(s.id, st, callTime)
		if errors.Is(err, store.ErrTooEarly) { // the clock was set back
			time.Sleep(31*24*time.Hour + s.w.before)
			err = records.Settle(s.id, st, callTime)
		}
		s.say("call %d settled, happened: %v, %v", m.N, st.Happened, err)
		if err != nil {
			s.w.fault("settling call %d: %v", m.N, err)
		}
	}
}

// done returns the request of a call that the server has done, and whose receipt
// nobody has; nil: there is none. unread: one whose answer could not be read.
func (s *scenario) done(m *record.Made, used map[int]bool, unread bool) *request {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.tickLocked()
	call := m.Tool[len("shop."):] + string(m.Args.JSON)
	for _, q := range s.w.requests {
		if q.executed && !used[q.receipt] && (q.unread || !unread) && callOfModel(q.tool, q.args) == call {
			return q
		}
	}
	return nil
}

// effects are how often each effect call was executed, by what is asked of it.
func (s *scenario) effects() map[string]int {
	n := map[string]int{}
	for _, q := range s.w.requests {
		if q.executed && q.effect() {
			n[callOfModel(q.tool, q.args)]++
		}
	}
	return n
}

// check holds what the server has done against the record, and against the last
// execution of the script that sent anything.
func (s *scenario) check() {
	store, err := store.Open(s.w.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var run *record.Run
	for sum, err := range store.List(context.Background(), nil) {
		if err == nil {
			run, err = store.Load(sum.ID)
		}
		if err != nil {
			s.w.fault("the record: %v", err)
			return
		}
		s.id = sum.ID
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.tickLocked()
	s.checkRecord(run)
	s.checkExecution()
	s.checkApproved()
}

// checkRecord: what was executed is done, or unknown, by the record.
func (s *scenario) checkRecord(run *record.Run) {
	executed := s.effects()
	if run == nil {
		if len(executed) > 0 {
			s.w.faultLocked("no record, and the server has done %v", executed)
		}
		return
	}
	if run.Damaged != nil {
		s.w.faultLocked("the record is damaged: %v", run.Damaged)
	}
	for _, said := range run.Forged {
		if !strings.Contains(said, "it expired at") {
			s.w.faultLocked("%s", said)
		}
	}
	done, unknown := map[string]int{}, map[string]int{}
	listed := map[*record.Made]bool{}
	for _, m := range run.Unknown() {
		listed[m] = true
	}
	for _, m := range run.Calls {
		if m.Call == nil || m.Class == record.Read {
			continue
		}
		k := m.Tool[len("shop."):] + string(m.Args.JSON)
		state, _ := m.State(false)
		switch {
		case state == record.Denied || state == record.Failed:
		case listed[m]:
			unknown[k]++
		case m.Settle != nil && m.Settle.Happened:
			done[k]++
		case m.Settle != nil:
		case m.Done == nil:
			s.w.faultLocked("call %d is sent, not done, and not listed as unknown", m.N)
		case m.Done.Kind == record.Answered, m.Done.Kind == record.Unread:
			done[k]++
		case m.Done.Kind == record.Uncertain: // the script was told
			unknown[k]++
		}
	}
	s.checkAgain(run)
	if s.w.model.sequential {
		s.checkDoubts(run)
	}
	for k, n := range executed {
		again := strings.HasPrefix(k, "set")
		if n > done[k]+unknown[k] && !again {
			s.w.faultLocked("the server has done %s %d times; by the record it was done %d times, and %d times nobody knows",
				k, n, done[k], unknown[k])
		}
	}
	for k, n := range done {
		if executed[k] < n {
			s.w.faultLocked("by the record %s was done %d times, the server has done it %d times", k, n, executed[k])
		}
	}
}

// checkAgain: what does the same however often it is made is made again only soon, and
// if no other effect call was sent before the attempt that does so.
func (s *scenario) checkAgain(run *record.Run) {
	states := map[int]record.State{}
	for _, m := range run.Calls {
		if m.Call != nil {
			states[m.N], _ = m.State(false)
		}
	}
	var sent []*record.Call
	for _, l := range run.Lines {
		c, ok := l.(*record.Call)
		if !ok || c.Class == record.Read || states[c.N] == record.Denied || states[c.N] == record.Failed {
			continue
		}
		if had := slices.IndexFunc(sent, func(o *record.Call) bool { return o.N == c.N }); had >= 0 {
			since := c.Time.Sub(sent[had].Time)
			between := slices.ContainsFunc(sent[had+1:], func(o *record.Call) bool { return o.Attempt < c.Attempt })
			if c.Class != record.Idempotent || between || since > 6*time.Minute { // it may have waited for a while
				s.w.faultLocked("call %d, of the class %s, is made again after %v", c.N, c.Class, since)
			}
		}
		sent = append(sent, c)
	}
}

// checkDoubts: after a call that may have been done, though the script has no answer
// of it, an equal one is made only with a yes of its own.
func (s *scenario) checkDoubts(run *record.Run) {
	calls, doubts, asks := map[int]*record.Call{}, map[string]bool{}, map[string]bool{}
	for _, l := range run.Lines {
		switch l := l.(type) {
		case *record.Call:
			k := l.Tool + string(l.Args.JSON)
			if calls[l.N] == nil && doubts[k] && (l.Ask == "" || asks[l.Ask]) {
				s.w.faultLocked("call %d is made without a yes of its own, after an equal one of which nobody knows", l.N)
			}
			calls[l.N], asks[l.Ask] = l, true
		case *record.Done:
			c := calls[l.N]
			if c != nil && c.Class != record.Read && !l.Cut && (l.Kind == record.Unread || l.Kind == record.Uncertain) {
				doubts[c.Tool+string(c.Args.JSON)] = true
			}
		}
	}
}

// checkExecution: what was executed is of one execution, which got the receipts of it.
func (s *scenario) checkExecution() {
	var last *try
	for i, a := range s.w.tries {
		if i == 0 || a.sent > 0 || a.out != nil && a.out.Status == worker.OK {
			last = a
		}
	}
	if last == nil {
		return
	}
	asked, answered := asksOf(last), map[string]int{}
	requests := map[int]*request{}
	for _, q := range s.w.requests {
		requests[q.receipt] = q
	}
	got := map[int]bool{}
	ended := last.out != nil && last.out.Status == worker.OK
	unanswered := map[string]int{}
	for _, c := range last.calls {
		k := c.tool[len("shop."):] + c.args
		if !c.ended || c.err != nil || c.answer == nil {
			unanswered[k]++
			continue
		}
		receipt, _ := receiptOf(c.answer.Result)
		q := requests[receipt]
		if q == nil || !q.executed || callOfModel(q.tool, q.args) != k || got[receipt] {
			s.w.faultLocked("attempt %d: %s got the answer %s, which the server did not give to it", last.n, k, c.answer.Result)
			continue
		}
		got[receipt] = true
		answered[k]++
	}
	for k, n := range s.effects() {
		again := strings.HasPrefix(k, "set")
		switch {
		case again && asked[k] > 0:
		case n > asked[k]:
			s.w.faultLocked("the server has done %s %d times; attempt %d, the last one that sends, has asked for it %d times",
				k, n, last.n, asked[k])
		case ended && n > answered[k]+unanswered[k]:
			s.w.faultLocked("the server has done %s %d times, and attempt %d got %d answers and %d errors", k, n, last.n,
				answered[k], unanswered[k])
		}
	}
	if s.w.model.sequential {
		s.checkOrder(last)
	}
}

// checkOrder: what was executed came in the order of the script; what may be made again
// is made again before anything else.
func (s *scenario) checkOrder(a *try) {
	var script, server []string
	for _, c := range a.calls {
		if c.tool != "shop.look" {
			script = append(script, c.tool[len("shop."):]+c.args)
		}
	}
	all := slices.Clone(s.w.requests)
	slices.SortFunc(all, func(a, b *request) int { return cmp.Compare(a.order, b.order) })
	for _, q := range all {
		if k := callOfModel(q.tool, q.args); q.executed && q.effect() && !q.late {
			if len(server) == 0 || server[len(server)-1] != k || q.tool != "set" {
				server = append(server, k)
			}
		}
	}
	i := 0
	for _, k := range server {
		for i < len(script) && script[i] != k {
			i++
		}
		if i == len(script) {
			s.w.faultLocked("the server has done %q, of a script that asks for %q", server, script)
			return
		}
		if !strings.HasPrefix(k, "set") {
			i++
		}
	}
}

// checkApproved: each call that needs a yes had one of its own.
func (s *scenario) checkApproved() {
	for k, n := range s.effects() {
		if strings.HasPrefix(k, "pay") && n > s.w.yes[k] {
			s.w.faultLocked("the server has done %s %d times, and a person has said yes to it %d times", k, n, s.w.yes[k])
		}
	}
}

// ended holds the end of the run against a run to which nothing happened.
func (s *scenario) ended() {
	if len(s.w.bad) > 0 || s.id == "" {
		if s.id == "" {
			s.end = "never began"
		}
		return
	}
	if s.end == "not resumable" { // it was killed when it had ended
		s.at(func() {
			store, err := store.Open(s.w.dir, nil)
			if err != nil {
				s.t.Fatal(err)
			}
			if run, err := store.Load(s.id); err == nil && run.End != nil {
				s.end, s.value = run.End.Status, string(run.End.Value.JSON)
			}
		})
	}
	m := s.w.model
	switch {
	case !m.strict():
	case s.expired():
	case s.end != string(outcome.OK):
		s.w.fault("a deterministic script ended with %s", s.end)
	default:
		if s.w.model.sequential {
			s.checkPrinted()
		}
		if want := s.undisturbed(); s.value != want {
			s.w.fault("the value is\n%s, of a run to which nothing happens\n%s", s.value, want)
		}
	}
}

// checkPrinted: what the script printed is in the record once.
func (s *scenario) checkPrinted() {
	s.at(func() {
		store, err := store.Open(s.w.dir, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		run, err := store.Load(s.id)
		if err != nil {
			s.w.fault("the record: %v", err)
			return
		}
		out := s.w.tries[len(s.w.tries)-1].out
		if got := run.Stdout(); got != out.Stdout {
			s.w.fault("by the record it printed %q, and its last execution %q", got, out.Stdout)
		}
	})
}

// expired reports whether a person was too late with an answer.
func (s *scenario) expired() bool {
	return slices.ContainsFunc(s.w.tries, func(a *try) bool {
		return slices.ContainsFunc(a.calls, func(c *modelCall) bool {
			return c.err != nil && strings.Contains(c.err.Error(), "no approval arrived before")
		})
	})
}

// undisturbed is the value of the script where nothing fails.
func (s *scenario) undisturbed() string {
	st := &modelState{m: s.w.model, got: map[string]int{}}
	var value string
	s.at(func() {
		host := &happyHost{s: s}
		script := &worker.Script{Seed: make([]byte, 32), Limits: worker.Limits{Timeout: time.Hour}}
		out, err := runModel(context.Background(), script, host, nil, &worker.Needs{}, func(r *routine) {
			st.all(r, s.w.model.ops, "")
			r.give(st.got)
		}, func(*modelCall) {}, rand.New(rand.NewPCG(1, s.n)), -1)
		if err != nil || out.Status != worker.OK {
			s.t.Fatal(out, err)
		}
		value = string(out.Value)
	})
	return value
}

// happyHost answers all calls.
type happyHost struct{ s *scenario }

func (h *happyHost) Resolve(context.Context, *worker.Needs) (*worker.Tools, bool, error) {
	return &worker.Tools{}, true, nil
}
func (h *happyHost) Start(context.Context, *worker.Plan) bool { return true }
func (h *happyHost) Clock([]worker.Reading, bool)             {}
func (h *happyHost) Still(context.Context, time.Time, int, int) (worker.Next, error) {
	return worker.Await, errors.New("this is not a replay")
}
func (h *happyHost) Call(_ context.Context, c *worker.Call) (*worker.Answer, error) {
	call := c.Tool[len("shop."):] + string(c.Args)
	if c.Tool == "shop.pay" && !h.s.says(call) {
		return nil, errors.New("ann rejected it")
	}
	return &worker.Answer{Result: json.RawMessage(`{"content":[]}`)}, nil
}

// tell is all that happened.
func (s *scenario) tell() string {
	var b strings.Builder
	for _, bad := range s.w.bad {
		fmt.Fprintf(&b, "%s\n", bad)
	}
	fmt.Fprintf(&b, "model %+v\n", *s.w.model)
	for _, line := range s.story {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for i, a := range s.w.tries {
		if i > 3 && i < len(s.w.tries)-1 && a.out != nil && a.out.Status == worker.Diverged {
			continue
		}
		fmt.Fprintf(&b, "attempt %d, by the record: %v, sent %d", a.n, a.resume, a.sent)
		if a.out != nil {
			fmt.Fprintf(&b, ", %s %s", a.out.Status, a.out.Message)
		}
		fmt.Fprintln(&b)
		for _, c := range a.calls {
			raw := json.RawMessage{}
			if c.answer != nil {
				raw = c.answer.Result
			}
			receipt, refused := receiptOf(raw)
			fmt.Fprintf(&b, "    %s %s%s: ended %v, receipt %d, refused %v, %v\n", c.path, c.tool, c.args, c.ended, receipt,
				refused, c.err)
		}
	}
	for _, q := range s.w.requests {
		fmt.Fprintf(&b, "request %d of attempt %d: %s%s executed %v (%d), due %v\n", q.receipt, q.by.n, q.tool, q.args,
			q.executed, q.order, q.due)
	}
	if text, err := os.ReadFile(s.w.recordFile()); err == nil {
		for line := range strings.Lines(string(text)) {
			fmt.Fprintf(&b, "%.400s\n", strings.TrimRight(line, "\n"))
		}
	}
	return b.String()
}
