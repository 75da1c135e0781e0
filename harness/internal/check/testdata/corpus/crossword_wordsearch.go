// Word search in eight directions, ransom notes, boggle with tries, crossword numbering, rune grids.
package main

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
)

type Pos struct{ R, C int }

func (p Pos) Plus(d Pos) Pos  { return Pos{p.R + d.R, p.C + d.C} }
func (p Pos) Times(n int) Pos { return Pos{p.R * n, p.C * n} }

var compass = map[string]Pos{"N": {-1, 0}, "NE": {-1, 1}, "E": {0, 1}, "SE": {1, 1}, "S": {1, 0}, "SW": {1, -1}, "W": {0, -1}, "NW": {-1, -1}}

type Grid [][]rune

func ParseGrid(s string) (g Grid) {
	for line := range strings.FieldsSeq(s) {
		g = append(g, []rune(line))
	}
	return
}

func (g Grid) At(p Pos) (r rune, ok bool) {
	if p.R < 0 || p.R >= len(g) || p.C < 0 || p.C >= len(g[p.R]) {
		return 0, false
	}
	return g[p.R][p.C], true
}

func (g Grid) All() iter.Seq2[Pos, rune] {
	return func(yield func(Pos, rune) bool) {
		for r, row := range g {
			for c, ch := range row {
				if !yield(Pos{r, c}, ch) {
					return
				}
			}
		}
	}
}

func (g Grid) Ray(p, d Pos) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for ch, ok := g.At(p); ok && yield(ch); ch, ok = g.At(p) {
			p = p.Plus(d)
		}
	}
}

type Hit struct {
	Word string
	Pos
	Dir string
}

func (h Hit) String() string { return fmt.Sprintf("%s@%d,%d%s", h.Word, h.R, h.C, h.Dir) }

func (g Grid) Find(words ...string) (hits []Hit) {
	dirs := make([]string, 0, len(compass))
	for d := range compass {
		dirs = append(dirs, d)
	}
	sort.Strings(dirs)
	for _, w := range words {
		rs := []rune(w)
	search:
		for p, ch := range g.All() {
			if ch != rs[0] {
				continue
			}
			for _, d := range dirs {
				i := 0
				for ch := range g.Ray(p, compass[d]) {
					if ch != rs[i] {
						break
					}
					if i++; i == len(rs) {
						hits = append(hits, Hit{w, p, d})
						if len(rs) > 3 {
							break search
						}
						continue search
					}
				}
			}
		}
	}
	return
}

type trie map[rune]trie

func (t trie) add(w string) {
	for _, r := range w {
		if t[r] == nil {
			t[r] = trie{}
		}
		t = t[r]
	}
	t[0] = nil
}

func (g Grid) Boggle(t trie) []string {
	found := map[string]bool{}
	used := map[Pos]bool{}
	var walk func(p Pos, t trie, word string)
	walk = func(p Pos, t trie, word string) {
		ch, ok := g.At(p)
		next, inTrie := t[ch]
		if !ok || used[p] || !inTrie {
			return
		}
		used[p] = true
		defer delete(used, p)
		word += string(ch)
		if _, end := next[0]; end {
			found[word] = true
		}
		for _, d := range compass {
			walk(p.Plus(d), next, word)
		}
	}
	for p := range g.All() {
		walk(p, t, "")
	}
	return slices.Sorted(func(yield func(string) bool) {
		for w := range found {
			if !yield(w) {
				return
			}
		}
	})
}

func (g Grid) Number() (clues map[int][2]string, order []int) {
	clues = map[int][2]string{}
	n := 0
	black := func(p Pos) bool { ch, ok := g.At(p); return !ok || ch == '#' }
	read := func(p, d Pos) string {
		var sb strings.Builder
		for ch := range g.Ray(p, d) {
			if ch == '#' {
				break
			}
			sb.WriteRune(ch)
		}
		return sb.String()
	}
	for p, ch := range g.All() {
		if ch == '#' {
			continue
		}
		var c [2]string
		for i, d := range []Pos{compass["E"], compass["S"]} {
			if black(p.Plus(d.Times(-1))) && !black(p.Plus(d)) {
				c[i] = read(p, d)
			}
		}
		if c != [2]string{} {
			n++
			clues[n] = c
			order = append(order, n)
		}
	}
	return
}

func canMake(note, magazine string) bool {
	counts := map[rune]int{}
	for _, r := range magazine {
		counts[r]++
	}
	return !strings.ContainsFunc(strings.ReplaceAll(note, " ", ""), func(r rune) bool {
		counts[r]--
		return counts[r] < 0
	})
}

func main() {
	g := ParseGrid("GOLANG\nOXXEXN\nPXFEXE\nHXXRXÄ\nEHXXOP\nRCARSI")
	fmt.Println(g.Find("GOLANG", "GOPHER", "FEX", "ÄENG", "ZZ", "ROF", "XXX"))
	b := ParseGrid("TAP EAR RTS")
	t := trie{}
	for w := range strings.FieldsSeq("TEA EAT TAPS RATS STAR PART TEAR ART TARTAR") {
		t.add(w)
	}
	fmt.Println(b.Boggle(t), len(t))
	clues, order := ParseGrid("CAT# A#OX R#P# #ABC").Number()
	for _, n := range order {
		fmt.Printf("%d:%q ", n, clues[n])
	}
	fmt.Println()
	fmt.Println(canMake("a bc", "cab"), canMake("aa", "ab"))
	n := 0
	for p, ch := range g.All() {
		if ch == 'X' {
			continue
		}
		if n++; p.R == 2 {
			fmt.Println(n, p, string(ch))
			break
		}
	}
	h := Hit{"W", Pos{1, 2}, "N"}
	fmt.Printf("%v %+v %v\n", h, h.Pos, h.Plus(compass[h.Dir]).Times(3))
}
