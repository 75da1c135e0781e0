package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
)

// View is a run prepared for people. Times are in ms since the run began, without the pauses
// between its attempts.
type View struct {
	Run    *record.Run
	Status string  // the final status, or the store's status of an unfinished run
	Ms     float64 // until its end, or until the last line of the record
	// Paused is the total length of the pauses between attempts, in ms.
	Paused  float64
	Pauses  []Pause // in order
	Phrases []Phrase
	Sources []*Source // the script, then the scripts it ran through RunScript
	Calls   int       // including NotSent
	NotSent int       // calls of a dry run, until it is resumed
	Failed  int
	Classes map[record.Class]int // number of sent calls by class
	Error   *Error
	// Usage are samples of the run's resource usage, in order. The first sample is taken 50 ms
	// after an attempt begins. Usage is empty if the system does not report it.
	Usage []Sample
	CPU   float64 // CPU time in ms, as far as Usage has it
	Peak  int64   // the maximum Memory in Usage
	// Warnings are the run's warnings, final or so far.
	Warnings []string

	clock *clock
}

// Pause is a time between two attempts. At is its position on the run's clock, Ms its length.
type Pause struct{ At, Ms float64 }

// Phrase is the result for a phrase, or for a tool without a phrase.
type Phrase struct {
	Phrase     string  `json:"phrase"`
	Verdict    string  `json:"verdict"`
	By         string  `json:"by,omitempty"`
	Tool       string  `json:"tool,omitempty"`
	Go         string  `json:"go,omitempty"`
	Confidence float64 `json:"confidence"`
	Candidates []struct {
		ID    string  `json:"id"`
		Score float64 `json:"score"`
	} `json:"candidates"`
}

// Error is the reason why a run failed, with the fields of harness.Error.
type Error struct {
	Kind    string   `json:"kind"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Column  int      `json:"column"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	Trace   []string `json:"trace"`
}

// Source is a script with the events at its lines.
type Source struct {
	Name   string // name of a saved script or file; may be empty
	Path   string // path of the calls of a script that ran through RunScript
	Text   string
	Places []*Place // by line, column and tool
	Prints []*Print // by line, then in the order of printing; line 0 is unknown
}

// Place is a position where the script names a tool, with the calls made there.
type Place struct {
	Line, Column int // 1-based; 0 if unknown
	Tool         string
	Class        record.Class
	Calls        []*Bar  // by start
	P50, Slowest float64 // ms, of ended calls
	AtATime      int     // the maximum number of concurrent calls
	Failed       int

	common map[string]string // arguments that all calls share
}

// Bar is a call over time.
type Bar struct {
	*record.Made
	N          int // number in the record; 0 if the call was not sent
	Path       string
	Start, End float64 // ms
	State      State
	Error      string // message of the tool or the harness if the call failed
	// Origins and Late describe the origins of an effect call's values, as in record.Ask.
	Origins []flow.Origin
	Late    bool
}

// State is the known state of a call.
type State string

// The states of calls.
const (
	Answered State = "done"
	Failed   State = "failed" // the tool reported a failure, or the call was refused
	NotSent  State = "not sent"
	Unread   State = "unread" // the server answered, but the answer is unreadable
	Unknown  State = "unknown"
	Running  State = "running"
	MadeUp   State = "made up"  // in a dry run: not sent, with a made-up answer
	Recorded State = "recorded" // in a dry run: not sent, with the answer of an earlier run
	Settled  State = "settled"  // a person reported the outcome
	Waiting  State = "waiting"  // its server continues it later
)

// Print is a line that the script printed.
type Print struct {
	Line   int
	At     float64 // ms
	Text   string  // without a newline
	Stderr bool
	Times  int // how often the same text was printed at this line
	// PrintTimes are the times of the first ones in ms, including At.
	PrintTimes []float64
}

