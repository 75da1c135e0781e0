// Ranking with ties, stable multi-key sorts, top-n, percentile buckets, Elo updates, round-robin pairings.
package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

type Player struct {
	Name   string
	Rating float64
	W, D   int
	L      int
	hist   []float64
}

func (p Player) Games() int      { return p.W + p.D + p.L }
func (p Player) Points() float64 { return float64(p.W) + float64(p.D)/2 }
func (p *Player) record(score, delta float64) {
	switch score {
	case 1:
		p.W++
	case 0.5:
		p.D++
	case 0:
		p.L++
	default:
		panic(fmt.Sprintf("bad score %v for %s", score, p.Name))
	}
	p.Rating += delta
	p.hist = append(p.hist, math.Round(delta*10)/10)
}

func (p *Player) Format(f fmt.State, c rune) {
	switch {
	case c == 'v' && f.Flag('+'):
		fmt.Fprintf(f, "%s %.0f %d/%d/%d %v", p.Name, p.Rating, p.W, p.D, p.L, p.hist)
	case c == 's', c == 'v':
		w, _ := f.Width()
		fmt.Fprintf(f, "%-*s", w, p.Name)
	default:
		fmt.Fprintf(f, "%%!%c(player)", c)
	}
}

type League map[string]*Player

func (l League) Play(a, b string, score float64, k float64) (delta float64) {
	pa, pb := l[a], l[b]
	expected := 1 / (1 + math.Pow(10, (pb.Rating-pa.Rating)/400))
	delta = k * (score - expected)
	pa.record(score, delta)
	pb.record(1-score, -delta)
	return
}

func Rank[T any](xs []T, less ...func(a, b T) int) func(yield func(rank int, x T) bool) {
	order := func(a, b T) int {
		for _, l := range less {
			if c := l(a, b); c != 0 {
				return c
			}
		}
		return 0
	}
	sorted := slices.SortedStableFunc(slices.Values(xs), order)
	return func(yield func(int, T) bool) {
		rank := 0
		for i, x := range sorted {
			if i == 0 || order(sorted[i-1], x) != 0 {
				rank = i + 1
			}
			if !yield(rank, x) {
				return
			}
		}
	}
}

func desc[T any, K cmp.Ordered](key func(T) K) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(key(b), key(a)) }
}

func roundRobin(names ...string) (rounds [][][2]string) {
	if len(names)%2 == 1 {
		names = append(names[:len(names):len(names)], "")
	}
	n := len(names)
	for r := range n - 1 {
		var round [][2]string
		for i := range n / 2 {
			if a, b := names[i], names[n-1-i]; a != "" && b != "" {
				if (r+i)%2 == 1 {
					a, b = b, a
				}
				round = append(round, [2]string{a, b})
			}
		}
		rounds = append(rounds, round)
		last := names[n-1]
		copy(names[2:], names[1:n-1])
		names[1] = last
	}
	return
}

func main() {
	l := League{}
	for i, n := range []string{"ann", "bob", "cyd", "dee", "eve"} {
		l[n] = &Player{Name: n, Rating: 1500 + float64(i%3)*100}
	}
	results := map[[2]string]float64{{"ann", "bob"}: 1, {"bob", "cyd"}: 0.5, {"cyd", "ann"}: 0}
	rounds := roundRobin("ann", "bob", "cyd", "dee", "eve")
	fmt.Println(len(rounds), rounds[0], rounds[4])
	for _, r := range rounds {
		for _, p := range r {
			s, ok := results[p]
			if rs, rok := results[[2]string{p[1], p[0]}]; !ok && rok {
				s, ok = 1-rs, true
			}
			if !ok {
				s = float64(len(p[0]+p[1])%3) / 2
			}
			l.Play(p[0], p[1], s, 32)
		}
	}
	players := slices.SortedFunc(maps.Values(l), func(a, b *Player) int { return cmp.Compare(a.Name, b.Name) })
	for rank, p := range Rank(players, desc((*Player).Points), desc(func(p *Player) int { return p.W })) {
		fmt.Printf("%d. %-5s %.1f %d games %+v\n", rank, p, p.Points(), p.Games(), p)
	}
	for rank, p := range Rank(players, desc(func(p *Player) float64 { return p.Rating })) {
		if rank > 2 {
			break
		}
		fmt.Printf("%d:%s:%.1f ", rank, p, p.Rating)
	}
	fmt.Println()
	words := strings.Fields("pear fig apple kiwi plum banana")
	for r, w := range Rank(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) }) {
		fmt.Print(r, w, " ")
	}
	fmt.Println()
	total := 0.0
	for _, p := range l {
		total += p.Rating
	}
	fmt.Printf("%.3f %v %x\n", total, players[0], players[1])
	buckets := [4]int{}
	for _, p := range players {
		buckets[min(3, max(0, int(p.Rating-1500)/50))]++
	}
	fmt.Println(buckets, roundRobin("x", "y"), roundRobin("solo"))
	defer func() { fmt.Println(recover(), l["ann"].Games(), l["bob"].Games()) }()
	l.Play("ann", "bob", 0.7, 10)
}
