package bind

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
)

// maxFixes limits the fixes of an error. With more candidates, none is likely to be right.
const maxFixes = 3

// fixes sets the fixes of an error: replacements for the wrong name or string.
func (b *Bound) fixes(e *finding, right ...string) {
	e.Fixes = nil
	if len(right) > maxFixes {
		return
	}
	for _, text := range right {
		if f, ok := b.fix(e, text); ok {
			e.Fixes = append(e.Fixes, f)
		}
	}
}

// fix returns the fix that replaces the name or string at an error's position, if the error is
// about it.
func (b *Bound) fix(e *finding, right string) (outcome.Fix, bool) {
	line := sourceLine(b.Source, e.Line)
	if e.Column < 1 || e.Column > len(line) {
		return outcome.Fix{}, false
	}
	before, at := line[:e.Column-1], line[e.Column-1:]
	wrong := identifier(at)
	if strings.HasPrefix(right, `"`) {
		wrong, _ = strconv.QuotedPrefix(at)
	}
	if wrong == "" || !strings.Contains(e.Message, wrong) {
		return outcome.Fix{}, false
	}
	pkg, member, qualified := strings.Cut(right, ".")
	switch {
	case strings.HasPrefix(right, `"`), !qualified:
	case strings.HasSuffix(before, pkg+"."):
		right = member
	case strings.HasSuffix(before, "."):
		return outcome.Fix{}, false
	case e.about.Code == check.CodeNoServer: // including the name used from it
		rest, ok := strings.CutPrefix(at[len(wrong):], ".")
		if !ok || identifier(rest) == "" {
			return outcome.Fix{}, false
		}
		wrong += "." + identifier(rest)
	}
	return outcome.Fix{Line: e.Line, Column: e.Column, Length: len(wrong), Text: right}, wrong != right
}

// identifier returns the identifier at the beginning of s, or "".
func identifier(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(s)
	}
	return s[:end]
}

// phraseFixes returns fixes that replace a phrase with the name of one of the first offered tools.
func (b *Bound) phraseFixes(p worker.Phrase, offered []discovery.Difference) []outcome.Fix {
	line := sourceLine(b.Source, p.Line)
	if p.Column < 1 || p.Column > len(line) {
		return nil
	}
	literal, err := strconv.QuotedPrefix(line[p.Column-1:])
	if err != nil {
		return nil
	}
	var out []outcome.Fix
	for _, d := range offered[:min(len(offered), maxFixes)] {
		if t, ok := b.View.Tool(d.ID); ok {
			out = append(out, outcome.Fix{Line: p.Line, Column: p.Column, Length: len(literal), Text: strconv.Quote(t.Go())})
		}
	}
	return out
}
