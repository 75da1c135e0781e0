package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/usetools/usetools/harness/record"
)

// Difference is in what a run B differs from a run A. What is the same in both is
// zero, but for Ms, which says nothing about that.
type Difference struct {
	A       string         `json:"a"` // the runs
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
	Count   Pair[int]      `json:"count"`           // of calls
	Ms      Pair[float64]  `json:"ms"`
}

// Pair is what is in A and in B.
type Pair[T any] struct {
	A T `json:"a"`
	B T `json:"b"`
}

// Change is the first place in which two JSON values differ: value.orders[0].id.
// A value that is not there has no A or B.
type Change struct {
	Path string          `json:"path"`
	A    json.RawMessage `json:"a,omitempty"`
	B    json.RawMessage `json:"b,omitempty"`
}

// PhraseChange is a phrase that came to another tool; "" is none.
type PhraseChange struct {
	Phrase string `json:"phrase"`
	A      string `json:"a"`
	B      string `json:"b"`
}

// What may be another in a call.
const (
	Missing   = "missing"   // A has it, B has not
	Extra     = "extra"     // B has it, A has not
	Arguments = "arguments" // the same place and tool, other arguments
	Result    = "result"
	Outcome   = "outcome" // another state or error
)

// CallChange is a call that is not the same.
type CallChange struct {
	What  string `json:"what"`
	Tool  string `json:"tool"`
	A     int    `json:"call_a,omitempty"` // its numbers
	B     int    `json:"call_b,omitempty"`
	LineA int    `json:"line_a,omitempty"`
	LineB int    `json:"line_b,omitempty"`
	// Args are those of a call that only one run has.
	Args json.RawMessage `json:"args,omitempty"`
	// Change is the first difference of arguments or results, or both outcomes.
	Change *Change `json:"change,omitempty"`
}

// Compare says in what B differs from A. Calls are the same where place, tool and
// arguments are; a place is the same where its line of the script is, also when it
// has moved. Times, tokens and what ran side by side in another order are no
// difference.
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

// unified is the difference of two texts, with --- a and +++ b; "" is none.
func unified(a, b string) string {
	return string(bytes.TrimPrefix(diff.Diff("a", []byte(a), "b", []byte(b)), []byte("diff a b\n")))
}

