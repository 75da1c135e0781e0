package console

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// layout says what stands at which row of the picture of a run.
type layout struct {
	view    *present.View
	scripts []*scriptRows // of the view's Sources
}

// scriptRows are the lines of a script with what happened at them.
type scriptRows struct {
	*source
	prefix string            // of the IDs of its rows
	at     map[int]*happened // by line; 0: at a line that the script does not have
	kept   []bool            // the lines that are shown; nil: all
}

// happened is what there is at a line of a script.
type happened struct {
	places  []*present.Place
	prints  []*present.Print
	phrases []present.Phrase
	asks    []*record.Asked
	errors  []present.Error
	value   string
	warns   []string
}

// newLayout puts what a run did to the lines of its scripts. hue is the class of the
// colour of a server's package.
func newLayout(v *present.View, hue func(pkg string) string) *layout {
	l := &layout{view: v}
	for i, s := range v.Sources {
		r := &scriptRows{source: readSource(s.Text, hue), at: map[int]*happened{}}
		if i > 0 {
			r.prefix = "s" + strconv.Itoa(i)
		}
		for _, p := range s.Places {
			h := r.of(p.Line)
			h.places = append(h.places, p)
		}
		for _, p := range s.Prints {
			if p.Line >= 1 && p.Line <= len(r.lines) {
				h := r.of(p.Line)
				h.prints = append(h.prints, p)
			}
		}
		for _, a := range v.Run.Asks {
			if a.A != record.Ledger && (a.N == 0 || a.Question != nil) && v.SourceOf(a.Path) == s {
				h := r.of(record.PlaceLine(a.Place))
				h.asks = append(h.asks, a)
			}
		}
		if i == 0 {
			r.addPhrases(v)
			r.addEnding(v)
		}
		r.kept = keptLines(len(r.lines), r.at)
		l.scripts = append(l.scripts, r)
	}
	return l
}

// row is the ID of the row of a line of the script that a path belongs to, that of
// line 0 for one that the script does not have; "": it has no row.
func (l *layout) row(path string, line int) string {
	r := l.scripts[max(slices.Index(l.view.Sources, l.view.SourceOf(path)), 0)]
	if line < 1 || line > len(r.lines) {
		line = 0
	}
	if line == 0 && r.at[0] == nil || line > 0 && r.kept != nil && !r.kept[line-1] {
		return ""
	}
	return r.id(line)
}

func (r *scriptRows) id(line int) string { return r.prefix + "L" + strconv.Itoa(line) }

// of is what happened at a line.
func (r *scriptRows) of(line int) *happened {
	if line < 1 || line > len(r.lines) {
		line = 0
	}
	if r.at[line] == nil {
		r.at[line] = &happened{}
	}
	return r.at[line]
}

// keptLines says which lines of a long script are shown: those at which something
// happened, and two beside each; nil: all.
func keptLines(n int, at map[int]*happened) []bool {
	if n <= maxCodeLines {
		return nil
	}
	kept := make([]bool, n)
	room := maxCodeLines
	for i := range min(20, n) {
		kept[i] = true
	}
	lines := slices.Sorted(maps.Keys(at))
	for _, beside := range [][]int{{0}, {-2, -1, 1, 2}} { // where there is too little room, what is beside them goes
		for _, line := range lines {
			for _, by := range beside {
				if k := line - 1 + by; k >= 0 && k < n && !kept[k] && room > 0 {
					kept[k] = true
					room--
				}
			}
		}
	}
	return kept
}

// maxPhrases bounds the phrases that are shown.
const maxPhrases = 100

// addPhrases puts what phrases came to below the UseTools that says them.
func (r *scriptRows) addPhrases(v *present.View) {
	last := 1
	if len(r.declared) > 0 {
		last = r.declared[0][1]
		for line := r.declared[0][0]; line < last; line++ { // it stays whole
			r.of(line)
		}
	}
	for i, p := range v.Phrases {
		if i == maxPhrases {
			break
		}
		at := last
		if line := r.literals[p.Phrase]; line > 0 {
			at = line
			for _, d := range r.declared {
				if line >= d[0] && line <= d[1] {
					at = d[1]
				}
			}
		}
		h := r.of(at)
		h.phrases = append(h.phrases, p)
	}
}

// maxErrors bounds the errors and warnings that are shown at lines.
const maxErrors = 50

// addEnding puts the errors of the run to their lines, warnings that begin with one,
// and the value to a lone Return.
func (r *scriptRows) addEnding(v *present.View) {
	for _, e := range runErrors(v) {
		if e.Line > 0 && e.File == "" {
			h := r.of(e.Line)
			h.errors = append(h.errors, e)
		}
	}
	for i, w := range v.Warnings {
		if rest, ok := strings.CutPrefix(w, "line "); ok && i < maxErrors {
			number, rest, _ := strings.Cut(rest, ": ")
			if n, err := strconv.Atoi(number); err == nil && n > 0 {
				h := r.of(n)
				h.warns = append(h.warns, rest)
			}
		}
	}
	if end := v.Run.End; end != nil && len(r.returns) == 1 && !end.Value.IsZero() && end.Value.JSON != nil {
		r.of(r.returns[0]).value = string(end.Value.JSON)
	}
}

// runErrors are the errors with which a run ended.
func runErrors(v *present.View) []present.Error {
	var all []present.Error
	if v.Run.End != nil {
		_ = json.Unmarshal(v.Run.End.Errors, &all) // what is none has no place
	}
	if v.Error != nil && !slices.ContainsFunc(all, func(e present.Error) bool { return e.Line == v.Error.Line && e.Message == v.Error.Message }) {
		all = append([]present.Error{*v.Error}, all...)
	}
	return all[:min(len(all), maxErrors)]
}
