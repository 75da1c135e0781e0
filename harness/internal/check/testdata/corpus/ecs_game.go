package main

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
)

type Entity uint32
type ComponentID int

type Component interface{ comp() ComponentID }
type Store[C Component] struct {
	dense  []C
	owner  []Entity
	sparse map[Entity]int
}

func (s *Store[C]) Set(e Entity, c C) *C {
	if i, ok := s.sparse[e]; ok {
		s.dense[i] = c
		return &s.dense[i]
	}
	if s.sparse == nil {
		s.sparse = make(map[Entity]int)
	}
	s.sparse[e] = len(s.dense)
	s.dense = append(s.dense, c)
	s.owner = append(s.owner, e)
	return &s.dense[len(s.dense)-1]
}
func (s *Store[C]) Get(e Entity) *C {
	if i, ok := s.sparse[e]; ok {
		return &s.dense[i]
	}
	return nil
}
func (s *Store[C]) Remove(e Entity) {
	i, ok := s.sparse[e]
	if !ok {
		return
	}
	last := len(s.dense) - 1
	s.dense[i], s.owner[i] = s.dense[last], s.owner[last]
	s.sparse[s.owner[i]] = i
	s.dense, s.owner = s.dense[:last], s.owner[:last]
	delete(s.sparse, e)
}
func (s *Store[C]) Each() iter.Seq2[Entity, *C] {
	return func(yield func(Entity, *C) bool) {
		for i := range s.dense {
			if !yield(s.owner[i], &s.dense[i]) {
				return
			}
		}
	}
}

type remover interface{ Remove(Entity) }

func Join[A, B Component](a *Store[A], b *Store[B]) iter.Seq2[*A, *B] {
	return func(yield func(*A, *B) bool) {
		for e, x := range a.Each() {
			if y := b.Get(e); y != nil && !yield(x, y) {
				return
			}
		}
	}
}

type Vec struct{ X, Y float64 }

func (v Vec) Plus(o Vec) Vec      { return Vec{v.X + o.X, v.Y + o.Y} }
func (v Vec) Times(f float64) Vec { return Vec{v.X * f, v.Y * f} }
func (v Vec) Len() float64        { return math.Hypot(v.X, v.Y) }
func (v Vec) String() string      { return fmt.Sprintf("<%.1f %.1f>", v.X, v.Y) }

type (
	Position struct{ Vec }
	Velocity struct{ Vec }
	Health   struct{ HP, Max int }
	Label    string
)

func (Position) comp() ComponentID { return 0 }
func (Velocity) comp() ComponentID { return 1 }
func (Health) comp() ComponentID   { return 2 }
func (Label) comp() ComponentID    { return 3 }
func (h *Health) Hurt(n int) (dead bool) {
	h.HP = max(0, h.HP-n)
	return h.HP == 0
}

type System func(w *World, dt float64)
type World struct {
	next   Entity
	pos    Store[Position]
	vel    Store[Velocity]
	hp     Store[Health]
	label  Store[Label]
	sys    []System
	events []fmt.Stringer
	frame  int
}
type Died struct {
	Entity
	At Vec
	Label
}

func (d Died) String() string { return fmt.Sprintf("%s#%d died at %v", d.Label, d.Entity, d.At) }

func (w *World) Spawn(cs ...Component) (e Entity) {
	w.next++
	e = w.next
	for _, c := range cs {
		switch c := c.(type) {
		case Position:
			w.pos.Set(e, c)
		case Velocity:
			w.vel.Set(e, c)
		case Health:
			w.hp.Set(e, c)
		case Label:
			w.label.Set(e, c)
		default:
			panic(fmt.Sprintf("no store for %T", c))
		}
	}
	return
}

func (w *World) Kill(e Entity) {
	for _, s := range []remover{&w.pos, &w.vel, &w.hp, &w.label} {
		s.Remove(e)
	}
}

func move(w *World, dt float64) {
	for p, v := range Join(&w.pos, &w.vel) {
		p.Vec = p.Plus(v.Times(dt))
		for _, c := range []struct{ at, v *float64 }{{&p.X, &v.X}, {&p.Y, &v.Y}} {
			if *c.at < 0 || *c.at > 10 {
				*c.v = -*c.v
				*c.at = min(10, max(0, *c.at))
			}
		}
	}
}

func collide(w *World, _ float64) {
	var dead []Entity
	for e, p := range w.pos.Each() {
		for f, q := range w.pos.Each() {
			if e >= f || p.Plus(q.Times(-1)).Len() > 1.5 {
				continue
			}
			for _, id := range [...]Entity{e, f} {
				if h := w.hp.Get(id); h != nil && h.Hurt(4) && !slices.Contains(dead, id) {
					dead = append(dead, id)
				}
			}
		}
	}
	for _, e := range dead {
		l := Label("?")
		if lp := w.label.Get(e); lp != nil {
			l = *lp
		}
		w.events = append(w.events, Died{e, w.pos.Get(e).Vec, l})
		w.Kill(e)
	}
}

func (w *World) Step(dt float64) {
	w.frame++
	for _, s := range w.sys {
		s(w, dt)
	}
}

func (w World) String() string {
	var rows []string
	for e, p := range w.pos.Each() {
		s := fmt.Sprintf("%d%v", e, *p)
		if h := w.hp.Get(e); h != nil {
			s += fmt.Sprintf("[%d/%d]", h.HP, h.Max)
		}
		rows = append(rows, s)
	}
	sort.Strings(rows)
	return strings.Join(rows, " ")
}

func main() {
	w := &World{sys: []System{move, collide}}
	w.sys = append(w.sys, func(w *World, dt float64) {
		for e, h := range w.hp.Each() {
			if w.frame%3 == 0 && h.HP < h.Max {
				h.HP++
				_ = e
			}
		}
	})
	w.Spawn(Position{Vec{1, 1}}, Velocity{Vec{1, 0.5}}, Health{10, 10}, Label("ann"))
	w.Spawn(Position{Vec{9, 5}}, Velocity{Vec{-1, 0}}, Health{6, 8})
	w.Spawn(Position{Vec{5, 9}}, Velocity{Vec{0, -2}})
	rock := w.Spawn(Position{Vec{5, 3}}, Label("rock"), Health{100, 100})
	for range 12 {
		w.Step(0.5)
		if w.frame%4 == 0 {
			fmt.Println(w.frame, w)
		}
	}
	for _, e := range w.events {
		fmt.Println(e)
	}
	fmt.Println(*w.hp.Get(rock), w.vel.Get(rock) == nil, len(w.pos.dense), w.hp.sparse[rock])
	fmt.Printf("%v %+v\n", Position{Vec{1, 2}}, Health{1, 2})
	defer func() { fmt.Println(recover()) }()
	w.Spawn(nil)
}
