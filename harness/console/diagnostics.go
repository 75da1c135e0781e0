package console

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// checked is the result of a check.
type checked struct {
	OK       bool
	Ms       float64
	Marks    []checkMark // errors, then warnings
	Errors   int         // number of error marks
	Warnings int         // number of warning marks
	Phrases  []checkPhrase
	Open     int // phrases without exactly one matching tool
	// May describes what a run may do; it is empty if a run would not start. Label is the
	// text of the run button.
	May, Label string
}

// checkMark is an error or a warning at a place in the script.
type checkMark struct {
	Kind string `json:"kind"` // bad or wait
	// From and To are the marked range, in UTF-16 units. If the mark has no place, From,
	// To and Line are 0.
	From       int        `json:"from"`
	To         int        `json:"to"`
	Line       int        `json:"line"`
	Message    string     `json:"message"`
	Hint       string     `json:"hint,omitempty"`
	Signatures []string   `json:"signatures,omitempty"`
	Fixes      []checkFix `json:"fixes,omitempty"`
}

// checkFix is an edit of the script that a button applies.
type checkFix struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// checkPhrase is the match of a phrase, or of a tool name that no phrase declares.
type checkPhrase struct {
	Phrase        string
	Kind          string // ok, wait or bad
	Says          string
	Go, Href, Hue string // describe its tool, or ""
	Near          []checkNear
}

type checkNear struct{ Tool, Share string }

const (
	maxMarks   = 100
	maxPhrases = 100
	maxNear    = 3
	leastNear  = .05
)

// checked turns the result of a check into page data.
func (v *view) checked(d *edited, res *outcome.Result) (*checked, error) {
	c := &checked{OK: res.Status == outcome.OK, Marks: []checkMark{}, Label: "Run"}
	k, err := v.known()
	if err != nil {
		return nil, err
	}
	in := newPlaces(d.Script)
	for i := range res.Errors {
		c.mark(in, "bad", &res.Errors[i])
	}
	c.Errors = len(c.Marks)
	for i := range res.PlacedWarnings {
		c.mark(in, "wait", &res.PlacedWarnings[i])
	}
	for _, w := range res.Warnings {
		if !slices.ContainsFunc(res.PlacedWarnings, func(e outcome.Error) bool { return strings.HasSuffix(w, ": "+e.Message) }) {
			c.mark(in, "wait", &outcome.Error{Message: w})
		}
	}
	c.Warnings = len(c.Marks) - c.Errors
	for _, u := range res.Tools[:min(len(res.Tools), maxPhrases)] {
		p := phraseOf(&u, k)
		if p.Kind != "ok" {
			c.Open++
		}
		c.Phrases = append(c.Phrases, p)
	}
	if c.OK {
		c.May, c.Label = v.mayDo(d, res)
	}
	return c, nil
}

func (c *checked) mark(in *places, kind string, e *outcome.Error) {
	if len(c.Marks) >= maxMarks {
		return
	}
	m := checkMark{Kind: kind, Line: max(e.Sent, 0), Message: visible(e.Message), Hint: visible(e.Hint)}
	m.From, m.To = in.around(e.Sent, e.Column)
	for _, s := range e.Signatures[:min(len(e.Signatures), 5)] {
		m.Signatures = append(m.Signatures, present.Visible(s, 500, false))
	}
	for _, f := range e.Fixes {
		from := in.utf16(f.Line, f.Column)
		m.Fixes = append(m.Fixes, checkFix{From: from, To: in.utf16(f.Line, f.Column+f.Length), Text: f.Text})
	}
	c.Marks = append(c.Marks, m)
}

