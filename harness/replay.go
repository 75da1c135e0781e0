package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Replay is a run that is to be done again from its record: no server is asked.
type Replay struct {
	Run *record.Run
	// Source is the script, "" for that of the record. The calls of another one
	// are told apart by tool and arguments alone.
	Source string
	// Catalog has the tools that the script is checked against; nil: those that the
	// record has.
	Catalog *catalog.Catalog
	Timeout time.Duration // wall clock; 0: that of the record's limits, at most 10 min
}

// Replayed is what a replay came to.
type Replayed struct {
	Result     *Result
	Calls      int         // answered from the record
	Difference *Difference // the first one; nil: the same
}

// Difference is where a replay is not like the record.
type Difference struct {
	What string `json:"what"` // status, error, calls, value, stdout, stderr
	Text string `json:"text"` // in words
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// ErrNothingToReplay is returned for the record of a run in which no script began:
// one that was refused, or that is a single call.
var ErrNothingToReplay = errors.New("no script began in this run: there is nothing to replay")

// Replay runs a script again and answers its calls from a record. An error says
// that the record cannot be replayed, or is a fault of the harness.
func (h *Harness) Replay(ctx context.Context, p *Replay) (*Replayed, error) {
	b, end := p.Run.Begin, p.Run.End
	switch {
	case p.Run.Damaged != nil:
		return nil, p.Run.Damaged
	case end == nil:
		return nil, errors.New("the run has not ended, or its process died: its record has no end to compare with")
	}
	recorded, err := p.Run.Text(b.Script)
	if err != nil {
		return nil, err
	}
	source := p.Source
	if source == "" {
		source = recorded
	}
	if recorded == "" || source == recorded && outcome.NeverBegan(Status(end.Status)) {
		return nil, ErrNothingToReplay
	}
	gate, err := record.NewGate(p.Run, source != recorded)
	if err != nil {
		return nil, err
	}
	var limits Limits
	if err := json.Unmarshal(b.Limits, &limits); err != nil {
		return nil, fmt.Errorf("the limits of the record: %w", err)
	}
	limits = boundedLimits(limits)
	if p.Timeout > 0 {
		limits.Timeout = p.Timeout
	}
	s := &Script{Source: source, Strict: b.Strict, Catalog: p.Catalog, Limits: limits}
	if s.Inputs, err = p.Run.Values(b.Inputs); err != nil {
		return nil, err
	}
	if s.Origin.Stored, err = p.Run.Values(b.Stored); err != nil {
		return nil, err
	}
	rp := newReplayer(p.Run, source, gate)
	rp.parallel = worker.Limits(limits).WithDefaults().Parallel
	s.tree = newTree(worker.Limits(limits))
	s.tree.replay = rp
	s.tree.journal = journal.New(b.Seed, nil)
	res, err := h.run(ctx, s, false)
	if err != nil {
		return nil, err
	}
	out := &Replayed{Result: res, Calls: rp.made}
	out.Difference = rp.compare(res)
	if rp.over {
		rp.end(res)
	}
	return out, nil
}

// boundedLimits are limits of a record, which may be anybody's, within what a replay
// may take.
func boundedLimits(l Limits) Limits {
	l.Timeout = min(l.Timeout, 10*time.Minute)
	l.CPU = min(l.CPU, 20*time.Minute)
	l.Memory = min(l.Memory, 4<<30)
	l.Stdout = min(l.Stdout, record.MaxRecord) // more is in no record
	return l
}

// replayer answers the calls of a run, and of the scripts that it runs, from a
// record.
type replayer struct {
	run      *record.Run
	source   string             // that is run
	parallel int                // calls at once
	readings map[string][]int64 // of the clock, by path

	mu       sync.Mutex
	changed  *sync.Cond // what is known of a worker
	gate     *record.Gate
	n        int
	waiting  map[int]*asked
	workers  map[*run]*replaying
	made     int // calls that were answered from the record
	diverged *record.Divergence
	over     bool // the script came to where its run was ended
	resume   bool // the run goes on where its record ends
	live     bool // it has come there
	final    bool // it cannot go on, however often it is tried
}

// asked is a call that waits for its answer.
type asked struct {
	by     *run
	answer chan replied
}

// replied is what a call gets: its answer, or that it is to be made, live, and what
// the record has of it.
type replied struct {
	made *record.Made
	live bool
}

// replaying is what is known of a worker.
type replaying struct {
	asked, answered int       // calls
	running         int       // of them those of RunScript that are under way
	still           bool      // nothing of it moves
	next            time.Time // when its next timer goes off; zero: none is set
	advance         bool      // that timer is to go off
}

func newReplayer(r *record.Run, source string, g *record.Gate) *replayer {
	p := &replayer{run: r, source: source, gate: g, readings: map[string][]int64{}, waiting: map[int]*asked{},
		workers: map[*run]*replaying{}}
	p.changed = sync.NewCond(&p.mu)
	older := false
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *record.Attempt:
			older = true // an attempt that comes further has all readings anew
		case *record.Note:
			if older && len(l.Clock) > 0 {
				older = false
				clear(p.readings)
			}
			for _, c := range l.Clock {
				p.readings[c.Path] = append(p.readings[c.Path], c.At)
			}
		}
	}
	return p
}

