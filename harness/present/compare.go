package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Difference describes how a run B differs from a run A. Equal parts are zero, except Count and Ms.
type Difference struct {
	A       string         `json:"a"` // run IDs
	B       string         `json:"b"`
	Same    bool           `json:"same"`
	Status  *Pair[string]  `json:"status,omitempty"`
	Script  string         `json:"script,omitempty"` // unified difference
	Inputs  []Change       `json:"inputs,omitempty"`
	Phrases []PhraseChange `json:"phrases,omitempty"`
	Calls   []CallChange   `json:"calls,omitempty"`
	Stdout  string         `json:"stdout,omitempty"` // unified difference
	Stderr  string         `json:"stderr,omitempty"` // unified difference
	Value   *Change        `json:"value,omitempty"`
	Error   *Pair[string]  `json:"error,omitempty"` // its message
	Count   Pair[int]      `json:"count"`           // number of calls
	Ms      Pair[float64]  `json:"ms"`
}

// Pair is a value in A and in B.
type Pair[T any] struct {
	A T `json:"a"`
	B T `json:"b"`
}

// Change is the first place where two JSON values differ: value.orders[0].id. A or B is nil
// if the run lacks the value.
type Change struct {
	Path string          `json:"path"`
	A    json.RawMessage `json:"a,omitempty"`
	B    json.RawMessage `json:"b,omitempty"`
}

// PhraseChange is a phrase that found another tool; "" stands for no tool.
type PhraseChange struct {
	Phrase string `json:"phrase"`
	A      string `json:"a"`
	B      string `json:"b"`
}

// Kinds of CallChange.
const (
	Missing   = "missing"   // only A has the call
	Extra     = "extra"     // only B has the call
	Arguments = "arguments" // same place and tool, different arguments
	Result    = "result"
	Outcome   = "outcome" // different state or error
)

// CallChange describes a call that differs.
type CallChange struct {
	What  string `json:"what"`
	Tool  string `json:"tool"`
	A     int    `json:"call_a,omitempty"` // call numbers
	B     int    `json:"call_b,omitempty"`
	LineA int    `json:"line_a,omitempty"`
	LineB int    `json:"line_b,omitempty"`
	// Args are the arguments of a call that only one run has.
	Args json.RawMessage `json:"args,omitempty"`
	// Change is the first difference in arguments or results, or the two outcomes.
	Change *Change `json:"change,omitempty"`
}

// Compare returns how B differs from A. It matches calls by place, tool and arguments; a place
// matches if its line of the script does, even if the line moved. It ignores times, tokens and the
// order of concurrent calls.
func Compare(a, b *View) *Difference {
	d := &Difference{A: a.Run.Begin.ID, B: b.Run.Begin.ID, Count: Pair[int]{a.Calls, b.Calls},
		Ms: Pair[float64]{a.Ms, b.Ms}}
	if a.Status != b.Status {
		d.Status = &Pair[string]{a.Status, b.Status}
	}
	d.Script = unified(a.Sources[0].Text, b.Sources[0].Text)
	d.Inputs = inputs(a.Run, b.Run)
	d.Phrases = phrases(a.Phrases, b.Phrases)
	d.Calls = calls(a, b)
	d.Stdout, d.Stderr = unified(a.Run.Stdout(), b.Run.Stdout()), unified(a.Run.Stderr(), b.Run.Stderr())
	d.Value = change("value", a.Run, ended(a.Run).Value, b.Run, ended(b.Run).Value)
	if x, y := message(a.Error), message(b.Error); x != y {
		d.Error = &Pair[string]{x, y}
	}
	d.Same = d.Status == nil && d.Script == "" && d.Inputs == nil && d.Phrases == nil && d.Calls == nil &&
		d.Stdout == "" && d.Stderr == "" && d.Value == nil && d.Error == nil
	return d
}

func ended(r *record.Run) *record.End {
	if r.End == nil {
		return &record.End{}
	}
	return r.End
}

func message(e *Error) string {
	if e == nil {
		return ""
	}
	return e.Message
}

// unified returns a unified diff of two texts, with --- a and +++ b, or "" if they are equal.
func unified(a, b string) string {
	return string(bytes.TrimPrefix(diff.Diff("a", []byte(a), "b", []byte(b)), []byte("diff a b\n")))
}

// change returns the first difference of two values, or nil. It compares digests if the record does
// not keep a value.
func change(path string, inA *record.Run, a record.Data, inB *record.Run, b record.Data) *Change {
	if a.SHA256 != "" && a.SHA256 == b.SHA256 && a.Redacted == b.Redacted || a.IsZero() && b.IsZero() {
		return nil
	}
	x, y := value(inA, a), value(inB, b)
	if x == nil && !a.IsZero() || y == nil && !b.IsZero() { // only the digest of one is known
		return &Change{path, either(x, a), either(y, b)}
	}
	at, p, q, same := firstDifference(path, x, y, maxCompared)
	switch {
	case !same:
		return &Change{at, p, q}
	case a.Redacted && b.Redacted && a.SHA256 != b.SHA256:
		return &Change{path, hidden, hidden}
	}
	return nil
}

