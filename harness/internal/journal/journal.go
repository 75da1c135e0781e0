package journal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Journal says what happens in a run and in the scripts that it runs: to the
// record, and to whoever listens. Everything that is told of a run is made from
// its lines.
type Journal struct {
	w     *store.Writer     // nil: no record is kept
	store *store.Store      // of w
	seed  []byte            // of random functions; nil: whatever the worker is given
	tell  func(record.Line) // nil: nobody listens

	mu       sync.Mutex
	calls    int            // the number of the last one
	number   int            // of this attempt, where it is not the first
	repeats  *repeats       // of a run that goes on; else nil
	nested   map[string]int // scripts that RunScript ran, by the path and place of its call
	out, err printed        // not in the record yet
	readings []worker.Reading
	lost     bool
	noted    int // readings
	prints   int // parts of printed text
	usage    []worker.Usage
	told     time.Time // when usage was written last, or first came
	fault    error
}

// New returns a journal that keeps no record. If seed is nil, the worker makes one.
func New(seed []byte, tell func(record.Line)) *Journal {
	return &Journal{seed: seed, tell: tell, nested: map[string]int{}}
}

// Begin begins the record of a run.
func Begin(b *record.Begin, records *store.Store, tell func(record.Line)) (*Journal, error) {
	w, err := begin(b, records)
	if err != nil {
		return nil, fmt.Errorf("the run cannot be recorded, and has not begun: %w", err)
	}
	j := New(b.Seed, tell)
	j.w, j.store = w, records
	j.Tell(b)
	return j, nil
}

// Resume resumes the record of a run, to which w adds.
func Resume(w *store.Writer, run *record.Run, records *store.Store, tell func(record.Line)) *Journal {
	j := New(run.Begin.Seed, tell)
	j.w, j.store, j.number = w, records, 1
	if n := len(run.Attempts); n > 0 {
		j.number = run.Attempts[n-1].Number
	}
	for _, m := range run.Calls {
		j.calls = max(j.calls, m.Line().N)
	}
	for _, c := range run.Children {
		j.calls = max(j.calls, c.N)
	}
	j.again(run)
	return j
}

// aloneFor is how long who begins a run of a Once waits for others who do.
const aloneFor = 30 * time.Second

// begin begins the record of a run. The error is a *store.RunningError where its Once
// is that of another run, which has begun since Rejoin looked, maybe in another process.
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

// Prepare tells the worker of a script what its record needs. A script that
// RunScript runs has a seed of its own: it draws something else each time.
func (j *Journal) Prepare(s *worker.Script, path string) {
	s.Seed, s.Clock = j.seed, j.w != nil
	if path != "" && j.seed != nil {
		sum := sha256.Sum256(append(slices.Clip(j.seed), path...))
		s.Seed = sum[:]
	}
}

// Abort closes the record of a run that the harness itself did not bring to an end.
func (j *Journal) Abort(err error) {
	if j.w != nil {
		j.Add(&record.End{Status: string(outcome.InternalError), ExitCode: outcome.InternalError.ExitCode(),
			Error: record.JSON(&outcome.Error{Kind: outcome.KindInternal, Message: err.Error()})})
		j.sync()
		j.w.Close()
	}
}

// Kept reports whether a record is kept.
func (j *Journal) Kept() bool { return j.w != nil }

// ID is that of the record, "" where there is none.
func (j *Journal) ID() string {
	if j.w == nil {
		return ""
	}
	return j.w.ID()
}

// errUnrecorded is why a call is not sent any more.
var errUnrecorded = errors.New("the record of this run cannot be written any more, so that nothing is sent")

// Add writes a line, with what was noted before it.
func (j *Journal) Add(l record.Line) error {
	if j.w == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fault != nil {
		return j.fault
	}
	_, last := l.(*record.End)
	for _, l := range append(j.notesLocked(last), l) {
		if err := j.w.Add(l); err != nil {
			j.fault = fmt.Errorf("%w: %w", errUnrecorded, err)
			return j.fault
		}
	}
	return nil
}

// sync makes what was written last.
func (j *Journal) sync() error {
	if j.w == nil {
		return nil
	}
	if err := j.w.Sync(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.fault == nil {
			j.fault = fmt.Errorf("%w: %w", errUnrecorded, err)
		}
		return j.fault
	}
	return nil
}

// notesLocked takes what was printed and read from the clock; of a character or a secret
// that is printed in two parts both, unless these are the last notes. The caller holds
// the lock.
func (j *Journal) notesLocked(last bool) []record.Line {
	var out []record.Line
	// One that goes on tells its readings anew once it is live: then those before go.
	if (len(j.readings) > 0 || j.lost) && (j.repeats == nil || j.repeats.over.Load()) {
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

// Clock takes readings of a script's clock.
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

// Sending writes that the first byte of a call is to leave: durably, for what is no
// read. recorded is the call that goes on by it, or nil.
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

// SentWithin is how long after its line a call may be sent, 0 where no record is kept.
func (j *Journal) SentWithin() time.Duration {
	if j.w == nil {
		return 0
	}
	return j.store.SentWithin()
}

// Now is the time by clock and record, which does not run back.
func (j *Journal) Now() time.Time {
	now := time.Now()
	if j.w != nil {
		if last := j.w.Last(); last.After(now) {
			return last
		}
	}
	return now
}

// Attempt is the number of this execution of the script, 0 for the first.
func (j *Journal) Attempt() int { return j.number }

// usageEvery is how often what a run takes of the machine is written while it goes on.
const usageEvery = time.Second

// Usage takes what the run takes of the machine. A run that goes on tells of it once it
// is live: until then it leaves its record as it is.
func (j *Journal) Usage(u worker.Usage) {
	j.mu.Lock()
	if j.repeats != nil && !j.repeats.over.Load() {
		j.mu.Unlock()
		return
	}
	if j.told.IsZero() {
		j.told = u.At
	}
	j.usage = append(j.usage, u)
	late := u.At.Sub(j.told) >= usageEvery
	if late {
		j.told = u.At
	}
	j.mu.Unlock()
	if late {
		n := &record.Note{Head: record.Head{Time: time.Now()}}
		n.Usage = j.used(n.Time)
		j.Add(n) // an error is met again by the next line
	}
}

// used takes the usage that is not in the record yet, for a line of a time.
func (j *Journal) used(at time.Time) (out record.Usage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, u := range j.usage {
		out = append(out, [3]int64{at.Sub(u.At).Milliseconds(), u.CPU.Milliseconds(), u.Memory})
	}
	j.usage = nil
	return out
}

// NextCall is the number of a call that begins.
func (j *Journal) NextCall() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls++
	return j.calls
}

// ScriptPath is the path of the script that a call of RunScript runs.
func (j *Journal) ScriptPath(path, place string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := path + "/" + place
	j.nested[at]++
	return fmt.Sprintf("%s#%d/", at, j.nested[at])
}

// Tell tells a listener of a line.
func (j *Journal) Tell(l record.Line) {
	if j.tell != nil {
		j.tell(l)
	}
}

// End writes the last line, and closes the record.
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
		err = j.sync() // the answer leaves
	}
	if err = errors.Join(err, j.w.Close()); err != nil {
		res.Unwritten = err
		res.Warnings = append(res.Warnings, "the record of this run is not whole: "+err.Error())
	}
}
