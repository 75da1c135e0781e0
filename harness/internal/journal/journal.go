// Package journal writes the events of a run to its record, and reports its calls to a
// listener. An unrecorded run has a Journal too, which writes nothing.
//
// A line is added when a call begins and when it ends. Printed text, clock readings and
// resource usage are collected and written before the next line. The line of an effect call is
// durable before the first byte of the call is sent. If a line cannot be written, no further
// call is sent.
//
// A resumed script prints and reads its clock from the beginning. Until it is live, a Journal
// drops output that is already in the record and buffers the rest.
package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Journal writes the record of a run and of the scripts that it runs through RunScript.
type Journal struct {
	w       *store.Writer         // nil if no record is kept
	store   *store.Store          // the store of w
	seed    []byte                // of random functions; if nil, the worker makes one
	tell    func(record.Progress) // may be nil
	attempt int                   // number of this execution of a resumed run, else 0

	repeating sync.Mutex  // held while a resumed run prints
	live      atomic.Bool // the script is past its record

	mu           sync.Mutex
	calls        int            // the number of the last call
	nested       map[string]int // count of RunScript calls, by path and place
	out, err     *printed
	prints       int // number of parts of printed text
	readings     []worker.Reading
	noted        int  // number of readings, including those in the record
	lost         bool // readings were dropped; not in the record yet
	usage        []worker.Usage
	usageWritten time.Time // when usage was last written, or first received
}

// New returns a journal without a record. If seed is nil, the worker makes one; if tell is nil,
// events are not reported.
func New(seed []byte, tell func(record.Progress)) *Journal {
	j := &Journal{seed: seed, tell: tell, nested: map[string]int{}, out: &printed{}, err: &printed{}}
	j.live.Store(true)
	return j
}

// Begin creates the record of a run. The error wraps a *store.RunningError if another run has
// the same Once.
func Begin(b *record.Begin, records *store.Store, tell func(record.Progress)) (*Journal, error) {
	w, err := begin(b, records)
	if err != nil {
		return nil, fmt.Errorf("the run was not started, because it cannot be recorded: %w", err)
	}
	j := New(b.Seed, tell)
	j.w, j.store = w, records
	j.Tell(record.Progress{Begin: b})
	return j, nil
}

// Resume returns the journal of a resumed run whose record is extended by w.
func Resume(w *store.Writer, run *record.Run, records *store.Store, tell func(record.Progress)) *Journal {
	j := New(run.Begin.Seed, tell)
	j.w, j.store, j.attempt = w, records, 1
	if n := len(run.Attempts); n > 0 {
		j.attempt = run.Attempts[n-1].Number
	}
	for _, m := range run.Calls {
		j.calls = max(j.calls, m.Line().N)
	}
	for _, c := range run.Children {
		j.calls = max(j.calls, c.N)
	}
	j.restart(run)
	return j
}

// Retry begins another attempt of a resumed run whose last attempt sent nothing.
func (j *Journal) Retry(run *record.Run) error {
	j.attempt++
	last := run.Attempts[len(run.Attempts)-1]
	err := j.Add(&record.Attempt{Number: j.attempt, Who: last.Who, Live: last.Live, Harness: last.Harness, Process: last.Process})
	j.restart(run)
	return err
}

// restart resets the journal for another run of the script.
func (j *Journal) restart(run *record.Run) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.live.Store(false)
	clear(j.nested)
	j.readings, j.noted, j.lost = nil, 0, false
	j.out, j.err = &printed{}, &printed{}
	j.out.known, j.err.known = run.PrintedBytes()
}

// Live reports whether the script is past its record.
func (j *Journal) Live() bool { return j.live.Load() }

// GoLive marks the script as past its record, and releases its buffered output.
func (j *Journal) GoLive() {
	j.repeating.Lock()
	defer j.repeating.Unlock()
	j.live.Store(true)
	for _, p := range []*printed{j.out, j.err} {
		for _, h := range p.held {
			j.pass(p, time.Now(), h.line, h.text)
		}
		p.held = nil
	}
}

