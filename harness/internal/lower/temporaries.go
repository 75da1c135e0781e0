package lower

import (
	"fmt"
	"strings"
)

// Temporaries. Where a declaration runs, the interpreter makes a new variable,
// which costs as much as the rest of the statement. In a loop, temporaries and
// variables that nothing points to are declared in front of the outermost loop
// instead, and a temporary serves one statement after the other:
//
//	for i := range n {            var x_3 int
//		x := a[i] + b[i]          var t_4 int
//		…                         for ; …; … {
//	}                             	…
//	                              	x_3 = a_1[t_5] + b_2[t_5]

// loopText is an outermost loop while it is emitted.
type loopText struct {
	decls strings.Builder
	free  map[string][]string // temporaries by type
	depth int
}

type slot struct{ name, typ string }

// enterLoop begins a loop. The function that it returns ends it.
func (f *fn) enterLoop() func() {
	if f.loop != nil {
		f.loop.depth++
		return func() { f.loop.depth-- }
	}
	before := f.out
	f.out, f.loop = &strings.Builder{}, &loopText{free: map[string][]string{}}
	return func() {
		before.WriteString(f.loop.decls.String())
		before.WriteString(f.out.String())
		f.out, f.loop = before, nil
	}
}

// temp names a temporary and returns the statement that sets it.
func (f *fn) temp(typ, text string) (name, set string) {
	if f.loop == nil || !reusable(typ) {
		name = f.p.fresh("t")
		return name, "var " + name + " " + typ + " = " + text + "\n"
	}
	if free := f.loop.free[typ]; len(free) > 0 {
		name = free[len(free)-1]
		f.loop.free[typ] = free[:len(free)-1]
	} else {
		name = f.p.fresh("t")
		fmt.Fprintf(&f.loop.decls, "var %s %s\n", name, typ)
	}
	f.used = append(f.used, slot{name, typ})
	return name, name + " = " + text + "\n"
}

// reusable reports whether variables of the type can be assigned again. The interpreter
// gives functions and channels their types where they are declared with a value.
func reusable(typ string) bool {
	return !strings.Contains(typ, "func") && !strings.Contains(typ, "chan")
}

// release frees the temporaries of a statement except the first n in use.
func (f *fn) release(n int) {
	if f.loop != nil {
		for _, s := range f.used[n:] {
			f.loop.free[s.typ] = append(f.loop.free[s.typ], s.name)
		}
	}
	f.used = f.used[:n]
}