// change is the first difference of two values, nil where there is none. Of values
// that are not kept the digests are compared.
func change(path string, inA *record.Run, a record.Data, inB *record.Run, b record.Data) *Change {
	if a.SHA256 != "" && a.SHA256 == b.SHA256 && a.Redacted == b.Redacted || a.IsZero() && b.IsZero() {
		return nil
	}
	x, y := value(inA, a), value(inB, b)
	if x == nil && !a.IsZero() || y == nil && !b.IsZero() { // of one nothing but its digest is known
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

// hidden stands for a part of a value that is not kept.
var hidden = json.RawMessage(`"(in a part that is not kept)"`)

// maxCompared is the depth to which values are compared part by part.
const maxCompared = 32

// either is a value, or as a JSON string why it is not there.
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

// phrases are those that came to other tools. Names without a phrase are left out:
// the script and its calls tell of them.
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

// placed is a call with the script and the place that it is made at.
type placed struct {
	*Bar
	line              int // in the other run's script
	own               int // in that of its own run
	place, tool, args string
}

// flat are the calls of a run as they began. The lines of the script are made those
// of the other run's by moved.
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

// calls matches the calls of two runs, the surest matches first, and says what is
// another in each.
func calls(a, b *View) (out []CallChange) {
	moved := movedLines(a.Sources[0].Text, b.Sources[0].Text)
	inA, inB := flat(a, moved), flat(b, func(line int) int { return line })
	of := map[*placed]*placed{} // of A, what it is in B
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
			continue // another question has another answer
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

// movedLines returns where a line of a is in b: of lines that were replaced, the
// ones in their place. Below zero: nowhere.
func movedLines(a, b string) func(int) int {
	if a == b {
		return func(line int) int { return line }
	}
	at := map[int]int{}
	i, j := 1, 1   // the next lines
	var gone []int // lines of a directly before, for which there is none yet
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
	last, shift := i, j-i // behind the last hunk all is the same
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

// Text writes the difference for a terminal. What it says when both are the same
// is one line.
func (d *Difference) Text(w io.Writer, o *Options) error {
	p := newPage(&View{}, o)
	a, b := p.paint(bold, p.safe(d.A, maxName)), p.paint(bold, p.safe(d.B, maxName))
	if d.Same {
		p.line("%s and %s are the same: script, %d calls with their results, output and value", a, b, d.Count.A)
		_, err := io.WriteString(w, p.b.String())
		return err
	}
	p.line("%s  %s", p.paint(red, "a"), a)
	p.line("%s  %s", p.paint(green, "b"), b)
	if s := d.Status; s != nil {
		p.was("status", cmp.Or(s.A, none), cmp.Or(s.B, none))
	}
	if s := d.Error; s != nil {
		p.was("error", cmp.Or(s.A, none), cmp.Or(s.B, none))
	}
	p.unified("script", d.Script)
	if len(d.Inputs) > 0 {
		p.title("inputs")
		for _, c := range d.Inputs {
			p.change(&c)
		}
	}
	if len(d.Phrases) > 0 {
		p.title("phrases")
		for _, c := range d.Phrases {
			p.was(fmt.Sprintf("%q", c.Phrase), cmp.Or(c.A, none), cmp.Or(c.B, none))
		}
	}
	if len(d.Calls) > 0 {
		p.title(fmt.Sprintf("calls  (%d in a, %d in b)", d.Count.A, d.Count.B))
		for i, c := range d.Calls {
			if i == maxChanges && !p.All {
				p.line("  %s", p.paint(dim, fmt.Sprintf("and %d more", len(d.Calls)-i)))
				break
			}
			p.callChange(&c)
		}
	}
	p.unified("output", d.Stdout)
	p.unified("stderr", d.Stderr)
	if d.Value != nil {
		p.title("value")
		p.change(d.Value)
	}
	p.line("")
	p.line("%s", p.paint(dim, fmt.Sprintf("a took %s, b %s", Duration(d.Ms.A), Duration(d.Ms.B))))
	_, err := io.WriteString(w, p.b.String())
	return err
}

// none stands for what one run has not.
const none = "(none)"

// maxChanges bounds the calls of a difference that are told of.
const maxChanges = 50

func (p *page) title(s string) {
	p.line("")
	p.line("%s", p.paint(bold, s))
}

// was writes what is another in both.
func (p *page) was(what, a, b string) {
	p.line("%s", p.safe(what, p.Width))
	p.minusPlus(a, b)
}

func (p *page) minusPlus(a, b string) {
	for _, l := range p.wrapped(a, p.Width-4, 6) {
		p.line("  %s", p.paint(red, "- "+l))
	}
	for _, l := range p.wrapped(b, p.Width-4, 6) {
		p.line("  %s", p.paint(green, "+ "+l))
	}
}

func (p *page) change(c *Change) {
	p.line("  %s", p.safe(c.Path, p.Width-2))
	p.minusPlus(cmp.Or(compact(c.A), none), cmp.Or(compact(c.B), none))
}

func (p *page) callChange(c *CallChange) {
	at := ""
	switch {
	case c.A == c.B && c.A > 0:
		at = fmt.Sprintf("#%d", c.A)
	case c.A > 0 && c.B > 0:
		at = fmt.Sprintf("#%d in a, #%d in b", c.A, c.B)
	case c.A > 0:
		at = fmt.Sprintf("#%d", c.A)
	case c.B > 0:
		at = fmt.Sprintf("#%d", c.B)
	}
	line := max(c.LineA, c.LineB)
	if c.LineA > 0 {
		line = c.LineA
	}
	if line > 0 {
		at += fmt.Sprintf(", line %d", line)
	}
	at = p.safe(c.Tool, p.Width/2) + "  " + p.paint(dim, strings.TrimPrefix(at, ", "))
	switch c.What {
	case Missing:
		p.line("%s  %s", p.paint(red, "- only in a"), at)
	case Extra:
		p.line("%s  %s", p.paint(green, "+ only in b"), at)
	default:
		p.line("%s  %s", p.paint(yellow, "~ other "+c.What), at)
		p.change(c.Change)
		return
	}
	if args := compact(c.Args); args != "" && args != "{}" {
		p.line("  %s", p.safe(args, p.Width-2))
	}
}

// unified writes the difference of two texts.
func (p *page) unified(title, text string) {
	if text == "" {
		return
	}
	p.title(title)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "--- a"), strings.HasPrefix(line, "+++ b"):
			colour = bold
		case strings.HasPrefix(line, "@@"):
			colour = cyan
		case strings.HasPrefix(line, "-"):
			colour = red
		case strings.HasPrefix(line, "+"):
			colour = green
		}
		p.line("%s", p.paint(colour, p.safe(untabbed(line), p.Width)))
	}
}
