package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

type Direction int8

const (
	Down Direction = -1
	Stop Direction = 0
	Up   Direction = 1
)

func (d Direction) String() string { return [3]string{"↓", "·", "↑"}[d+1] }

type Floor = int
type Passenger struct {
	ID                int
	From, To          Floor
	Born, Board, Done int
}
type Car struct {
	id     rune
	at     Floor
	dir    Direction
	riders map[int]*Passenger
	stops  map[Floor]bool
	moved  int
}
type Policy interface {
	Choose(cars []*Car, p *Passenger) *Car
}
type PolicyFunc func([]*Car, *Passenger) *Car

func (f PolicyFunc) Choose(c []*Car, p *Passenger) *Car { return f(c, p) }

type Building struct {
	Policy
	cars    []*Car
	waiting map[Floor][]*Passenger
	clock   int
	done    []*Passenger
	trace   strings.Builder
}

func nearest(cars []*Car, p *Passenger) *Car {
	best, dist := (*Car)(nil), math.MaxInt
	for _, c := range cars {
		d := c.at - p.From
		if d < 0 {
			d = -d
		}
		if c.dir != Stop && (p.From-c.at)*int(c.dir) < 0 {
			d += 10
		}
		if d < dist {
			best, dist = c, d
		}
	}
	return best
}
func roundRobin() PolicyFunc {
	i := -1
	return func(cars []*Car, _ *Passenger) *Car {
		i = (i + 1) % len(cars)
		return cars[i]
	}
}
func (b *Building) call(p *Passenger) {
	p.Born = b.clock
	b.waiting[p.From] = append(b.waiting[p.From], p)
	b.Choose(b.cars, p).stops[p.From] = true
}
func (c *Car) next() Direction {
	var above, below bool
	for f, on := range c.stops {
		above = above || on && f > c.at
		below = below || on && f < c.at
	}
	switch {
	case c.dir == Up && above, c.dir == Down && below:
		return c.dir
	case above && (c.dir != Down || !below):
		return Up
	case below:
		return Down
	}
	return Stop
}
func (b *Building) tick() (busy bool) {
	b.clock++
	for _, c := range b.cars {
		if c.stops[c.at] {
			delete(c.stops, c.at)
			for id, p := range c.riders {
				if p.To == c.at {
					p.Done = b.clock
					b.done = append(b.done, p)
					delete(c.riders, id)
				}
			}
			for _, p := range b.waiting[c.at] {
				p.Board = b.clock
				c.riders[p.ID] = p
				c.stops[p.To] = true
			}
			b.waiting[c.at] = nil
			fmt.Fprintf(&b.trace, "%02d %c@%d open %d ", b.clock, c.id, c.at, len(c.riders))
		} else if c.dir = c.next(); c.dir != Stop {
			c.at += int(c.dir)
			c.moved++
		}
		busy = busy || len(c.stops) > 0 || len(c.riders) > 0
	}
	return
}
func simulate(name string, pol Policy, n int) {
	b := &Building{Policy: pol, waiting: map[Floor][]*Passenger{}}
	for i, id := range "AB" {
		b.cars = append(b.cars, &Car{id: id, at: i * 5, riders: map[int]*Passenger{}, stops: map[Floor]bool{}})
	}
	seed := 17
	rnd := func(n int) int { seed = (seed*1103515245 + 12345) & math.MaxInt32; return seed >> 8 % n }
	rnd = func(old func(int) int) func(int) int {
		return func(n int) int { return old(n) % n }
	}(rnd)
	for i := range n {
		p := &Passenger{ID: i, From: rnd(10)}
		for p.To = p.From; p.To == p.From; {
			p.To = rnd(10)
		}
		b.call(p)
		b.tick()
	}
	for b.tick() && b.clock < 500 {
	}
	slices.SortFunc(b.done, func(x, y *Passenger) int { return x.ID - y.ID })
	var wait, ride int
	worst := slices.MaxFunc(b.done, func(x, y *Passenger) int { return (x.Board - x.Born) - (y.Board - y.Born) })
	for _, p := range b.done {
		wait += p.Board - p.Born
		ride += p.Done - p.Board
	}
	fmt.Printf("%-11s t=%d done=%d wait=%.2f ride=%.2f worst=%+v\n", name, b.clock, len(b.done), float64(wait)/float64(len(b.done)), float64(ride)/float64(len(b.done)), *worst)
	for _, c := range b.cars {
		fmt.Printf("  %c moved %d, at %d %v\n", c.id, c.moved, c.at, c.dir)
	}
	s := b.trace.String()
	fmt.Println(" ", s[:min(90, len(s))], len(s))
}

func main() {
	simulate("nearest", PolicyFunc(nearest), 12)
	simulate("roundrobin", roundRobin(), 12)
	simulate("first", PolicyFunc(func(c []*Car, _ *Passenger) *Car { return c[0] }), 6)
	fmt.Println(Up, Down, Stop, []Direction{Up, Down}, map[Direction]int{Up: 1, Down: 2})
	fmt.Printf("%v %d %+d %T\n", Up, Down, Up, Stop)
}
