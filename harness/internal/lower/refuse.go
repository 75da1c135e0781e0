package lower

import (
	"fmt"
	"go/ast"
	"go/token"
)

// A Refusal says which construct of the script cannot be run as Go means it,
// and where. It is returned instead of a program that would be silently
// different.
type Refusal struct {
	Pos token.Position // of the construct; Line 0 when it has none in the script
	Msg string         // what is not supported, and what to write instead
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: not supported: %s", r.Pos, r.Msg) }

// refuse ends the lowering; the position is that of the current statement.
func (p *program) refuse(format string, args ...any) {
	panic(&Refusal{p.position, fmt.Sprintf(format, args...)})
}

// refuse ends the lowering because of node n.
func (f *fn) refuse(n ast.Node, format string, args ...any) {
	if n != nil && n.Pos().IsValid() && f.unit.script {
		f.p.position = f.unit.fset.Position(n.Pos())
	}
	f.p.refuse(format, args...)
}
