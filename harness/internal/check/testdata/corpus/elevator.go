package main

import (
	"fmt"
	"slices"
	"strings"
)

type Dir int8

const (
	Down Dir = -1
	Idle Dir = 0
	Up   Dir = +1
)

func (d Dir) String() string { return [3]string{"↓", "·", "↑"}[d+1] }

type Call struct {
	Floor int
	Dir   Dir
	At    int
}
type Car struct {
	id    string
	floor int
	dir   Dir
	stops map[int]bool
	log   []string
	*Building
}
type Building struct {
	floors int
	cars   []*Car
	calls  []Call
	tick   int
	waits  []int
}

type Policy interface {
	Choose(b *Building, c Call) *Car
}
type PolicyFunc func(*Building, Call) *Car

func (f PolicyFunc) Choose(b *Building, c Call) *Car { return f(b, c) }

type nearest struct{ bias map[string]int }

func (n nearest) Choose(b *Building, c Call) *Car {
	return slices.MinFunc(b.cars, func(x, y *Car) int { return n.cost(x, c) - n.cost(y, c) })
}
func (n nearest) cost(x *Car, c Call) int {
	d := x.floor - c.Floor
	if d < 0 {
		d = -d
	}
	switch {
	case x.dir == Idle:
	case x.dir == Up && c.Floor < x.floor, x.dir == Down && c.Floor > x.floor:
		d += b2i(true) * x.floors
	}
	return d*10 + n.bias[x.id]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *Car) step() {
	if len(c.stops) == 0 {
		c.dir = Idle
		return
	}
	if c.stops[c.floor] {
		delete(c.stops, c.floor)
		c.log = append(c.log, fmt.Sprintf("%s@%d", c.id, c.floor))
		c.calls = slices.DeleteFunc(c.calls, func(k Call) bool {
			if k.Floor == c.floor {
				c.waits = append(c.waits, c.tick-k.At)
				return true
			}
			return false
		})
		return
	}
	var above, below bool
	for f := range c.stops {
		above = above || f > c.floor
		below = below || f < c.floor
	}
	switch c.dir {
	case Up:
		if !above {
			c.dir = Down
		}
	case Down:
		if !below {
			c.dir = Up
		}
	default:
		if c.dir = Down; above {
			c.dir = Up
		}
	}
	c.floor += int(c.dir)
}

func (b *Building) Run(p Policy, script map[int][]Call, max int) (out []string) {
	for b.tick = 0; b.tick < max; b.tick++ {
		for _, c := range script[b.tick] {
			c.At = b.tick
			b.calls = append(b.calls, c)
			car := p.Choose(b, c)
			car.stops[c.Floor] = true
		}
		row := make([]string, 0, len(b.cars))
		for _, c := range b.cars {
			c.step()
			row = append(row, fmt.Sprintf("%s%d%v", c.id, c.floor, c.dir))
		}
		out = append(out, strings.Join(row, " "))
		if len(b.calls) == 0 && b.tick > 5 {
			break
		}
	}
	return
}

func New(floors int, ids ...string) *Building {
	b := &Building{floors: floors}
	for i, id := range ids {
		b.cars = append(b.cars, &Car{id: id, floor: i * floors / len(ids), stops: map[int]bool{}, Building: b})
	}
	return b
}

func main() {
	script := map[int][]Call{0: {{Floor: 7, Dir: Down}, {Floor: 2, Dir: Up}}, 3: {{Floor: 0, Dir: Up}}, 4: {{5, Up, 0}, {9, Down, 0}}}
	rr := 0
	policies := []struct {
		name string
		Policy
	}{
		{"nearest", nearest{map[string]int{"A": 1}}},
		{"robin", PolicyFunc(func(b *Building, _ Call) *Car { rr++; return b.cars[rr%len(b.cars)] })},
	}
	for _, p := range policies {
		b := New(10, "A", "B")
		out := b.Run(p, script, 40)
		fmt.Println(p.name, len(out), out[:3], out[len(out)-1])
		for _, c := range b.cars {
			fmt.Println(" ", c.log, c.tick)
		}
		slices.Sort(b.waits)
		fmt.Println(" ", b.waits, len(b.calls))
	}
	fmt.Printf("%v %d %+v\n", Up, Down, Call{1, Idle, 2})
	defer func() { fmt.Println(recover()) }()
	fmt.Println(Dir(5))
	fmt.Println(Dir(5).String())
}