// aloneFor is how long a run with an idempotency key waits for others that are beginning.
const aloneFor = 30 * time.Second

// begin creates the record of a run. Another run with its idempotency key Once may have begun
// since the caller checked, even in another process.
func begin(b *record.Begin, records *store.Store) (w *store.Writer, err error) {
	if b.Once == "" {
		return records.Begin(b)
	}
	ctx, cancel := context.WithTimeout(context.Background(), aloneFor)
	defer cancel()
	err = records.Alone(ctx, func() error {
		id, err := records.LatestOnce(ctx, b.Subject, b.Once)
		if err != nil {
			return err
		}
		if id != "" {
			run, err := records.Load(id)
			switch {
			case err == nil && run.Damaged == nil:
				return &store.RunningError{Run: id, Host: run.Begin.Host, PID: run.Begin.PID}
			case err != nil && !errors.Is(err, store.ErrNotFound):
				return err
			}
		}
		w, err = records.Begin(b)
		return err
	})
	return w, err
}

// Prepare sets the seed of the script at path, and whether it reports its clock readings. Each
// script run by RunScript has a different seed.
func (j *Journal) Prepare(s *worker.Script, path string) {
	s.Seed, s.Clock = j.seed, j.w != nil
	if path != "" && j.seed != nil {
		sum := sha256.Sum256(append(slices.Clip(j.seed), path...))
		s.Seed = sum[:]
	}
}

// Abort closes the record of a run that failed because of a fault of the harness.
func (j *Journal) Abort(err error) {
	if j.w != nil {
		j.Add(&record.End{Status: string(outcome.InternalError), ExitCode: outcome.InternalError.ExitCode(),
			Error: record.JSON(&outcome.Error{Kind: outcome.KindInternal, Message: err.Error()})})
		j.sync()
		j.w.Close()
	}
}

// Kept reports whether the run is recorded.
func (j *Journal) Kept() bool { return j.w != nil }

// ID returns the ID of the record, or "" for an unrecorded run.
func (j *Journal) ID() string {
	if j.w == nil {
		return ""
	}
	return j.w.ID()
}

// unrecorded returns the error of a call that is not sent because its line cannot be written.
func unrecorded(err error) error {
	return fmt.Errorf("the record of this run cannot be written, so no further call is sent: %w", err)
}

// Add writes a line, preceded by the collected notes. After an error every Add fails, and
// nothing more is written.
func (j *Journal) Add(l record.Line) error {
	if j.w == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, last := l.(*record.End)
	for _, l := range append(j.notesLocked(last), l) {
		if err := j.w.Add(l); err != nil {
			return unrecorded(err)
		}
	}
	return nil
}

// sync makes the lines durable.
func (j *Journal) sync() error {
	if j.w == nil {
		return nil
	}
	if err := j.w.Sync(); err != nil {
		return unrecorded(err)
	}
	return nil
}

// Run returns the run from its record as written so far. A store in a cluster reads durable lines only.
func (j *Journal) Run() (*record.Run, error) {
	if err := j.sync(); err != nil {
		return nil, err
	}
	return j.store.Load(j.ID())
}

// notesLocked takes the printed text and the clock readings. Unless last is true, it leaves an
// incomplete character or secret at the end for later. The caller holds the lock.
func (j *Journal) notesLocked(last bool) []record.Line {
	var out []record.Line
	// Readings of a resumed run replace those in the record once it is live.
	if (len(j.readings) > 0 || j.lost) && j.live.Load() {
		n := &record.Note{Lost: j.lost}
		for _, r := range j.readings {
			n.Clock = append(n.Clock, record.Reading{Path: r.Path, At: r.Time})
		}
		j.readings, j.lost = nil, false
		out = append(out, n)
	}
	var printed []*record.Note
	unfinished := j.w.Unfinished
	if last {
		unfinished = nil
	}
	if text, n := j.out.take(unfinished); n != nil {
		n.Stdout, printed = text, append(printed, n)
	}
	if text, n := j.err.take(unfinished); n != nil {
		n.Stderr, printed = text, append(printed, n)
	}
	slices.SortFunc(printed, func(a, b *record.Note) int { return a.Time.Compare(b.Time) })
	for _, n := range printed {
		out = append(out, n)
	}
	return out
}