// Sample is the resource usage of a run, including the scripts that it runs.
type Sample struct {
	At     float64 // ms
	CPU    float64 // ms of CPU time per ms since the previous sample, over all cores
	Memory int64   // bytes
}

// Limits of a view of any record.
const (
	maxChildren   = 100 // scripts that are shown; events of further ones belong to the script itself
	maxPrintTimes = 200 // times of a Print
)

// New returns the view of a run.
func New(r *record.Run) *View {
	v := &View{Run: r, Status: r.Summary().Status, Classes: map[record.Class]int{}}
	if r.End != nil {
		v.Warnings = r.End.Warnings
		var e Error
		if json.Unmarshal(r.End.Error, &e) == nil && e.Message != "" {
			v.Error = &e
		}
	}
	if r.Tools != nil {
		_ = json.Unmarshal(r.Tools.Phrases, &v.Phrases) // malformed phrases are not shown
	}
	c := newClock(r)
	v.clock = c
	v.Paused = ms(c.paused())
	for _, k := range c.cuts {
		v.Pauses = append(v.Pauses, Pause{c.at(k.from), ms(k.to.Sub(k.from))})
	}
	v.Ms = c.last
	if r.End != nil {
		v.Ms = max(c.last, c.at(r.End.Time))
	}
	v.Sources = append(v.Sources, &Source{Name: r.Begin.Name, Text: textOf(r, r.Begin.Script)})
	for _, child := range r.Children[:min(len(r.Children), maxChildren)] {
		v.Sources = append(v.Sources, &Source{Name: child.Name, Path: child.Path, Text: textOf(r, child.Script)})
	}
	v.addCalls(c)
	v.addOrigins()
	v.addPrints(c)
	v.addUsage(c)
	return v
}

// SourceOf returns the script that a path of a call belongs to.
func (v *View) SourceOf(path string) *Source {
	best := v.Sources[0]
	for _, s := range v.Sources[1:] {
		rest, ok := strings.CutPrefix(path, s.Path)
		if ok && s.Path != "" && len(s.Path) > len(best.Path) && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			best = s
		}
	}
	return best
}

func (v *View) addCalls(c *clock) {
	type key struct {
		source      *Source
		place, tool string
	}
	at := map[key]*Place{}
	live := v.Run.Live()
	for _, m := range v.Run.Calls {
		if m.Call == nil && live { // sent calls have their own line
			continue
		}
		b := v.bar(m, c)
		l := m.Line()
		place, tool, class := l.Place, l.Tool, l.Class
		if v.Calls++; m.Call == nil {
			v.NotSent++
		} else {
			v.Classes[class]++
		}
		k := key{v.SourceOf(b.Path), place, tool}
		p := at[k]
		if p == nil {
			p = &Place{Tool: tool, Class: class}
			p.Line, p.Column = record.Position(place)
			at[k] = p
			k.source.Places = append(k.source.Places, p)
		}
		p.Calls = append(p.Calls, b)
		if m.Done != nil && (m.Done.Failed || m.Done.Error != "") { // as a Summary counts them
			p.Failed++
			v.Failed++
		}
	}
	for _, s := range v.Sources {
		slices.SortStableFunc(s.Places, func(a, b *Place) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Tool, b.Tool))
		})
		for _, p := range s.Places {
			p.finish()
		}
	}
}

func (v *View) bar(m *record.Made, c *clock) *Bar {
	b := &Bar{Made: m}
	switch {
	case m.Call == nil:
		b.N, b.Path, b.State = m.Guess.N, m.Guess.Path, MadeUp
		if m.Guess.From != "" {
			b.State = Recorded
		}
		b.Start = c.at(m.Guess.Time)
		b.End = b.Start
		return b
	case m.Done == nil:
		b.State, b.End = Unknown, c.last
		if v.Status == record.Running {
			b.State, b.End = Running, c.last
		} else if m.Round != nil {
			b.State = Waiting
		}
	default:
		b.State, b.End = stateOf(m.Done), c.at(m.Done.Time)
		b.Error = m.Done.Error
		if b.Error == "" && m.Done.Failed {
			b.Error = failureText(value(v.Run, m.Done.Result))
		}
	}
	if m.Settle != nil {
		b.State = Settled
	}
	b.N, b.Path, b.Start = m.Call.N, m.Call.Path, c.at(m.Call.Time)
	b.End = max(b.End, b.Start)
	return b
}

