// Index-based arenas, free lists, handles with generations, slices of structs mutated through pointers and indices.
package main

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

type Handle[T any] struct {
	idx, gen uint32
}

func (h Handle[T]) String() string { return fmt.Sprintf("#%d.%d", h.idx, h.gen) }

type slot[T any] struct {
	val  T
	gen  uint32
	next int
	live bool
}

type Arena[T any] struct {
	slots []slot[T]
	free  int
	n     int
}

func NewArena[T any]() *Arena[T] { return &Arena[T]{free: -1} }

var ErrStale = errors.New("stale handle")

func (a *Arena[T]) Alloc(v T) (h Handle[T]) {
	i := a.free
	if i < 0 {
		i = len(a.slots)
		a.slots = append(a.slots, slot[T]{})
	} else {
		a.free = a.slots[i].next
	}
	s := &a.slots[i]
	s.val, s.live = v, true
	s.gen++
	a.n++
	return Handle[T]{uint32(i), s.gen}
}

func (a *Arena[T]) Get(h Handle[T]) (*T, error) {
	if int(h.idx) >= len(a.slots) || !a.slots[h.idx].live || a.slots[h.idx].gen != h.gen {
		return nil, fmt.Errorf("%v: %w", h, ErrStale)
	}
	return &a.slots[h.idx].val, nil
}

func (a *Arena[T]) Free(h Handle[T]) error {
	p, err := a.Get(h)
	if err != nil {
		return err
	}
	var zero T
	*p = zero
	s := &a.slots[h.idx]
	s.live, s.next = false, a.free
	a.free = int(h.idx)
	a.n--
	return nil
}

func (a *Arena[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		for i := range a.slots {
			if s := &a.slots[i]; s.live && !yield(Handle[T]{uint32(i), s.gen}, &s.val) {
				return
			}
		}
	}
}

type Entity struct {
	Name     string
	HP       int
	Pos, Vel [2]float64
	Parent   Handle[Entity]
	tags     map[string]bool
}

type World struct {
	*Arena[Entity]
	systems []func(w *World, h Handle[Entity], e *Entity)
	log     []string
}

func (w *World) Spawn(name string, opts ...func(*Entity)) Handle[Entity] {
	e := Entity{Name: name, HP: 10}
	for _, o := range opts {
		o(&e)
	}
	return w.Alloc(e)
}

func (w *World) Step() {
	for _, sys := range w.systems {
		for h, e := range w.All() {
			sys(w, h, e)
		}
	}
}

func Vel(x, y float64) func(*Entity) { return func(e *Entity) { e.Vel = [2]float64{x, y} } }
func Tag(ts ...string) func(*Entity) {
	return func(e *Entity) {
		if e.tags == nil {
			e.tags = make(map[string]bool)
		}
		for _, t := range ts {
			e.tags[t] = true
		}
	}
}

func main() {
	w := &World{Arena: NewArena[Entity]()}
	w.systems = append(w.systems,
		func(_ *World, _ Handle[Entity], e *Entity) {
			for i := range e.Pos {
				e.Pos[i] += e.Vel[i]
			}
		},
		func(w *World, h Handle[Entity], e *Entity) {
			if e.tags["poison"] {
				e.HP -= 4
			}
			if e.HP <= 0 {
				w.log = append(w.log, e.Name+" died")
				if err := w.Free(h); err != nil {
					w.log = append(w.log, err.Error())
				}
			}
		})
	a := w.Spawn("ant", Vel(1, 0.5), Tag("poison"))
	b := w.Spawn("bee", Vel(-2, 0), func(e *Entity) { e.Parent = a })
	c := w.Spawn("cat")
	for step := range 4 {
		w.Step()
		var names []string
		for h, e := range w.All() {
			names = append(names, fmt.Sprintf("%v=%s%v/%d", h, e.Name, e.Pos, e.HP))
		}
		fmt.Println(step, strings.Join(names, " "))
	}
	_, err := w.Get(a)
	fmt.Println(err, errors.Is(err, ErrStale), w.Free(a) == nil, w.log)
	d := w.Spawn("dog")
	fmt.Println(a, d, d.idx == a.idx, d == a, w.n, len(w.slots))
	pb, _ := w.Get(b)
	_, perr := w.Get(pb.Parent)
	fmt.Println(pb.Name, perr)
	w.Free(c)
	w.Free(b)
	fmt.Println(w.free, w.slots[w.free].next, w.n, pb.Name == "")
	e := w.Spawn("elk")
	f := w.Spawn("fox")
	fmt.Println(e, f, Handle[int]{1, 2})
	for h, ent := range w.All() {
		if ent.HP *= 2; ent.Name == "elk" {
			break
		}
		fmt.Println(h, ent.HP)
	}
	pf, _ := w.Get(f)
	fmt.Println(pf.HP, w.slots[f.idx].val.HP)
	nums := NewArena[[]int]()
	h := nums.Alloc([]int{1})
	p, _ := nums.Get(h)
	*p = append(*p, 2, 3)
	(*p)[0] *= 10
	q, _ := nums.Get(h)
	fmt.Println(*q, p == q)
}