// Clock collects clock readings of the script at path. lost reports dropped readings.
func (j *Journal) Clock(path string, readings []worker.Reading, lost bool) {
	if j.w == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range readings {
		if j.noted++; j.noted > record.MaxReadings {
			j.lost = j.lost || j.noted == record.MaxReadings+1
			return
		}
		r.Path = path + r.Path
		j.readings = append(j.readings, r)
	}
	j.lost = j.lost || lost
}

// Sending records that the first byte of a call is about to be sent. The line of an effect call
// is durable when it returns. recorded is the record's call that continues, or nil.
func (j *Journal) Sending(line *record.Call, recorded *record.Made) error {
	line.Time = time.Now()
	var l record.Line = line
	if recorded != nil && recorded.Round != nil {
		l = &record.Round{N: line.N, Sent: true, Attempt: line.Attempt}
	}
	if err := j.Add(l); err != nil || line.Class == record.Read {
		return err
	}
	return j.sync()
}

// SentWithin returns how long after its line a call may be sent, or 0 for an unrecorded run.
func (j *Journal) SentWithin() time.Duration {
	if j.w == nil {
		return 0
	}
	return j.store.SentWithin()
}

// Now returns the later of the clock and the last line's time.
func (j *Journal) Now() time.Time {
	now := time.Now()
	if j.w != nil {
		if last := j.w.Last(); last.After(now) {
			return last
		}
	}
	return now
}

// Attempt returns the number of this execution of a resumed run, or 0 for another run.
func (j *Journal) Attempt() int { return j.attempt }

// usageEvery is the interval for writing resource usage during a run.
const usageEvery = time.Second

// Usage collects a measurement of CPU and memory. It does nothing until a resumed run is live.
func (j *Journal) Usage(u worker.Usage) {
	if !j.live.Load() {
		return
	}
	j.mu.Lock()
	if j.usageWritten.IsZero() {
		j.usageWritten = u.At
	}
	j.usage = append(j.usage, u)
	late := u.At.Sub(j.usageWritten) >= usageEvery
	if late {
		j.usageWritten = u.At
	}
	j.mu.Unlock()
	if late {
		n := &record.Note{Head: record.Head{Time: time.Now()}}
		n.Usage = j.used(n.Time)
		j.Add(n) // the next line reports the error again
	}
}

// used removes and returns the measurements that no line has yet. at is the time of their line.
func (j *Journal) used(at time.Time) (out record.Usage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, u := range j.usage {
		out = append(out, [3]int64{at.Sub(u.At).Milliseconds(), u.CPU.Milliseconds(), u.Memory})
	}
	j.usage = nil
	return out
}

// NextCall returns the number of a new call.
func (j *Journal) NextCall() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	return j.calls
}

// ScriptPath returns the path of the script that a RunScript call runs.
func (j *Journal) ScriptPath(path, place string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := path + "/" + place
	j.nested[at]++
	return fmt.Sprintf("%s#%d/", at, j.nested[at])
}

// Tell reports an event to the listener.
func (j *Journal) Tell(p record.Progress) {
	if j.tell != nil {
		j.tell(p)
	}
}

// End writes the last line and closes the record. It reports a failure in the result.
func (j *Journal) End(res *outcome.Result) {
	if j.w == nil {
		return
	}
	e := res.End()
	e.Time = time.Now()
	e.Usage = j.used(e.Time)
	err := j.Add(e)
	if err == nil && (res.Status == outcome.Waiting ||
		slices.ContainsFunc(res.Calls, func(c outcome.Call) bool { return c.Class != record.Read })) {
		err = j.sync() // before the client gets the result
	}
	if err = errors.Join(err, j.w.Close()); err != nil {
		res.Unwritten = err
		res.Warnings = append(res.Warnings, "the record of this run is incomplete: "+err.Error())
	}
}
