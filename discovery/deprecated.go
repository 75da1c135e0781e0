package discovery

import (
	"slices"
	"strings"
)

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
	for i := range ix.reg.Tools {
		old := &ix.reg.Tools[i]
		if !Deprecated(old.Description) {
			continue
		}
		successor := int32(-1)
		head, _ := cutChars(old.Description, ix.t.bm25.HeadChars)
		for w := range strings.FieldsFuncSeq(head,
			func(r rune) bool { return strings.ContainsRune(" \t\r\n`'\"(),.;:*", r) }) {
			if !strings.ContainsAny(w, "_-") {
				continue
			}
			for _, k := range ix.exact.named[w] {
				if ix.reg.Tools[k].Server == old.Server && int(k) != i {
					successor = k
				}
			}
		}
		ix.deprecated, ix.successors = append(ix.deprecated, int32(i)), append(ix.successors, successor)
	}
}

// successor returns the tool that a deprecated one names, -1 for none.
func (ix *Index) successor(tool int32) (next int32, deprecated bool) {
	at, deprecated := slices.BinarySearch(ix.deprecated, tool)
	if !deprecated {
		return -1, false
	}
	return ix.successors[at], true
}

// succeed puts a deprecated tool's successor into its place: what speaks for
// the one speaks for the other.
func (ix *Index) succeed(ranked []candidate) {
	for i := range ranked {
		next, _ := ix.successor(ranked[i].tool)
		if next < 0 {
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