func phraseOf(u *outcome.ToolUse, k *known) checkPhrase {
	p := checkPhrase{Phrase: visible(u.Phrase), Kind: "ok"}
	switch u.Verdict {
	case discovery.Resolved:
		if p.Go, p.Href = cmp.Or(u.Go, u.Tool), toolHref(u.Tool); k != nil {
			p.Hue = k.hue(serverOf(u.Tool))
		}
		switch {
		case u.Phrase == "":
			p.Says = "called by name, not declared by a phrase"
		case u.By == discovery.ByExact:
			p.Says = "exact name"
		case u.By == outcome.ByName:
			p.Says = "chosen by the name in the script"
		case u.By == discovery.ByMemory:
			p.Says = "as in an earlier run"
		default:
			p.Says = fmt.Sprintf("%.0f %% sure", 100*u.Confidence)
		}
	case discovery.Ambiguous:
		p.Kind, p.Says = "wait", "matches several tools"
		if u.NoTool {
			p.Kind, p.Says = "bad", "no tool does this"
		}
	case discovery.NotFound:
		p.Kind, p.Says = "bad", "matches no tool"
	default:
		p.Kind, p.Says = "bad", visible(cmp.Or(u.Note, string(u.Verdict)))
	}
	for _, c := range u.Candidates {
		if c.ID != u.Tool && c.Score >= leastNear && len(p.Near) < maxNear {
			p.Near = append(p.Near, checkNear{c.ID, strings.TrimPrefix(fmt.Sprintf("%.2f", c.Score), "0")})
		}
	}
	return p
}

// mayDo describes what a run of a valid script may do, and returns the label of the run button.
func (v *view) mayDo(d *edited, res *outcome.Result) (says, label string) {
	cat := v.c.host.Catalog(v.Viewer)
	if cat == nil {
		return "", "Run"
	}
	var tools, effects []string
	asks, reads := map[string]bool{}, 0
	for _, d := range res.Decisions {
		tools = append(tools, d.Tool)
		asks[d.Tool] = d.Verdict == policy.NeedsApproval
	}
	for _, u := range res.Tools {
		if u.Tool != "" && !slices.Contains(tools, u.Tool) {
			tools = append(tools, u.Tool)
		}
	}
	for _, id := range tools {
		t, ok := cat.Registry.Tool(id)
		if !ok {
			continue
		}
		switch class, _ := cat.Class(t); {
		case class == record.Read:
			reads++
		case asks[id]:
			effects = append(effects, id+" (needs approval)")
		default:
			effects = append(effects, id)
		}
	}
	switch n := len(effects); {
	case n > 0:
		label = "Run with " + count(n, "effect")
		says = "may have effects through " + text.List(effects, 4)
	case reads > 0:
		says, label = "only reads", "Run: only reads"
	default:
		says, label = "calls no tool", "Run"
	}
	if len(d.Script) <= maxHighlighted && slices.ContainsFunc(scan(d.Script), func(p part) bool { return p.text == "RunScript" }) {
		says += ", plus the calls of the saved scripts it runs"
	}
	return says, label
}

// places converts lines and columns to offsets in UTF-16 units, as browsers count.
type places struct {
	source string
	lines  []int // start of each line in bytes
	units  []int // start of each line in UTF-16 units
}

func newPlaces(source string) *places {
	p := &places{source: source}
	at, units := 0, 0
	for line := range strings.SplitAfterSeq(source, "\n") {
		p.lines, p.units = append(p.lines, at), append(p.units, units)
		at += len(line)
		units += length16(line)
	}
	return p
}

// length16 returns the length of s in UTF-16 units.
func length16(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// line returns line n of the source, counted from 1.
func (p *places) line(n int) string {
	if n < 1 || n > len(p.lines) {
		return ""
	}
	line, _, _ := strings.Cut(p.source[p.lines[n-1]:], "\n")
	return line
}

// utf16 returns the offset of a place, at most the end of its line.
func (p *places) utf16(line, column int) int {
	if line < 1 || line > len(p.lines) {
		return 0
	}
	l := p.line(line)
	return p.units[line-1] + length16(l[:min(max(column-1, 0), len(l))])
}

// around returns the range of the token at a place: a name, a string, or else the rest
// of the line.
func (p *places) around(line, column int) (from, to int) {
	l := p.line(line)
	if line < 1 || line > len(p.lines) {
		return 0, 0
	}
	if column < 1 { // the whole line
		column = 1 + len(l) - len(strings.TrimLeft(l, " \t"))
	}
	rest := l[min(column-1, len(l)):]
	size := len(strings.TrimRight(rest, " \t"))
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		size = len(quoted)
	} else if parts := scan(rest); len(parts) > 0 && parts[0].gap == "" && parts[0].tok == token.IDENT {
		size = len(parts[0].text)
	}
	return p.utf16(line, column), p.utf16(line, column+size)
}