func stateOf(d *record.Done) State {
	switch {
	case d.Kind == record.NotSent:
		return NotSent
	case d.Kind == record.Unread:
		return Unread
	case d.Kind == record.Uncertain:
		return Unknown
	case d.Failed || d.Denied || d.Error != "":
		return Failed
	}
	return Answered
}

// HasFailed reports whether the call failed, was not sent, or has an unreadable answer.
func (b *Bar) HasFailed() bool { return b.State == Failed || b.State == NotSent || b.State == Unread }

// took returns how long the call took, in ms. It returns false if the call has not ended.
func (b *Bar) took() (float64, bool) {
	if b.Done == nil {
		return 0, false
	}
	return b.Done.Ms, true
}

// failureText returns the text of a result that reports a failure.
func failureText(result []byte) string {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(result, &r) // a malformed result has no text
	var all []string
	for _, c := range r.Content {
		if c.Text != "" {
			all = append(all, c.Text)
		}
	}
	return strings.Join(all, "\n")
}

// finish sorts the calls by start, and computes the statistics of the place.
func (p *Place) finish() {
	slices.SortStableFunc(p.Calls, func(a, b *Bar) int { return cmp.Compare(a.Start, b.Start) })
	var took []float64
	for _, b := range p.Calls {
		if t, ok := b.took(); ok {
			took = append(took, t)
		}
	}
	p.AtATime = atATime(p.Calls)
	slices.Sort(took)
	if n := len(took); n > 0 {
		p.P50, p.Slowest = Quantile(took, .5), took[n-1]
	}
	p.common = common(p.Calls)
}

// Quantile returns the least of the sorted values such that a share of them, 0 to 1, does not
// exceed it (nearest rank). It returns 0 without values.
func Quantile[T float32 | float64](sorted []T, share float64) T {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	rank := int(math.Ceil(share*float64(n) - 1e-9)) // .95 of 100 is 95 despite rounding errors
	return sorted[min(max(rank, 1), n)-1]
}

// atATime returns the maximum number of concurrent calls. calls are ordered by start.
func atATime(calls []*Bar) (most int) {
	ends := make([]float64, len(calls))
	for i, b := range calls {
		ends[i] = b.End
	}
	slices.Sort(ends)
	ended := 0
	for i, b := range calls {
		for ends[ended] <= b.Start && ended < i {
			ended++
		}
		most = max(most, i+1-ended)
	}
	return most
}

func (v *View) addPrints(c *clock) {
	type stream struct {
		source *Source
		stderr bool
	}
	type printed struct {
		stream
		line int
		text string
	}
	type line struct {
		Print
		text strings.Builder
	}
	open := map[stream]*line{} // lines without a newline so far
	seen := map[printed]*Print{}
	flush := func(to stream) {
		l := open[to]
		if l == nil {
			return
		}
		delete(open, to)
		p := &l.Print
		p.Text = l.text.String()
		same := printed{to, p.Line, p.Text}
		if before := seen[same]; before != nil && p.Line > 0 { // prints of line 0 keep their order
			if before.Times++; before.Times <= maxPrintTimes {
				before.PrintTimes = append(before.PrintTimes, p.At)
			}
			return
		}
		p.Times, p.PrintTimes = 1, []float64{p.At}
		seen[same] = p
		to.source.Prints = append(to.source.Prints, p)
	}
	for _, n := range v.Run.Output() {
		if n.Warning != "" && v.Run.End == nil {
			v.Warnings = append(v.Warnings, n.Warning)
		}
		source := v.SourceOf(n.Path)
		for x := range n.Printed() {
			to := stream{source, x.Stderr}
			for part := range strings.Lines(x.Text) {
				p := open[to]
				if p != nil && p.Line != x.Line { // another script line continues the text
					if flush(to); part == "\n" {
						continue
					}
					p = nil
				}
				if p == nil {
					p = &line{Print: Print{Line: x.Line, At: min(c.at(x.Time), v.Ms), Stderr: x.Stderr}}
					open[to] = p
				}
				rest, ended := strings.CutSuffix(part, "\n")
				if p.text.WriteString(rest); ended {
					flush(to)
				}
			}
		}
	}
	for _, s := range v.Sources {
		flush(stream{s, false})
		flush(stream{s, true})
		slices.SortStableFunc(s.Prints, func(a, b *Print) int { return cmp.Compare(a.Line, b.Line) })
	}
}

