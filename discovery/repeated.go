package discovery

import (
	"iter"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
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

// ownTexts returns the tools' descriptions without the parts that more than half of
// their server's tools have. A description of which nothing would be left stays.
func ownTexts(tools []registry.Tool) []string {
	own := make([]string, len(tools))
	servers := map[string][]int{}
	for i := range tools {
		own[i] = tools[i].Description
		servers[tools[i].Server] = append(servers[tools[i].Server], i)
	}
	for _, places := range servers {
		if len(places) > fewTools {
			leaveOutRepeated(own, places)
		}
	}
	return own
}

// leaveOutRepeated cuts the texts at some places, those of the tools of one server.
func leaveOutRepeated(texts []string, places []int) {
	count := map[string]int{} // part → texts that have it
	last := map[string]int{}  // part → the text that had it last
	for n, i := range places {
		for part := range parts(texts[i]) {
			if part = strings.TrimSpace(part); part != "" && last[part] != n+1 {
				last[part] = n + 1
				count[part]++
			}
		}
	}
	for _, i := range places {
		var b strings.Builder
		at, cut := 0, false
		for part := range parts(texts[i]) {
			if 2*count[strings.TrimSpace(part)] <= len(places) {
				b.WriteString(part)
			} else {
				cut = true
			}
			at += len(part)
		}
		b.WriteString(texts[i][at:])
		if own := strings.TrimSpace(b.String()); cut && own != "" {
			texts[i] = own
		}
	}
}

// parts yields the parts of a text's beginning: its sentences, its lines, and what
// stands before a bar, a dash or behind a bracket. Together they are the text's
// first repeatedChars characters.
func parts(s string) iter.Seq[string] {
	s = text.First(s, repeatedChars)
	return func(yield func(string) bool) {
		for s != "" {
			end := len(s)
			for i := range len(s) - 1 {
				if c := s[i]; c == '\n' || c == ' ' && i > 0 && endsPart(s[:i]) {
					end = i + 1
					break
				}
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}

// endsPart reports whether a part may end with what stands before a space.
func endsPart(before string) bool {
	return strings.IndexByte(".!?;:|]", before[len(before)-1]) >= 0 ||
		strings.HasSuffix(before, " -") || strings.HasSuffix(before, "—") || strings.HasSuffix(before, "–")
}
