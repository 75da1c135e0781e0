// Seeded simulations: bank queue, random walk, weighted sampling, shuffles; math/rand and rand/v2.
package main

import (
	"container/heap"
	"fmt"
	"math"
	oldrand "math/rand"
	"math/rand/v2"
	"slices"
	"strings"
)

type LCG uint64

func (l *LCG) Uint64() uint64 {
	*l = *l*6364136223846793005 + 1442695040888963407
	return uint64(*l)
}

type event struct {
	at   float64
	kind string
	id   int
}

type agenda []event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].id < a[j].id
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(event)) }
func (a *agenda) Pop() (x any) {
	n := len(*a) - 1
	x, *a = (*a)[n], (*a)[:n]
	return
}

type Bank struct {
	agenda
	queue   []event
	free    int
	served  int
	waiting float64
	rng     *rand.Rand
}

func (b *Bank) Run(customers int) (mean float64, last float64) {
	t := 0.0
	for i := range customers {
		t += b.rng.ExpFloat64()
		heap.Push(b, event{t, "arrive", i})
	}
	for b.Len() > 0 {
		e := heap.Pop(b).(event)
		switch last = e.at; e.kind {
		case "arrive":
			b.queue = append(b.queue, e)
		case "leave":
			b.free++
			b.served++
		}
		for b.free > 0 && len(b.queue) > 0 {
			c := b.queue[0]
			b.queue = b.queue[1:]
			b.free--
			b.waiting += e.at - c.at
			heap.Push(b, event{e.at + 1 + b.rng.Float64(), "leave", c.id})
		}
	}
	return b.waiting / float64(b.served), last
}

func pick[T any](r *rand.Rand, items []T, weight func(T) int) (t T) {
	total := 0
	for _, it := range items {
		total += weight(it)
	}
	k := r.IntN(total)
	for _, it := range items {
		if k -= weight(it); k < 0 {
			return it
		}
	}
	panic("unreachable")
}

func walk(r *rand.Rand, steps int) (x, y int) {
	for range steps {
		switch r.IntN(4) {
		case 0:
			x++
		case 1:
			x--
		case 2:
			y++
		default:
			y--
		}
	}
	return
}

func main() {
	src := rand.NewPCG(42, 1024)
	b := &Bank{free: 2, rng: rand.New(src)}
	mean, last := b.Run(50)
	fmt.Printf("%d %.4f %.4f\n", b.served, mean, last)
	l := LCG(7)
	r := rand.New(&l)
	fmt.Println(r.IntN(100), r.Uint32(), r.Perm(6), r.Int64N(1e12), l != 7)
	x, y := walk(r, 1000)
	fmt.Println(x, y, math.Round(math.Hypot(float64(x), float64(y))))
	counts := map[string]int{}
	for range 600 {
		counts[pick(r, []string{"a", "bb", "ccc"}, func(s string) int { return len(s) })]++
	}
	fmt.Println(counts)
	deck := strings.Split("A♠ K♠ Q♠ J♠ 10♠ 9♠", " ")
	rand.New(rand.NewChaCha8([32]byte{1, 2, 3})).Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	fmt.Println(deck)
	old := oldrand.New(oldrand.NewSource(99))
	fmt.Println(old.Intn(1000), old.Float64(), old.Perm(4))
	inside := 0
	for range 2000 {
		if a, b := r.Float64(), r.Float64(); a*a+b*b < 1 {
			inside++
		}
	}
	fmt.Printf("%.3f\n", 4*float64(inside)/2000)
	hist := make([]int, 8)
	for range 500 {
		hist[min(max(int(r.NormFloat64()*1.2+4), 0), 7)]++
	}
	for i, h := range hist {
		fmt.Printf("%d %-30s %d\n", i, strings.Repeat("*", h/5), h)
	}
	fmt.Println(slices.Max(hist), rand.N(int8(1)), rand.N[uint](1))
}
