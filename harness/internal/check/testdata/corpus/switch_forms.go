// Switches: no tag, init, duplicate types, fallthrough, side effects, expressions in cases, break inside, default in the middle.
package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"
)

type Suit rune

const (
	Clubs    Suit = '♣'
	Diamonds Suit = '♦'
	Hearts   Suit = '♥'
	Spades   Suit = '♠'
)

type Card struct {
	Rank int
	Suit
}

func (s Suit) Red() bool {
	switch s {
	case Diamonds, Hearts:
		return true
	}
	return false
}

func (c Card) String() string {
	r := ""
	switch c.Rank {
	default:
		r = fmt.Sprint(c.Rank)
	case 1:
		r = "A"
	case 11, 12, 13:
		r = string("JQK"[c.Rank-11])
	}
	return r + string(c.Suit)
}

func grade(n int) (s string) {
	switch {
	case n >= 90:
		s += "A"
		fallthrough
	case n >= 80:
		s += "B"
		if n == 95 {
			break
		}
		fallthrough
	case n >= 200:
		s += "X"
	default:
		s = "F"
	case n < 0:
		s = "neg"
	}
	return
}

var calls []string

func val(name string, v int) int {
	calls = append(calls, name)
	return v
}

func pick(x int) string {
	switch y := val("tag", x); y + val("plus", 1) {
	case val("a", 1), val("b", 2):
		return "low"
	case val("c", 3):
		return "three"
	default:
		return "default"
	case val("d", 4):
		return "four"
	}
}

func camel(s string) string {
	var sb strings.Builder
	up := false
	for i, r := range s {
		switch {
		case r == '_' || r == '-':
			up = i > 0
			continue
		case up && unicode.IsLetter(r):
			r = unicode.ToUpper(r)
			up = false
		}
		sb.WriteRune(r)
	}
	return sb.String()
}

type state func(string) (state, bool)

func machine(input string) (n int, ok bool) {
	var start, inWord, done state
	start = func(s string) (state, bool) {
		switch s {
		case " ":
			return start, true
		case ".":
			return done, true
		}
		n++
		return inWord, true
	}
	inWord = func(s string) (state, bool) {
		switch s {
		case " ":
			return start, true
		case ".":
			return done, true
		case "!":
			return nil, false
		}
		return inWord, true
	}
	done = func(string) (state, bool) { return nil, false }
	st := start
	for _, r := range input {
		var more bool
		if st, more = st(string(r)); !more {
			return n, st == nil
		}
	}
	return n, true
}

func main() {
	for _, c := range []Card{{1, Spades}, {10, Hearts}, {12, Diamonds}, {Rank: 7}} {
		fmt.Print(c, " ", c.Red(), " ")
	}
	fmt.Printf("%v %d %c %q\n", Hearts, Hearts, Hearts, Clubs)
	for _, n := range []int{95, 91, 85, 10, -5} {
		fmt.Print(grade(n), " ")
	}
	fmt.Println()
	for x := range 5 {
		calls = calls[:0]
		fmt.Println(pick(x), calls)
	}
	fmt.Println(camel("snake_case-to_camel"), camel("_x_"))
	fmt.Println(machine("a bc d. e"))
	fmt.Println(machine("a! b"))
	switch x := any(3.0).(type) {
	case int, float64:
		switch x {
		case 3:
			fmt.Println("int three")
		case 3.0:
			fmt.Println("float three")
		}
	}
	switch s := "b"; {
	case s > "c":
		fmt.Println("after c")
	case s == "a", s == "b" && len(s) == 1:
		fmt.Println("a or b")
	}
	arr := [2]int{1, 2}
	switch arr {
	case [2]int{2, 1}:
		fmt.Println("swapped")
	case [...]int{1, 2}:
		fmt.Println("array match")
	}
	switch (Card{1, Clubs}) {
	case Card{1, Clubs}:
		fmt.Println("struct match")
	}
	switch err := error(nil); err {
	case os.ErrNotExist:
		fmt.Println("not exist")
	case nil:
		fmt.Println("no error")
	}
	switch f := 0.1 + 0.2; true {
	case f == 0.3:
		fmt.Println("equal")
	case !(f == 0.3):
		fmt.Println("floats")
	}
	switch {
	}
	switch i := 5; i {
	}
}
