package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
)

var (
	reg = gob.Register
	buf bytes.Buffer
)

type Stack[T any] struct {
	Items []T
	Max   int
}

func (s *Stack[T]) Push(x T) { s.Items = append(s.Items, x) }

type Celsius float64
type ID [4]byte
type Status uint8

func (s Status) String() string { return [...]string{"new", "done"}[s] }

type Task struct {
	ID     ID
	Status Status
	Temp   Celsius
	Deps   map[ID]bool
	Stack  Stack[Celsius]
	Next   *Task
	Fn     func() error
	C      chan Task
	any
}

type Visitor interface{ Visit() }
type Impl struct{ N int }

func (i Impl) Visit() { fmt.Println("visit", i.N) }

type Wrap struct {
	V  Visitor
	Vs []Visitor
	M  map[string]Visitor
	F  fmt.Stringer
	E  error
}

func (s Stack[T]) Len() int { return len(s.Items) }

func main() {
	reg(Stack[int]{})
	reg(&Stack[Task]{})
	reg(Status(0))
	reg(Impl{})
	fmt.Println(gob.NewEncoder(&buf).Encode(Task{ID: ID{1, 2}, Status: 1, Temp: 36.6, Deps: map[ID]bool{{9}: true}, Stack: Stack[Celsius]{[]Celsius{1}, 5}, Next: &Task{}}))
	fmt.Printf("%x\n", buf.Bytes())
	var t Task
	fmt.Println(gob.NewDecoder(&buf).Decode(&t))
	fmt.Println(t.ID, t.Status, t.Temp, t.Deps, t.Stack, *t.Next)
	w := Wrap{Impl{1}, []Visitor{Impl{2}}, map[string]Visitor{"x": Impl{3}}, Status(1), nil}
	fmt.Println(gob.NewEncoder(&buf).Encode(w), buf.Len())
	fmt.Printf("%x\n", buf.Bytes())
	var w2 Wrap
	fmt.Println(gob.NewDecoder(&buf).Decode(&w2))
	w2.V.Visit()
	w2.Vs[0].Visit()
	w2.M["x"].Visit()
	fmt.Println(w2.F, w2.E)
	x := []any{Stack[int]{[]int{1}, 2}, &Stack[Task]{Max: 3}}
	fmt.Println(gob.NewEncoder(&buf).Encode(x))
	fmt.Printf("%x\n", buf.Bytes())
	var y []any
	fmt.Println(gob.NewDecoder(&buf).Decode(&y))
	fmt.Printf("%T %T %v\n", y[0], y[1], y[0])
	type inner struct{ A Status }
	gob.Register(inner{})
	var z any = inner{1}
	fmt.Println(gob.NewEncoder(&buf).Encode(&z))
	fmt.Printf("%x\n", buf.Bytes())
	var z2 any
	fmt.Println(gob.NewDecoder(&buf).Decode(&z2), z2)
	type F func()
	type G struct {
		A int
		F F
		X [](func())
	}
	fmt.Println(gob.NewEncoder(&buf).Encode(G{A: 1}))
	fmt.Println(gob.NewEncoder(&buf).Encode(&G{A: 1}))
	fmt.Println(gob.NewEncoder(&buf).Encode(struct {
		A int
		C chan int
	}{1, nil}))
	fmt.Println(gob.NewDecoder(&buf).Decode(&struct {
		A int
		C chan int
	}{1, nil}))
	fmt.Println(gob.NewDecoder(&buf).Decode(new(func())))
}
