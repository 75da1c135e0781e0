package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

type OpKind rune

const (
	Equal  OpKind = ' '
	Insert OpKind = '+'
	Delete OpKind = '-'
)

type Edit[T comparable] struct {
	Kind  OpKind
	Value T
	AtOld int
	AtNew int
}

func (e Edit[T]) String() string { return fmt.Sprintf("%c%v", e.Kind, e.Value) }

func Diff[S ~[]T, T comparable](a, b S) []Edit[T] {
	n, m := len(a), len(b)
	lcs := make([][]int, n+1)
	for i := range lcs {
		lcs[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []Edit[T]
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && a[i] == b[j]:
			out = append(out, Edit[T]{Equal, a[i], i, j})
			i, j = i+1, j+1
		case i < n && (j == m || lcs[i+1][j] >= lcs[i][j+1]):
			out = append(out, Edit[T]{Delete, a[i], i, j})
			i++
		default:
			out = append(out, Edit[T]{Insert, b[j], i, j})
			j++
		}
	}
	return out
}

type Hunk[T comparable] struct {
	OldStart, OldLen, NewStart, NewLen int
	Edits                              []Edit[T]
}

func Hunks[T comparable](edits []Edit[T], ctx int) iter.Seq[*Hunk[T]] {
	return func(yield func(*Hunk[T]) bool) {
		var cur *Hunk[T]
		last := -1
		for i, e := range edits {
			if e.Kind == Equal {
				continue
			}
			from := max(0, i-ctx)
			if cur != nil && from <= last+ctx+1 {
				from = last + 1
			} else {
				if cur != nil {
					cur.extend(edits[last+1 : min(len(edits), last+1+ctx)])
					if !yield(cur) {
						return
					}
				}
				cur = &Hunk[T]{OldStart: edits[from].AtOld + 1, NewStart: edits[from].AtNew + 1}
			}
			cur.extend(edits[from : i+1])
			last = i
		}
		if cur != nil {
			cur.extend(edits[last+1 : min(len(edits), last+1+ctx)])
			yield(cur)
		}
	}
}

func (h *Hunk[T]) extend(es []Edit[T]) {
	for _, e := range es {
		if e.Kind != Insert {
			h.OldLen++
		}
		if e.Kind != Delete {
			h.NewLen++
		}
		h.Edits = append(h.Edits, e)
	}
}

func (h Hunk[T]) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLen, h.NewStart, h.NewLen)
	for _, e := range h.Edits {
		fmt.Fprintln(&sb, e)
	}
	return sb.String()
}

func Levenshtein[T comparable](a, b []T) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, x := range a {
		cur := append(make([]int, 0, len(b)+1), i+1)
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			cur = append(cur, min(prev[j+1]+1, cur[j]+1, prev[j]+cost))
		}
		prev, cur = cur, prev
	}
	return prev[len(b)]
}

type Lines []string

func main() {
	a := Lines(strings.Split("a\nb\nc\nd\ne\nf\ng\nh\ni\nj", "\n"))
	b := slices.Clone(a)
	b[1] = "B"
	b = slices.Insert(b, 8, "new1", "new2")
	b = slices.Delete(b, 4, 5)
	for h := range Hunks(Diff(a, b), 1) {
		fmt.Print(h)
	}
	for h := range Hunks(Diff(a, b), 3) {
		fmt.Println(h.OldStart, h.OldLen, h.NewStart, h.NewLen, h.Edits)
		break
	}
	fmt.Println(Diff([]int{1, 2, 3}, []int{2, 3, 4}), Diff([]rune("kitten"), []rune("sitting"))[0])
	fmt.Println(Levenshtein([]rune("kitten"), []rune("sitting")), Levenshtein([]byte("flaw"), []byte("lawn")), Levenshtein([]string{}, []string{"x"}))
	words := []string{"receive", "recieve", "relieve", "deceive", "recover"}
	slices.SortStableFunc(words, func(x, y string) int {
		return Levenshtein([]rune(x), []rune("recieve")) - Levenshtein([]rune(y), []rune("recieve"))
	})
	fmt.Println(words)
	fmt.Printf("%v %+v %T\n", Edit[rune]{Insert, 'x', 1, 2}, []Edit[bool]{{Equal, true, 0, 0}}, Hunk[float64]{})
}