// cutOff reports whether the run ended at a moment of which neither the script nor
// the record knows: the same script may then come further, or not so far.
func (p *replayer) cutOff() bool {
	switch Status(p.run.End.Status) {
	case Timeout, CPULimit, Canceled:
		return true
	}
	return false
}

// killed reports whether a script with this status was ended while it ran.
func killed(s Status) bool {
	switch s {
	case Timeout, CPULimit, MemoryLimit, OutputLimit, CallLimit, Canceled, Waiting, Uncertain:
		return true
	}
	return false
}

// prepare makes a worker's script one that is replayed, unless the run is live.
func (p *replayer) prepare(s *worker.Script, r *run) bool {
	if p.isLive() {
		return false
	}
	own := map[string][]int64{}
	for path, at := range p.readings {
		if rest, ok := strings.CutPrefix(path, r.path); ok {
			own[rest] = at
		}
	}
	s.Clock, s.Resume = p.resume, p.resume
	s.Replay = &worker.Replay{Begin: p.run.Begin.Time.UnixNano(), Readings: own, CPUs: p.run.Begin.CPUs}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		s.Replay, s.Resume = nil, false
		return false
	}
	p.workers[r] = &replaying{}
	return true
}

// leave is told that a worker has ended: who waits for it moves.
func (p *replayer) leave(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.workers, r)
	for n, a := range p.waiting { // calls that its script did not wait for
		if a.by == r {
			p.gate.Leave(n)
			delete(p.waiting, n)
		}
	}
}

// toolsLine is the record's line of a script's tools, nil where it has none.
func (p *replayer) toolsLine(r *run) *record.Tools {
	for _, l := range slices.Backward(p.run.Lines) { // of several attempts' the last
		if l, ok := l.(*record.Tools); ok && l.Path == r.path {
			return l
		}
	}
	return nil
}

// tools are what the script was compiled with.
func (p *replayer) tools(r *run) (*worker.Tools, error) {
	out := &worker.Tools{Go: true}
	t := p.toolsLine(r)
	if t == nil {
		return out, nil
	}
	for _, u := range t.Units {
		source, err := p.run.Text(u.Source)
		if err != nil {
			return nil, err
		}
		out.Units = append(out.Units, worker.Unit{Path: u.Path, Name: u.Name, Source: source})
	}
	if len(t.Unresolved) > 0 {
		if err := json.Unmarshal(t.Unresolved, &out.Unresolved); err != nil {
			return nil, fmt.Errorf("the record's phrases: %w", err)
		}
	}
	json.Unmarshal(t.Phrases, &r.bound.Uses) // for the reader alone
	r.result.Tools = r.bound.Uses
	return out, nil
}

// errNoScript says that a record does not have a saved script.
var errNoScript = errors.New("the record does not have this script")

// saved is the saved script that a call of RunScript ran.
func (p *replayer) saved(path, name string) (*library.Script, error) {
	var child *record.Child
	for _, c := range p.run.Children {
		if c.Name == name && (child == nil || c.Path == path) {
			child = c // one of another path is what another worker of a pool ran
		}
	}
	switch {
	case child == nil:
		return nil, errNoScript
	case child.Error != "":
		return nil, errors.New(child.Error)
	}
	source, err := p.run.Text(child.Script)
	return &library.Script{Name: name, Source: source}, err
}

