package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// What is known of values without running anything, so that checks of them can
// be left out: each part of a check costs as much as the operation itself.

// notNegative: x, an integer, is not below zero.
func (f *fn) notNegative(x ast.Expr) bool {
	_, ok := f.bits(x, map[types.Object]bool{})
	return ok
}

// stepBits bounds how often a script can do anything: 2^34 steps take it
// minutes.
const stepBits = 34

// bits is a number n with 0 <= x < 1<<n; ok is false when none is known. The
// variables in open are those whose values are being looked at.
func (f *fn) bits(x ast.Expr, open map[types.Object]bool) (n int, ok bool) {
	if x == nil {
		return 0, false
	}
	x = ast.Unparen(x)
	switch x {
	case zeroValue:
		return 0, true
	case countedValue:
		return stepBits, true
	}
	if v := f.value(x).Value; v != nil {
		if v.Kind() != constant.Int || constant.Sign(v) < 0 {
			return 0, false
		}
		return constant.BitLen(v), true
	}
	limit := integerBits(f.typeOf(x))
	if limit == 0 {
		return 0, false
	}
	n, ok = limit, false
	switch x := x.(type) {
	case *ast.Ident:
		n, ok = f.variableBits(f.object(x), open)
	case *ast.BinaryExpr:
		a, okA := f.bits(x.X, open)
		b, okB := f.bits(x.Y, open)
		switch x.Op {
		case token.ADD:
			n, ok = max(a, b)+1, okA && okB
		case token.MUL:
			n, ok = a+b, okA && okB
		case token.QUO:
			n, ok = a, okA && okB
		case token.REM, token.SHR:
			n, ok = a, okA
		}
	case *ast.CallExpr:
		switch tv := f.value(x.Fun); {
		case tv.IsType() && len(x.Args) == 1:
			n, ok = f.bits(x.Args[0], open)
		case tv.IsBuiltin():
			id := calledIdent(x.Fun)
			n, ok = 48, id != nil && (id.Name == "len" || id.Name == "cap")
		}
	}
	if !ok && isUnsigned(f.typeOf(x)) {
		return limit, limit < 63
	}
	return n, ok && n <= limit
}

// variableBits is bits for a variable of this function.
func (f *fn) variableBits(o types.Object, open map[types.Object]bool) (n int, ok bool) {
	h := f.localHistory(o)
	if h == nil || open[o] {
		return 0, false
	}
	open[o] = true
	defer delete(open, o)
	for _, v := range h.values {
		b, ok := f.bits(v, open)
		if !ok {
			return 0, false
		}
		n = max(n, b)
	}
	for _, v := range h.steps {
		b, ok := f.bits(v, open)
		if !ok {
			return 0, false
		}
		n = max(n, b+stepBits)
	}
	return n, true
}

// integerBits is how many bits the values of integer type t have, but for their
// sign; 0 for other types.
func integerBits(t types.Type) int {
	if t == nil {
		return 0
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 {
		return 0
	}
	n := 8 * int(sizes.Sizeof(b))
	if b.Info()&types.IsUnsigned == 0 {
		n--
	}
	return n
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// belowLength: i is the text of len(base) - n.
func belowLength(i, base string) bool {
	n, ok := strings.CutPrefix(i, "len("+base+") - ")
	return ok && isNumber(n) && n != "0"
}

// madeMap: x is a variable that never holds anything but maps that were made in
// this function, so that it is not nil.
func (f *fn) madeMap(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	h := f.localHistory(f.object(id))
	if h == nil {
		return false
	}
	for _, v := range h.values {
		if v == nil {
			return false
		}
		switch v := ast.Unparen(v).(type) {
		case *ast.CompositeLit:
		case *ast.CallExpr:
			if id := calledIdent(v.Fun); id == nil || id.Name != "make" || !f.value(v.Fun).IsBuiltin() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// localHistory is all that a variable of this function is assigned, nil when
// that is not known.
func (f *fn) localHistory(o types.Object) *history {
	if _, local := f.vars[o]; !local || f.usage == nil {
		return nil
	}
	h := f.usage.histories[o]
	if h == nil || h.open || len(h.values) == 0 {
		return nil
	}
	return h
}

// checks are the index checks that have been written on the way to where the
// text ends, each as "index, operand".
type checks struct {
	passed  []string
	scopes  []int  // how many had been passed where the braces around opened
	written string // the check whose failing branch is being written
}

// learn follows a text: what is passed inside braces is not known behind them.
func (c *checks) learn(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if call, ok := strings.CutPrefix(line, "rt.BadIndex("); ok {
			_, c.written, _ = strings.Cut(strings.TrimSuffix(call, ")"), ", ")
		}
		n := len(c.scopes)
		switch {
		case n == 0:
		case strings.HasPrefix(line, "}"):
			c.passed, c.scopes = c.passed[:c.scopes[n-1]], c.scopes[:n-1]
			if line == "}" && c.written != "" {
				c.passed = append(c.passed, c.written)
			}
			c.written = ""
		case strings.HasSuffix(line, ":"):
			c.passed = c.passed[:c.scopes[n-1]]
		}
		if strings.HasSuffix(line, "{") {
			c.scopes = append(c.scopes, len(c.passed))
		}
	}
}

// keep copies what is known.
func (c *checks) keep() checks {
	return checks{slices.Clone(c.passed), slices.Clone(c.scopes), c.written}
}

// checked: base[i] has been checked, and neither can have changed since.
func (f *fn) checked(i, base string) bool {
	if len(f.usage.gotos) > 0 || !f.fixed[i] && !isNumber(i) || !f.fixed[base] {
		return false
	}
	return slices.Contains(f.checks.passed, i+", "+base)
}