// hidden stands for a difference in a part that is not kept.
var hidden = json.RawMessage(`"(in a part that is not kept)"`)

// maxCompared limits the depth to which values are compared part by part.
const maxCompared = 32

// either returns a value, or a JSON string that says why it is missing.
func either(raw json.RawMessage, d record.Data) json.RawMessage {
	if raw != nil || d.IsZero() {
		return raw
	}
	return record.String(absent(d)).JSON
}

func inputs(a, b *record.Run) (out []Change) {
	names := append(slices.Sorted(maps.Keys(a.Begin.Inputs)), slices.Sorted(maps.Keys(b.Begin.Inputs))...)
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if c := change(n, a, a.Begin.Inputs[n], b, b.Begin.Inputs[n]); c != nil {
			out = append(out, *c)
		}
	}
	return out
}

// phrases returns the phrases that found different tools. It omits tools without a phrase, because
// script and calls show them.
func phrases(a, b []Phrase) (out []PhraseChange) {
	came := func(all []Phrase) (order []string, tool map[string]string) {
		tool = map[string]string{}
		for _, p := range all {
			if _, twice := tool[p.Phrase]; p.Phrase != "" && !twice {
				order = append(order, p.Phrase)
				tool[p.Phrase] = cmp.Or(p.Tool, p.Verdict)
			}
		}
		return order, tool
	}
	order, inA := came(a)
	more, inB := came(b)
	for _, p := range more {
		if _, ok := inA[p]; !ok {
			order = append(order, p)
		}
	}
	for _, p := range order {
		if inA[p] != inB[p] {
			out = append(out, PhraseChange{p, inA[p], inB[p]})
		}
	}
	return out
}

// placed is a call with its script and place.
type placed struct {
	*Bar
	line              int // in the other run's script
	own               int // in the run's script
	place, tool, args string
}

// flat returns the calls of a run ordered by start. moved maps the lines of the script to lines of
// the other run's script.
func flat(v *View, moved func(int) int) (out []*placed) {
	for i, s := range v.Sources {
		for _, p := range s.Places {
			line := p.Line
			if i == 0 {
				line = moved(line)
			}
			place := fmt.Sprintf("%d %d:%d %s", i, line, p.Column, p.Tool)
			for _, b := range p.Calls {
				args := b.Made.Line().Args
				key := args.SHA256
				if raw := value(v.Run, args); raw != nil {
					key = string(raw)
				}
				out = append(out, &placed{b, line, p.Line, place, p.Tool, key})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y *placed) int { return cmp.Or(cmp.Compare(x.Start, y.Start), x.N-y.N) })
	return out
}

// calls matches the calls of two runs, best matches first, and returns the calls that differ.
func calls(a, b *View) (out []CallChange) {
	moved := movedLines(a.Sources[0].Text, b.Sources[0].Text)
	inA, inB := flat(a, moved), flat(b, func(line int) int { return line })
	of := map[*placed]*placed{} // the matching call in the other run
	pair := func(key func(*placed) string) {
		if len(of) == len(inA)+len(inB) {
			return
		}
		waiting := map[string][]*placed{}
		for _, c := range inB {
			if of[c] == nil {
				waiting[key(c)] = append(waiting[key(c)], c)
			}
		}
		for _, c := range inA {
			if w := waiting[key(c)]; of[c] == nil && len(w) > 0 {
				of[c], of[w[0]] = w[0], c
				waiting[key(c)] = w[1:]
			}
		}
	}
	pair(func(c *placed) string { return c.Path + " " + c.place + " " + c.args })
	pair(func(c *placed) string { return c.place + " " + c.args })
	pair(func(c *placed) string { return c.tool + " " + c.args })
	pair(func(c *placed) string { return c.Path + " " + c.place })
	pair(func(c *placed) string { return c.place })
	pair(func(c *placed) string { return fmt.Sprintf("%d %s", c.line, c.tool) })
	for _, x := range inA {
		y := of[x]
		if y == nil {
			out = append(out, CallChange{What: Missing, Tool: x.tool, A: x.N, LineA: x.own, Args: x.Made.Line().Args.JSON})
			continue
		}
		c := CallChange{Tool: x.tool, A: x.N, B: y.N, LineA: x.own, LineB: y.own}
		if x.args != y.args {
			c.What, c.Change = Arguments, change("args", a.Run, x.Made.Line().Args, b.Run, y.Made.Line().Args)
			if c.Change != nil {
				out = append(out, c)
			}
			continue // different arguments explain a different result
		}
		if p, q := outcome(x), outcome(y); p != q {
			c.What, c.Change = Outcome, &Change{"outcome", record.String(p).JSON, record.String(q).JSON}
			out = append(out, c)
		} else if ch := change("result", a.Run, x.Made.Result(), b.Run, y.Made.Result()); ch != nil {
			c.What, c.Change = Result, ch
			out = append(out, c)
		}
	}
	for _, y := range inB {
		if of[y] == nil {
			out = append(out, CallChange{What: Extra, Tool: y.tool, B: y.N, LineB: y.own, Args: y.Made.Line().Args.JSON})
		}
	}
	return out
}

func outcome(c *placed) string {
	if c.Error != "" {
		return string(c.State) + ": " + c.Error
	}
	return string(c.State)
}

// movedLines returns a function that maps lines of a to lines of b. It maps a replaced line to its
// replacement, a removed line to a negative number.
func movedLines(a, b string) func(int) int {
	if a == b {
		return func(line int) int { return line }
	}
	at := map[int]int{}
	i, j := 1, 1   // the next lines
	var gone []int // preceding lines of a without a line in b so far
	_, hunks, _ := strings.Cut(unified(a, b), "+++ b\n")
	for line := range strings.Lines(hunks) {
		var fromA, nA, fromB, nB int
		switch n, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &fromA, &nA, &fromB, &nB); {
		case n == 4:
			for ; i < fromA; i, j = i+1, j+1 {
				at[i] = j
			}
			i, j, gone = max(fromA, 1), max(fromB, 1), nil
		case line[0] == ' ':
			at[i] = j
			i, j, gone = i+1, j+1, nil
		case line[0] == '-':
			gone = append(gone, i)
			i++
		case line[0] == '+':
			if len(gone) > 0 {
				at[gone[0]], gone = j, gone[1:]
			}
			j++
		}
	}
	last, shift := i, j-i // after the last hunk, all lines are equal
	return func(line int) int {
		if to, ok := at[line]; ok {
			return to
		}
		if line >= last {
			return line + shift
		}
		return -line
	}
}

