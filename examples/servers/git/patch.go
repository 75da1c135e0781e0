package main

import (
	"fmt"
	"strings"
)

// patchContext is the number of unchanged lines around a change, as in git.
const patchContext = 3

// linePatch is the change of one text file.
type linePatch struct {
	from, to string // paths; empty where the file does not exist
	a, b     []string
	edits    []edit
}

// unified writes the patch in unified form, in at most limit bytes: it ends
// after the last line that fits. It reports whether the patch is whole.
func (p linePatch) unified(limit int) (text string, complete bool) {
	var out strings.Builder
	write := func(line string) bool {
		if !strings.HasSuffix(line, "\n") {
			line += "\n\\ No newline at end of file\n"
		}
		if out.Len()+len(line) > limit {
			return false
		}
		out.WriteString(line)
		return true
	}
	if !write("--- "+side("a/", p.from)+"\n") || !write("+++ "+side("b/", p.to)+"\n") {
		return "", false
	}
	for rest := p.edits; len(rest) > 0; {
		n := hunkSize(rest)
		if !p.writeHunk(rest[:n], write) {
			return out.String(), false
		}
		rest = rest[n:]
	}
	return out.String(), true
}

func side(prefix, name string) string {
	if name == "" {
		return "/dev/null"
	}
	return prefix + name
}

// hunkSize returns how many of the edits share a hunk with the first one: those
// whose context would touch.
func hunkSize(edits []edit) int {
	n := 1
	for n < len(edits) && edits[n].aLo-edits[n-1].aHi <= 2*patchContext {
		n++
	}
	return n
}

func (p linePatch) writeHunk(edits []edit, write func(string) bool) bool {
	first, last := edits[0], edits[len(edits)-1]
	before := min(patchContext, first.aLo)
	after := min(patchContext, len(p.a)-last.aHi)
	header := fmt.Sprintf("@@ -%s +%s @@\n",
		span(first.aLo-before, last.aHi+after), span(first.bLo-before, last.bHi+after))
	if !write(header) {
		return false
	}
	at := first.aLo - before
	for _, e := range edits {
		if !writeLines(" ", p.a[at:e.aLo], write) || !writeLines("-", p.a[e.aLo:e.aHi], write) ||
			!writeLines("+", p.b[e.bLo:e.bHi], write) {
			return false
		}
		at = e.aHi
	}
	return writeLines(" ", p.a[at:last.aHi+after], write)
}

func writeLines(mark string, lines []string, write func(string) bool) bool {
	for _, line := range lines {
		if !write(mark + line) {
			return false
		}
	}
	return true
}

// span is a range of lines as a hunk header has it: an empty one names the
// line before it.
func span(lo, hi int) string {
	switch hi - lo {
	case 0:
		return fmt.Sprintf("%d,0", lo)
	case 1:
		return fmt.Sprint(lo + 1)
	}
	return fmt.Sprintf("%d,%d", lo+1, hi-lo)
}
