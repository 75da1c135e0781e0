package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Places. Whoever answers a tool call wants to know from where in the script it
// comes, and which of several goroutines makes it. The place is where the script
// names the tool, so that it is known here. A function of a server's package gets
// it as a parameter of its own, before all others, and hands it on to rt.Do:
//
//	git.Log(p)               f_Log_3("12:2", p)
//
//	log := git.Log           var log_5 func(t.T_4) (t.T_6, error) = at_7
//
//	func at_7(a0 t.T_4) (t.T_6, error) {
//		return f_Log_3("12:9", a0)
//	}
//
// Functions of rt that call the host, or start goroutines, take it in the same
// way, and those that print its line: see replacement.placed and lined.

// anyPlace is the place of what is not in the script: code of the library that is
// lowered, and methods that are called without being named.
const anyPlace = `"?"`

// placeOf emits the place of a position: a string.
func (f *fn) placeOf(pos token.Pos) string {
	switch {
	case f.at != "":
		return f.at
	case !f.unit.script:
		return anyPlace
	}
	p := f.unit.fset.Position(pos)
	return fmt.Sprintf(`"%d:%d"`, p.Line, p.Column)
}

// lineOf emits the line of a place: a number, 0 for a place that is not known here.
func lineOf(place string) string {
	if line, _, ok := strings.Cut(strings.Trim(place, `"`), ":"); ok {
		return line
	}
	return "0"
}

// placed: f is a function of a server's package or of discovery, or one of those
// that such a function calls.
func (p *program) placed(f *types.Func) bool {
	u := p.units[f.Pkg()]
	return u != nil && !u.script && p.out.source[f.Pkg()] && f.Signature().Recv() == nil
}

// atPlace is the callee that hands a place on to a function that is placed.
func atPlace(place, name string, sig *types.Signature) callee {
	return callee{sig: sig, direct: name, named: true, recv: place, recvTyp: "string", recvType: types.Typ[types.String],
		invoke: plainCall(name)}
}

// placedValue is a function that is placed, or lined, as a value: one that has its
// place. It is one of rt's by r, nil for those of the lowered program.
func (f *fn) placedValue(x ast.Expr, name string, sig *types.Signature, r *replacement) string {
	place := f.placeOf(ast.Unparen(x).Pos())
	if f.at != "" {
		place = anyPlace // the function has nothing of this one's
	}
	key := "at " + place + " " + name
	if at, ok := f.p.names[key]; ok {
		return at
	}
	at := f.p.fresh("at")
	f.p.names[key] = at
	params, args := f.p.parameters(sig)
	if r != nil {
		place = r.first(place)
		if sig.Variadic() {
			args[len(args)-1] += "..."
		}
	}
	c := atPlace(place, name, sig)
	fmt.Fprintf(&f.p.funcs, "\nfunc %s(%s) %s {\n%s%s\n}\n", at, strings.Join(params, ", "), f.p.results(sig),
		returns(sig), c.invoke(c.recv, args))
	return at
}