func (v *View) addUsage(c *clock) {
	before, cpu := 0.0, int64(0) // of the current attempt
	for _, l := range v.Run.Lines {
		var usage record.Usage
		switch l := l.(type) {
		case *record.Attempt:
			before, cpu = c.at(l.Time), 0
		case *record.Note:
			usage = l.Usage
		case *record.End:
			usage = l.Usage
		}
		for _, u := range usage { // untrusted
			if u[0] < 0 || u[0] > maxAge || u[1] < cpu || u[1] > maxAge || u[2] < 0 {
				continue
			}
			s := Sample{At: c.at(record.When(l).Add(-time.Duration(u[0]) * time.Millisecond)), Memory: u[2]}
			if s.At <= before {
				continue
			}
			s.CPU = float64(u[1]-cpu) / (s.At - before)
			v.CPU += float64(u[1] - cpu)
			v.Peak = max(v.Peak, s.Memory)
			v.Usage = append(v.Usage, s)
			before, cpu = s.At, u[1]
		}
	}
}

// maxAge limits the times in a sample, in ms.
const maxAge = int64(365 * 24 * time.Hour / time.Millisecond)

// clock converts times to the time of a run, which stands still between attempts.
type clock struct {
	began time.Time
	cuts  []cut
	last  float64 // time of the latest line, in ms
}

type cut struct{ from, to time.Time }

func newClock(r *record.Run) *clock {
	c := &clock{began: r.Begin.Time}
	before := r.Begin.Time
	for _, l := range r.Lines {
		t := record.When(l)
		switch l.(type) {
		case *record.Settle, *record.Answer: // from people, while the run is stopped
			continue
		}
		if _, again := l.(*record.Attempt); again && t.After(before) {
			c.cuts = append(c.cuts, cut{before, t})
		}
		if t.After(before) {
			before = t
		}
	}
	c.last = c.at(before)
	return c
}

// at converts a time to ms since the run began. Earlier times are 0.
func (c *clock) at(t time.Time) float64 {
	d := t.Sub(c.began)
	for _, k := range c.cuts {
		switch {
		case !t.Before(k.to):
			d -= k.to.Sub(k.from)
		case t.After(k.from):
			d -= t.Sub(k.from)
		}
	}
	return max(0, ms(d))
}

func (c *clock) paused() (sum time.Duration) {
	for _, k := range c.cuts {
		sum += k.to.Sub(k.from)
	}
	return sum
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// value returns a value of a record, or nil if it is not kept or cannot be read.
func value(r *record.Run, d record.Data) []byte {
	b, _ := r.Value(d) // nil on error
	return b
}

// Indented returns JSON in indented lines, and any other text unchanged.
func Indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// textOf returns a text of a record, or a note that it is missing.
func textOf(r *record.Run, d record.Data) string {
	b := value(r, d)
	if b == nil && !d.IsZero() {
		return absent(d)
	}
	return record.Raw(b).Text()
}
