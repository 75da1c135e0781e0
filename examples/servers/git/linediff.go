package main

import "strings"

// edit says that lines [aLo,aHi) of one text became lines [bLo,bHi) of another.
type edit struct{ aLo, aHi, bLo, bHi int }

// maxDiffCost bounds the work on one stretch of two texts that have little in
// common. Beyond it the stretch is taken as replaced whole: still a true
// difference, only not the smallest.
const maxDiffCost = 2000

// diffLines returns the edits that turn a into b, in order. Up to maxDiffCost
// differing lines they are as few lines as possible (Myers, "An O(ND)
// Difference Algorithm", the variation in linear space).
func diffLines(a, b []string) []edit {
	ids := map[string]int{}
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			id, ok := ids[line]
			if !ok {
				id = len(ids)
				ids[line] = id
			}
			out[i] = id
		}
		return out
	}
	d := differ{a: number(a), b: number(b)}
	d.compare(0, len(a), 0, len(b))
	return d.edits
}

type differ struct {
	a, b              []int // lines as numbers, equal ones with equal numbers
	forward, backward []int
	edits             []edit
}

func (d *differ) compare(aLo, aHi, bLo, bHi int) {
	for aLo < aHi && bLo < bHi && d.a[aLo] == d.b[bLo] {
		aLo, bLo = aLo+1, bLo+1
	}
	for aLo < aHi && bLo < bHi && d.a[aHi-1] == d.b[bHi-1] {
		aHi, bHi = aHi-1, bHi-1
	}
	if aLo == aHi && bLo == bHi {
		return
	}
	if aLo == aHi || bLo == bHi {
		d.add(edit{aLo, aHi, bLo, bHi})
		return
	}
	x, y, ok := d.middle(aLo, aHi, bLo, bHi)
	if !ok {
		d.add(edit{aLo, aHi, bLo, bHi})
		return
	}
	d.compare(aLo, x, bLo, y)
	d.compare(x, aHi, y, bHi)
}

// add appends an edit, as part of the one before where they touch.
func (d *differ) add(e edit) {
	if n := len(d.edits); n > 0 && d.edits[n-1].aHi == e.aLo && d.edits[n-1].bHi == e.bLo {
		d.edits[n-1].aHi, d.edits[n-1].bHi = e.aHi, e.bHi
		return
	}
	d.edits = append(d.edits, e)
}

// middle finds a point on a shortest path from one corner to the other, where
// a search from the front and one from the back meet. Diagonal k holds the
// points with x-y = k; forward and backward hold how far each was followed.
func (d *differ) middle(aLo, aHi, bLo, bHi int) (x, y int, ok bool) {
	n, m := aHi-aLo, bHi-bLo
	delta, zero := n-m, n+m+1
	if len(d.forward) < 2*zero+1 {
		d.forward = make([]int, 2*zero+1)
		d.backward = make([]int, 2*zero+1)
	}
	for cost := 0; cost <= min((n+m+1)/2, maxDiffCost); cost++ {
		for k := -cost; k <= cost; k += 2 {
			x := reach(d.forward, zero, k, cost, n, m)
			for x >= 0 && x < n && x-k < m && d.a[aLo+x] == d.b[bLo+x-k] {
				x++
			}
			d.forward[zero+k] = x
			back := delta - k
			if x >= 0 && delta%2 != 0 && -cost < back && back < cost && x+d.backward[zero+back] >= n {
				return aLo + x, bLo + x - k, true
			}
		}
		for k := -cost; k <= cost; k += 2 {
			x := reach(d.backward, zero, k, cost, n, m)
			for x >= 0 && x < n && x-k < m && d.a[aHi-1-x] == d.b[bHi-1-(x-k)] {
				x++
			}
			d.backward[zero+k] = x
			front := delta - k
			if x >= 0 && delta%2 == 0 && -cost <= front && front <= cost && x+d.forward[zero+front] >= n {
				return aHi - x, bHi - (x - k), true
			}
		}
	}
	return 0, 0, false
}

// unreached marks a diagonal that leaves the two texts.
const unreached = -1 << 40

// reach returns the furthest x on diagonal k that one more step leads to from
// its two neighbours, before equal lines are followed.
func reach(furthest []int, zero, k, cost, n, m int) int {
	if cost == 0 {
		return 0
	}
	x := unreached
	if k > -cost {
		if from := furthest[zero+k-1]; from != unreached && from < n {
			x = from + 1
		}
	}
	if k < cost {
		if from := furthest[zero+k+1]; from != unreached && from-k <= m {
			x = max(x, from)
		}
	}
	return x
}

// splitLines cuts a text into lines that keep their ends, so that a last line
// with and one without a line feed differ.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// countEdits returns how many lines edits add and delete.
func countEdits(edits []edit) (additions, deletions int) {
	for _, e := range edits {
		additions += e.bHi - e.bLo
		deletions += e.aHi - e.aLo
	}
	return additions, deletions
}