// errLive says that a call is to be made, as the run has come to the end of its record.
var errLive = errors.New("the run is live")

// call answers a call of a script. With errLive the call is to be made; m is what
// the record has of it, or nil.
func (p *replayer) call(ctx context.Context, r *run, path string, c *worker.Call, args registry.Args) (
	_ *worker.Answer, m *record.Made, _ error) {
	a := &asked{by: r, answer: make(chan replied, 1)}
	p.mu.Lock()
	if p.live {
		p.mu.Unlock()
		return nil, nil, errLive
	}
	p.workers[r].asked++
	p.changed.Broadcast()
	p.n++
	n := p.n
	p.waiting[n] = a
	q := &record.Question{N: n, Path: path, Place: c.Place, Tool: c.Tool, Args: string(argsData(args).JSON),
		Alone: c.Alone && len(p.workers) == 1}
	if reply, ok := p.gate.Ask(q); ok {
		p.reply(reply)
	}
	p.mu.Unlock()
	select {
	case got := <-a.answer:
		if got.live {
			return nil, got.made, errLive
		}
		answer, err := p.answer(ctx, r, got.made, args)
		return answer, nil, err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// goLive lets all calls that wait be made. The caller holds the lock.
func (p *replayer) goLive() {
	p.live = true
	for n, a := range p.waiting {
		a.answer <- replied{made: p.gate.Continues(n), live: true}
	}
	clear(p.waiting)
	for r := range p.workers {
		r.journal.GoLive()
		break
	}
	p.changed.Broadcast()
}

// isLive reports whether the run has come to the end of its record.
func (p *replayer) isLive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live
}

// reply hands an answer to the call that waits for it. The caller holds the lock.
func (p *replayer) reply(r record.Reply) {
	a := p.waiting[r.N]
	delete(p.waiting, r.N)
	p.made++
	p.moves(a.by)
	a.answer <- replied{made: r.Made}
}

// runs is told that a saved script is to run.
func (p *replayer) runs(r *run) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workers[r]
	if w == nil { // it began when the run was live
		return
	}
	w.asked++
	w.running++
	p.changed.Broadcast()
}

// ran is told that a saved script has run, and whether its caller gets an answer.
func (p *replayer) ran(r *run, answered bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.workers[r]; w != nil {
		if w.running--; answered {
			p.moves(r)
		}
	}
}

// moves says that a call of a worker is answered. The caller holds the lock.
func (p *replayer) moves(r *run) {
	w := p.workers[r]
	w.answered++
	w.still = false
	p.changed.Broadcast()
}

// answer is what the script got.
func (p *replayer) answer(ctx context.Context, r *run, m *record.Made, args registry.Args) (
	*worker.Answer, error) {
	if m.Guess != nil {
		raw, err := p.run.Value(m.Guess.Result)
		return &worker.Answer{Result: raw, At: m.Guess.Time}, err
	}
	if m.Settle != nil && m.Settle.Happened {
		raw, err := p.run.Value(m.Settle.Result)
		return &worker.Answer{Result: raw, At: m.Settle.Time}, err
	}
	p.count(r, m)
	d := m.Done
	a := &worker.Answer{At: d.Time}
	if d.Error != "" {
		err := errors.New(d.Error)
		if d.Kind == record.Uncertain && m.Call.Class != record.Read {
			err = &worker.CallError{Code: bridge.CodeUncertain, Err: err}
		}
		return a, err
	}
	if d.Result.Redacted {
		raw, err := r.readAgain(ctx, m, args)
		a.Result = raw
		return a, err
	}
	raw, err := p.run.Value(d.Result)
	a.Result = raw
	return a, err
}

// count lists a call of a run that goes on in its result.
func (p *replayer) count(r *run, m *record.Made) {
	if !p.resume || m.Call == nil || m.Done == nil {
		return
	}
	c := outcome.CallOf(m)
	c.Earlier = true
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	c.Number = r.calls
	r.result.Calls = append(r.result.Calls, c)
	if outcome.MadeEffect(m) {
		args, _ := p.run.Value(m.Call.Args)
		r.result.AddEffect(outcome.Where(r.placed(m.Call.Place)), c.Tool, args)
	}
}