// Document describes the differences. Unless all is set, it has only the first 50 calls that
// differ.
func (d *Difference) Document(all bool) Document {
	if d.Same {
		return Document{&Paragraph{Text{{Text: d.A, Style: Strong}, {Text: " and "}, {Text: d.B, Style: Strong},
			{Text: fmt.Sprintf(" are the same: script, %s, output, value", text.Count(d.Count.A, "call"))}}}}
	}
	out := Document{Facts{{Name: "a", Value: Words(Strong, d.A).Add(Dim, "  "+Duration(d.Ms.A))},
		{Name: "b", Value: Words(Strong, d.B).Add(Dim, "  "+Duration(d.Ms.B))}}}
	section := func(title string) { out = append(out, &Heading{2, Words(Plain, title)}) }
	differs := func(name, a, b string) {
		out = append(out, &Contrast{Name: name, A: text.Cut(cmp.Or(a, none), maxDiffers), B: text.Cut(cmp.Or(b, none), maxDiffers)})
	}
	change := func(name string, c *Change) { differs(name, compact(c.A), compact(c.B)) }
	diff := func(title, lines string) {
		if lines != "" {
			section(title)
			out = append(out, &UnifiedDiff{lines})
		}
	}
	if s := d.Status; s != nil {
		differs("status", s.A, s.B)
	}
	if s := d.Error; s != nil {
		differs("error", s.A, s.B)
	}
	diff("script", d.Script)
	if len(d.Inputs) > 0 {
		section("inputs")
	}
	for _, c := range d.Inputs {
		change(c.Path, &c)
	}
	if len(d.Phrases) > 0 {
		section("phrases")
	}
	for _, c := range d.Phrases {
		differs(fmt.Sprintf("%q", c.Phrase), c.A, c.B)
	}
	if len(d.Calls) > 0 {
		section(fmt.Sprintf("calls  (%d in a, %d in b)", d.Count.A, d.Count.B))
	}
	for i, c := range d.Calls {
		if i == maxChanges && !all {
			out = append(out, &Paragraph{Words(Dim, "and "+text.Count(len(d.Calls)-i, "more call"))})
			break
		}
		args := cmp.Or(compact(c.Args), "called")
		switch c.What {
		case Missing:
			differs(c.name()+", only in a", args, "")
		case Extra:
			differs(c.name()+", only in b", "", args)
		default:
			change(c.name()+": "+c.Change.Path, c.Change)
		}
	}
	diff("output", d.Stdout)
	diff("stderr", d.Stderr)
	if d.Value != nil {
		section("value")
		change(d.Value.Path, d.Value)
	}
	return out
}

const (
	none       = "(none)" // stands for a value that a run lacks
	maxChanges = 50       // calls
	maxDiffers = 1000     // characters of a value
)

// name returns the tool of a call, its numbers in both runs and its line.
func (c *CallChange) name() string {
	numbers := fmt.Sprintf("#%d", max(c.A, c.B))
	if c.A > 0 && c.B > 0 && c.A != c.B {
		numbers = fmt.Sprintf("#%d in a, #%d in b", c.A, c.B)
	}
	if line := cmp.Or(c.LineA, c.LineB); line > 0 {
		numbers += fmt.Sprintf(", line %d", line)
	}
	return c.Tool + "  " + numbers
}
