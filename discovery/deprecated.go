package discovery

import "strings"

// A tool that its server is about to remove comes after those that do the same
// and stay. It is still found where nothing else fits.

// deprecatedChars is how far into a description it is looked for: later it is
// said of parameters.
const deprecatedChars = 160

// Deprecated reports whether a description says that the tool itself is
// deprecated, and not that it has to do with deprecated things.
func Deprecated(description string) bool {
	const word = "deprecated"
	head, _ := cutChars(description, deprecatedChars)
	if strings.Contains(head, "DEPRECATED") {
		return true
	}
	low := strings.ToLower(head)
	return strings.HasPrefix(strings.TrimLeft(low, " \t\r\n[(*_!⚠\ufe0f"), word) ||
		strings.Contains(low, "tool is "+word) || strings.Contains(low, "["+word+"]") || strings.Contains(low, "("+word+")")
}

// findSuccessors notes, for each deprecated tool, the tool of the same server
// that its description names.
func (ix *Index) findSuccessors() {
	ix.successor = map[int32]int32{}
	for i := range ix.reg.Tools {
		old := &ix.reg.Tools[i]
		if !Deprecated(old.Description) {
			continue
		}
		ix.successor[int32(i)] = -1
		head, _ := cutChars(old.Description, ix.t.bm25.HeadChars)
		for w := range strings.FieldsFuncSeq(head,
			func(r rune) bool { return strings.ContainsRune(" \t\r\n`'\"(),.;:*", r) }) {
			if !strings.ContainsAny(w, "_-") {
				continue
			}
			for _, k := range ix.exact.named(w) {
				if ix.reg.Tools[k].Server == old.Server && int(k) != i {
					ix.successor[int32(i)] = k
				}
			}
		}
	}
}

// succeed puts a deprecated tool's successor into its place: what speaks for
// the one speaks for the other.
func (ix *Index) succeed(ranked []candidate) {
	for i := range ranked {
		next, ok := ix.successor[ranked[i].tool]
		if !ok || next < 0 {
			continue
		}
		for k := i + 1; k < len(ranked); k++ {
			if ranked[k].tool == next {
				swap(&ranked[i], &ranked[k])
			}
		}
	}
}

// swap exchanges two candidates, but leaves scores and shares in their places.
func swap(a, b *candidate) {
	a.score, b.score = b.score, a.score
	a.share, b.share = b.share, a.share
	*a, *b = *b, *a
}
