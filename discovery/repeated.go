package discovery

import (
	"iter"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Some servers begin or end all descriptions with the same text: "Notion | …", "SECURITY: Never
// …". That makes all their tools similar, and uses the space of informative text. So the search
// and the short texts omit it.

const (
	// fewTools is the largest number of tools for which a server's descriptions are not compared.
	fewTools = 3
	// repeatedChars is how many characters of a description are compared.
	repeatedChars = sentencesChars
)

// ownTexts returns the tools' descriptions without the parts that more than half of their
// server's tools share. A description that would become empty is kept.
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

// leaveOutRepeated removes the shared parts from the texts at some places, which are those of one
// server's tools.
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

// parts yields the parts of a text's beginning: its sentences, its lines, and texts that end with
// a bar, a dash or a bracket. Together they are the text's first repeatedChars characters.
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

// endsPart reports whether a part may end before a space, after the text before.
func endsPart(before string) bool {
	return strings.IndexByte(".!?;:|]", before[len(before)-1]) >= 0 ||
		strings.HasSuffix(before, " -") || strings.HasSuffix(before, "—") || strings.HasSuffix(before, "–")
}
