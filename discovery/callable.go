package discovery

import "slices"

// A tool that cannot be called (it is of a snapshot, its server is down, it is
// held) is found as any other, for a script may want to know of it. Where another
// server offers the same and answers, that one comes first.

// findIdle notes the tools that cannot be called.
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

// putCallableFirst gives the place of each tool that cannot be called to the best
// equal one behind it that can.
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

// swap exchanges two candidates, but leaves scores and shares in their places.
func swap(a, b *candidate) {
	a.score, b.score = b.score, a.score
	a.sure, b.sure = b.sure, a.sure
	a.share, b.share = b.share, a.share
	*a, *b = *b, *a
}

// callableTwins returns the twins of the first candidate that may be meant instead
// of it: where it can be called, only those that can be as well.
func (ix *Index) callableTwins(ranked []candidate, twins []int) []int {
	if len(ranked) == 0 || ix.uncallable[ranked[0].tool] {
		return twins
	}
	return slices.DeleteFunc(slices.Clone(twins), func(i int) bool { return ix.uncallable[ranked[i].tool] })
}
