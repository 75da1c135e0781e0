package lower

import (
	"fmt"
	"go/ast"
	"go/token"
)

// A Refusal reports a construct of the script that cannot be run with Go's meaning. Lower
// returns it instead of a program that would silently behave differently.
type Refusal struct {
	Pos token.Position // of the construct; Line is 0 if it has none in the script
	Msg string         // the unsupported construct, and what to write instead
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: not supported: %s", r.Pos, r.Msg) }

// refuse ends the lowering with a Refusal at the current statement.
func (p *program) refuse(format string, args ...any) {
	panic(&Refusal{p.position, fmt.Sprintf(format, args...)})
}

// refuse ends the lowering with a Refusal at node n.
func (f *fn) refuse(n ast.Node, format string, args ...any) {
	if n != nil && n.Pos().IsValid() && f.unit.script {
		f.p.position = f.unit.fset.Position(n.Pos())
	}
	f.p.refuse(format, args...)
}
