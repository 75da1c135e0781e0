package yaegi

import (
	"testing"

	"github.com/traefik/yaegi/interp"
)

// A panic that passes a function takes time by the size of the whole program
// where cutAncestors finds nothing.
func TestPanicsAreCheap(t *testing.T) {
	i := interp.New(interp.Options{})
	p, err := i.Compile(`package main

func f(n int) { g(n) }

func g(n int) { func() { panic(n) }() }

func main() {}
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := cutAncestors(p); got < 4 {
		t.Errorf("%d functions were shortened, want f, g, the literal in g, and main: has the interpreter's node changed?", got)
	}
}
