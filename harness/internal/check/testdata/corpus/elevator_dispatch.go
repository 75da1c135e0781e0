// An elevator simulation: embedded state, goroutine-free ticks, sorted stops, requests by channels drained per tick.
package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

type Direction int

const (
	Down Direction = iota - 1
	Idle
	Up
)

func (d Direction) String() string { return [...]string{"▼", "■", "▲"}[d+1] }

type Request struct {
	From, To int
	At       int
}

func (r Request) Dir() Direction { return Direction(cmp.Compare(r.To, r.From)) }

type motion struct {
	Floor int
	Dir   Direction
}

func (m *motion) step() { m.Floor += int(m.Dir) }

type Car struct {
	ID string
	motion
	stops  map[int]int
	riders []Request
	moved  int
	onStop func(c *Car, floor, out, in int)
}

func (c *Car) load() int { return len(c.riders) }

func (c *Car) cost(r Request) int {
	dist := max(c.Floor-r.From, r.From-c.Floor)
	if c.Dir != Idle && c.Dir != r.Dir() {
		dist += 5
	}
	return dist + 2*c.load() + len(c.stops)
}

func (c *Car) next() {
	if len(c.stops) == 0 {
		c.Dir = Idle
		return
	}
	floors := make([]int, 0, len(c.stops))
	for f := range c.stops {
		floors = append(floors, f)
	}
	slices.Sort(floors)
	switch lo, hi := floors[0], floors[len(floors)-1]; {
	case c.Dir == Up && hi > c.Floor, c.Dir == Down && lo < c.Floor:
	case hi > c.Floor:
		c.Dir = Up
	case lo < c.Floor:
		c.Dir = Down
	default:
		c.Dir = Idle
	}
}

type Building struct {
	cars     []*Car
	waiting  map[int][]Request
	incoming chan Request
	tick     int
	served   []int
}

func (b *Building) dispatch() {
	for {
		select {
		case r := <-b.incoming:
			r.At = b.tick
			best := slices.MinFunc(b.cars, func(x, y *Car) int {
				return cmp.Or(cmp.Compare(x.cost(r), y.cost(r)), strings.Compare(x.ID, y.ID))
			})
			best.stops[r.From]++
			b.waiting[r.From] = append(b.waiting[r.From], r)
		default:
			return
		}
	}
}

func (b *Building) Tick() (busy bool) {
	b.tick++
	b.dispatch()
	for _, c := range b.cars {
		if n := c.stops[c.Floor]; n > 0 {
			delete(c.stops, c.Floor)
			before := c.load()
			c.riders = slices.DeleteFunc(c.riders, func(r Request) (gone bool) {
				if gone = r.To == c.Floor; gone {
					b.served = append(b.served, b.tick-r.At)
				}
				return
			})
			out := before - c.load()
			boarding := b.waiting[c.Floor]
			delete(b.waiting, c.Floor)
			for _, r := range boarding {
				c.riders = append(c.riders, r)
				c.stops[r.To]++
			}
			c.onStop(c, c.Floor, out, len(boarding))
		}
		c.next()
		if c.Dir != Idle {
			c.step()
			c.moved++
			busy = true
		}
	}
	return busy || len(b.incoming) > 0 || len(b.waiting) > 0
}

func main() {
	var log []string
	stop := func(c *Car, f, out, in int) { log = append(log, fmt.Sprintf("%s@%d-%d+%d", c.ID, f, out, in)) }
	b := &Building{waiting: map[int][]Request{}, incoming: make(chan Request, 16)}
	for i, id := range []string{"A", "B"} {
		b.cars = append(b.cars, &Car{ID: id, motion: motion{Floor: i * 9}, stops: map[int]int{}, onStop: stop})
	}
	script := map[int][]Request{0: {{0, 5, 0}, {9, 2, 0}}, 2: {{3, 7, 0}}, 4: {{8, 1, 0}, {From: 8, To: 9}}, 7: {{4, 4, 0}}}
	for t := 0; t < 60; t++ {
		for _, r := range script[t] {
			b.incoming <- r
		}
		if busy := b.Tick(); !busy && t > 8 {
			break
		}
		if t%5 == 0 {
			for _, c := range b.cars {
				fmt.Printf("%2d %s %d%v load=%d stops=%v; ", t, c.ID, c.Floor, c.Dir, c.load(), c.stops)
			}
			fmt.Println()
		}
	}
	fmt.Println(strings.Join(log, " "))
	fmt.Println(b.tick, b.served, len(b.waiting))
	for _, c := range b.cars {
		fmt.Printf("%s %+v moved=%d %v\n", c.ID, c.motion, c.moved, c.riders)
	}
	m := b.cars[0].motion
	m.Dir = Up
	m.step()
	fmt.Println(m, b.cars[0].motion != m, []Direction{Up, Idle, Down}, Request{5, 2, 0}.Dir())
}
