package main

import (
	"encoding/json"
	"fmt"
)

type Leaf struct {
	X int
	Y int `json:"y"`
}

type Left struct {
	*Leaf
	L int
}

type Right struct {
	*Leaf
	R int
}

type Both struct {
	Left
	Right
}

type Deep struct{ Both }

type Deeper struct {
	Deep
	*Leaf
}

type Two struct {
	A struct{ Both }
	*Deep
	Right
	X string
}

type Self struct {
	*Self
	Left
	N int
}

func show(v any) {
	b, err := json.Marshal(v)
	fmt.Println(string(b), err)
}

func main() {
	leaf := &Leaf{1, 2}
	both := Both{Left{leaf, 3}, Right{leaf, 4}}
	show(both)
	show(Deep{both})
	show(Deeper{Deep{both}, &Leaf{5, 6}})
	show(Two{Deep: &Deep{both}, Right: Right{leaf, 9}, X: "x"})
	show(Self{&Self{N: 1, Left: Left{leaf, 8}}, Left{leaf, 7}, 2})
	var d Deeper
	fmt.Println(json.Unmarshal([]byte(`{"X":1,"y":2,"L":3,"R":4}`), &d), d.Leaf.X, d.L, d.R, d.Left.Leaf == nil)
	var b Both
	fmt.Println(json.Unmarshal([]byte(`{"X":1,"y":2,"L":3,"R":4}`), &b), b.L, b.R, b.Left.Leaf == nil)
}