// Clock implements worker's interface for what reads its script's clock.
func (r *run) Clock(readings []worker.Reading, lost bool) { r.journal.Clock(r.path, readings, lost) }

// Still answers a worker of which nothing moves: whether its next timer is to go
// off, or the run is live. Otherwise one of its calls has got its answer.
func (r *run) Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error) {
	p := r.tree.replay
	if p == nil {
		return worker.Await, errors.New("this is no replay")
	}
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workers[r]
	for ; ctx.Err() == nil; p.changed.Wait() {
		switch {
		case p.live:
			return worker.Live, nil
		case w.answered > answered: // the answer is on its way
			return worker.Await, nil
		case w.asked < waiting+answered: // a call is on its way
			continue
		case !w.still:
			w.still, w.next = true, next
			if err := p.decide(); err != nil {
				return worker.Await, err
			}
		}
		switch {
		case p.live:
			return worker.Live, nil
		case w.advance:
			w.still, w.advance = false, false
			return worker.Advance, nil
		case w.answered > answered:
			return worker.Await, nil
		}
	}
	return worker.Await, ctx.Err()
}

// errOver ends the replay of a run that was ended.
var errOver = errors.New("the run was ended here")

// decide says what goes on when no worker moves. The caller holds the lock.
func (p *replayer) decide() error {
	var first *replaying
	workers := 1
	for _, w := range p.workers {
		if !w.still {
			return nil
		}
		if w.running > 0 { // one of its saved scripts at a time
			workers++
		}
		if !w.next.IsZero() && (first == nil || w.next.Before(first.next)) {
			first = w
		}
	}
	if len(p.workers) < workers { // a saved script is about to begin, or has just ended
		return nil
	}
	var next time.Time
	if first != nil {
		next = first.next
	}
	m := p.gate.Still(next)
	switch {
	case m.Reply != nil:
		p.reply(*m.Reply)
	case m.Live:
		p.goLive()
	case !p.resume && killed(Status(p.run.End.Status)) && (!m.Advance || next.After(p.run.End.Time)) &&
		(m.Diverged == nil || m.Diverged.Unasked == nil):
		p.over = true
		return errOver
	case m.Diverged != nil:
		p.diverged = m.Diverged
		return m.Diverged
	case m.Advance:
		first.advance = true
		p.changed.Broadcast()
	}
	return nil
}

// compare returns the first difference between a replay and its record.
func (p *replayer) compare(res *Result) *Difference {
	end := p.run.End
	d := p.diverged
	if d == nil && res.Status != CompileError {
		d = p.gate.End()
	}
	left := res.Status == OK && Status(end.Status) == Uncertain && slices.ContainsFunc(p.run.Calls, (*record.Made).Lost)
	if left { // main did not wait for a call of which nobody knows what became
		res.Status, res.ExitCode = Uncertain, Uncertain.ExitCode()
	}
	same := p.over || string(res.Status) == end.Status
	// What a script did in the moment in which it was ended is chance.
	ended := p.diverged == nil && same && !left && killed(Status(end.Status))
	further := p.diverged == nil && p.cutOff() && res.Status != CompileError && (d == nil || d.Unasked == nil)
	wantError, gotError := errorText(end.Error), errorText(record.JSON(res.Error))
	switch {
	case further && (p.over || !same):
		return p.compareTexts(res, strings.HasPrefix)
	case ended:
		return p.compareTexts(res, func(got, want string) bool {
			return strings.HasPrefix(got, want) || strings.HasPrefix(want, got)
		})
	case d != nil && (d.Asked != nil && (!same || d.Unasked != nil || !p.crowded()) || d.Unasked != nil && same):
		return &Difference{What: "calls", Text: d.Error()}
	case string(res.Status) != end.Status:
		return &Difference{What: "status", Want: end.Status, Got: string(res.Status),
			Text: fmt.Sprintf("it ended with %s; in the record with %s", statusText(string(res.Status), gotError),
				statusText(end.Status, wantError))}
	case wantError != gotError:
		return differ("error", wantError, gotError)
	case res.ExitCode != end.ExitCode:
		return differ("exit code", strconv.Itoa(end.ExitCode), strconv.Itoa(res.ExitCode))
	}
	want, err := p.run.Value(end.Value)
	if err != nil {
		return &Difference{What: "value", Text: err.Error()}
	}
	if !bytes.Equal(want, res.Value) {
		return p.differ("value", string(want), string(res.Value))
	}
	return p.compareTexts(res, func(got, want string) bool { return got == want })
}

