package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Places. The server side of a tool call needs to know where in the script the call is, and
// which of several goroutines makes it. The place is where the script names the tool, so
// that it is known here. A function of a server's package gets the place as an extra first
// parameter, and passes it on to rt.Do:
//
//	git.Log(p)               f_Log_3("12:2", p)
//
//	log := git.Log           var log_5 func(t.T_4) (t.T_6, error) = at_7
//
//	func at_7(a0 t.T_4) (t.T_6, error) {
//		return f_Log_3("12:9", a0)
//	}
//
// Functions of rt that call the host or start goroutines take the place in the same way,
// and those that print take its line: see replacement.placed and lined.

// anyPlace is the place of code outside the script: library code that is lowered, and
// methods that are called without being named.
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

// lineOf emits the line of a place. It is 0 if the place is not known here.
func lineOf(place string) string {
	if line, _, ok := strings.Cut(strings.Trim(place, `"`), ":"); ok {
		return line
	}
	return "0"
}

// isPlaced reports whether f is a function of a server's package or of discovery, or a
// function that such a function calls.
func (p *program) isPlaced(f *types.Func) bool {
	u := p.units[f.Pkg()]
	return u != nil && !u.script && p.out.source[f.Pkg()] && f.Signature().Recv() == nil
}

// atPlace returns the callee that passes a place to a placed function.
func atPlace(place, name string, sig *types.Signature) callee {
	return callee{sig: sig, direct: name, named: true, recv: place, recvTyp: "string", recvType: types.Typ[types.String],
		invoke: plainCall(name)}
}

// placedValue emits a placed or lined function as a value with its place bound. r is the
// replacement if the function is one of rt's, or nil for a function of the lowered program.
func (f *fn) placedValue(x ast.Expr, name string, sig *types.Signature, r *replacement) string {
	place := f.placeOf(ast.Unparen(x).Pos())
	if f.at != "" {
		place = anyPlace // the function has no variables of this one
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
