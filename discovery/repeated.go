package discovery

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Some servers begin or end all descriptions alike: "Notion | …", "SECURITY:
// Never …". That says nothing of a single tool, but makes all of them alike, and
// takes the place of what does. So it is left out of what is searched, and of
// short texts.

const (
	// fewTools is the number of tools up to which a server's are not compared.
	fewTools = 3
	// repeatedChars is how much of a description is looked at, in characters.
	repeatedChars = sentencesChars
)

// ownParts says of the tools whose description has parts that more than half of
// their server's tools have which parts are their own. Where nothing would be left,
// all of it is.
type ownParts struct {
	tools []int32 // their places, ascending
	// Of tools[i], spans[start[i]:start[i+1]]: the bytes spans[k] to spans[k+1] of the
	// description, spans[k+2] to spans[k+3] and so on.
	start, spans []int32
}

// newOwnParts compares the descriptions of each server's tools.
func newOwnParts(tools []registry.Tool) ownParts {
	servers := map[string][]int32{}
	for i := range tools {
		servers[tools[i].Server] = append(servers[tools[i].Server], int32(i))
	}
	found := map[int32][]int32{}
	for _, places := range servers {
		if len(places) > fewTools {
			leaveOutRepeated(found, tools, places)
		}
	}
	o := ownParts{tools: slices.Sorted(maps.Keys(found)), start: []int32{0}}
	for _, i := range o.tools {
		o.spans = append(o.spans, found[i]...)
		o.start = append(o.start, int32(len(o.spans)))
	}
	return o
}

// of returns what is a tool's own of its description.
func (o *ownParts) of(tool int32, description string) string {
	at, ok := slices.BinarySearch(o.tools, tool)
	if !ok {
		return description
	}
	return joinSpans(description, o.spans[o.start[at]:o.start[at+1]])
}

func joinSpans(text string, spans []int32) string {
	var b strings.Builder
	for k := 0; k < len(spans); k += 2 {
		b.WriteString(text[spans[k]:spans[k+1]])
	}
	return strings.TrimSpace(b.String())
}

// ownTexts returns the tools' descriptions without what their servers repeat.
func ownTexts(tools []registry.Tool) []string {
	o := newOwnParts(tools)
	own := make([]string, len(tools))
	for i := range tools {
		own[i] = o.of(int32(i), tools[i].Description)
	}
	return own
}

// ownText returns a tool's description without what its server repeats.
func (ix *Index) ownText(tool int32) string { return ix.own.of(tool, ix.reg.Tools[tool].Description) }

// leaveOutRepeated finds the spans of the tools at some places, all of a server.
func leaveOutRepeated(found map[int32][]int32, tools []registry.Tool, places []int32) {
	count := map[string]int{} // part → texts that have it
	last := map[string]int{}  // part → the text that had it last
	for n, i := range places {
		for part := range parts(tools[i].Description) {
			if part = strings.TrimSpace(part); part != "" && last[part] != n+1 {
				last[part] = n + 1
				count[part]++
			}
		}
	}
	for _, i := range places {
		text := tools[i].Description
		var spans []int32
		add := func(from, to int) {
			if n := len(spans); n > 0 && spans[n-1] == int32(from) {
				spans[n-1] = int32(to)
			} else {
				spans = append(spans, int32(from), int32(to))
			}
		}
		at, left := 0, false
		for part := range parts(text) {
			if 2*count[strings.TrimSpace(part)] <= len(places) {
				add(at, at+len(part))
			} else {
				left = true
			}
			at += len(part)
		}
		if add(at, len(text)); left && joinSpans(text, spans) != "" {
			found[i] = spans
		}
	}
}

// parts yields the parts of a text's beginning: its sentences, its lines, and what
// stands before a bar, a dash or behind a bracket. Together they are the text's
// first repeatedChars characters.
func parts(text string) iter.Seq[string] {
	text, _ = cutChars(text, repeatedChars)
	return func(yield func(string) bool) {
		for text != "" {
			end := len(text)
			for i := range len(text) - 1 {
				if c := text[i]; c == '\n' || c == ' ' && i > 0 && endsPart(text[:i]) {
					end = i + 1
					break
				}
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// endsPart reports whether a part may end with what stands before a space.
func endsPart(before string) bool {
	return strings.IndexByte(".!?;:|]", before[len(before)-1]) >= 0 ||
		strings.HasSuffix(before, " -") || strings.HasSuffix(before, "—") || strings.HasSuffix(before, "–")
}
