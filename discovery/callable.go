package discovery

import "slices"

// A tool that cannot be called (it is from a snapshot, its server is down, or its definition is
// held) is found like any other, because a script may ask about it. If another server offers the
// same tool and answers, that one comes first.

// findIdle records which tools cannot be called.
func (ix *Index) findIdle() {
	snapshots := map[string]bool{}
	for i := range ix.reg.Servers {
		s := &ix.reg.Servers[i]
		snapshots[s.Name] = s.Transport == "snapshot"
	}
	ix.uncallable = make([]bool, len(ix.reg.Tools))
	for i := range ix.reg.Tools {
		t := &ix.reg.Tools[i]
		ix.uncallable[i] = t.Stale || t.Error != "" || snapshots[t.Server]
	}
}

// putCallableFirst swaps each tool that cannot be called with the best equal one after it that
// can.
func (ix *Index) putCallableFirst(ranked []candidate) {
	for i := range ranked {
		if !ix.uncallable[ranked[i].tool] {
			continue
		}
		for k := i + 1; k < len(ranked) && ranked[i].score-ranked[k].score < twinLead; k++ {
			if !ix.uncallable[ranked[k].tool] && ix.sameTool(ranked[i].tool, ranked[k].tool) {
				swap(&ranked[i], &ranked[k])
				break
			}
		}
	}
}

// swap exchanges two candidates, but leaves scores and shares in place.
func swap(a, b *candidate) {
	a.score, b.score = b.score, a.score
	a.sure, b.sure = b.sure, a.sure
	a.share, b.share = b.share, a.share
	*a, *b = *b, *a
}

// callableTwins returns the twins of the first candidate. If that can be called, only twins that
// can be called are returned.
func (ix *Index) callableTwins(ranked []candidate, twins []int) []int {
	if len(ranked) == 0 || ix.uncallable[ranked[0].tool] {
		return twins
	}
	return slices.DeleteFunc(slices.Clone(twins), func(i int) bool { return ix.uncallable[ranked[i].tool] })
}