// crowded reports whether as many calls were under way when the run ended as may be:
// further ones waited, and are not in the record.
func (p *replayer) crowded() bool {
	n := 0
	for _, m := range p.run.Calls {
		if m.Guess == nil && (m.Done == nil || m.Done.Cut) {
			n++
		}
	}
	return n >= p.parallel
}

// end makes the result of a replay that came to where its run was ended end so, too.
func (p *replayer) end(res *Result) {
	end := p.run.End
	res.Status, res.ExitCode, res.Error, res.Errors = Status(end.Status), end.ExitCode, nil, nil
	if json.Unmarshal(end.Errors, &res.Errors) == nil && len(res.Errors) > 0 {
		res.Error = &res.Errors[0]
	}
}

// compareTexts returns the first difference between what a replay and its record
// printed.
func (p *replayer) compareTexts(res *Result, same func(got, want string) bool) *Difference {
	masked := func(s string) string { return withoutTimes(printable(s)) }
	stdout := printable
	if strings.Contains(p.source, "log.") { // log or slog, which can write there too
		stdout = masked
	}
	if want, got := stdout(p.run.Stdout()), stdout(res.Stdout); !same(got, want) {
		return p.differ("stdout", want, got)
	}
	if want, got := masked(p.run.Stderr()), masked(res.Stderr); !same(got, want) {
		return p.differ("stderr", want, got)
	}
	return nil
}

// notText is what stands for bytes that are no UTF-8: in a result once for all that
// follow each other, in a record for each.
var notText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\uFFFD{2,}") })

func printable(s string) string { return notText().ReplaceAllLiteralString(s, "\uFFFD") }

// differ is the difference of two texts, and whether the record is known not to
// have what they may follow from.
func (p *replayer) differ(what, want, got string) *Difference {
	d := differ(what, want, got)
	if slices.ContainsFunc(p.run.Notes, func(n *record.Note) bool { return n.Lost }) {
		d.Text += fmt.Sprintf("; the script read its clock more than %d times, and the record does not have what it read "+
			"after that", record.MaxReadings)
	}
	return d
}

func statusText(status, err string) string {
	if err == "" {
		return status
	}
	return status + " (" + text.Cut(err, 200) + ")"
}

// errorText is the message of an error of a result.
func errorText(raw json.RawMessage) string {
	var e Error
	if len(raw) == 0 || json.Unmarshal(raw, &e) != nil {
		return ""
	}
	return e.Message
}

// differ shows two texts from where they differ.
func differ(what, want, got string) *Difference {
	const before, most = 40, 200 // bytes
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	line := 1 + strings.Count(want[:i], "\n")
	from := max(0, i-before)
	cut := func(s string) string {
		return strings.ToValidUTF8(s[min(from, len(s)):min(len(s), from+most)], "\uFFFD")
	}
	d := &Difference{What: what, Want: cut(want), Got: cut(got)}
	d.Text = fmt.Sprintf("the %s differs", what)
	if line > 1 {
		d.Text = fmt.Sprintf("the %s differs in line %d", what, line)
	}
	return d
}

// logTimes are what packages log and slog write of the time, which they take from
// the system and not from the script's clock.
var logTimes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
})

func withoutTimes(s string) string { return logTimes().ReplaceAllString(s, "TIME") }

// recorded answers a script's needs from the record.
func (r *run) recorded(n *worker.Needs) (*worker.Tools, bool, error) {
	if n.Probe && !n.Broken {
		if r.script.depth == 0 {
			r.err = ErrNothingToReplay
		}
		r.result.Status = OK
		return nil, false, r.err
	}
	tools, err := r.tree.replay.tools(r)
	if err != nil {
		r.err = err
		return nil, false, err
	}
	r.bound.Needs.Own = slices.Clone(n.Own)
	return tools, true, nil
}
