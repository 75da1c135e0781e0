package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/usetools/usetools/harness/flow"
)

// maxSteps limits the work of one evaluation. A step is a node, a list element, or some bytes of a
// text. That many steps take less than a second.
const maxSteps = 5_000_000

// maxDigits limits the digits of a number, and its exponent.
const maxDigits = 400

var errSteps = errors.New("evaluation takes too long for these arguments")

// errNoMember ends a chain with ?. at nil.
var errNoMember = errors.New("?. of nil")

// Holds reports whether the condition is true for a call of a tool. Numbers in args are
// json.Number. facts describe the origins of the values, and may be nil. An error says why the
// condition cannot be evaluated; it contains no argument values.
func (c *Condition) Holds(tool string, args map[string]any, facts *flow.Facts) (bool, error) {
	e := &evaluation{c: c, tool: tool, args: args, facts: facts, left: maxSteps}
	v, err := e.eval(c.root)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("its value is %s; want true or false", kindOf(v))
	}
	return b, nil
}

// evaluation is the state of one evaluation. Values are nil, bool, json.Number, *big.Rat, string,
// []any and map[string]any.
type evaluation struct {
	c        *Condition
	tool     string
	args     map[string]any
	facts    *flow.Facts
	elements []element // innermost last
	left     int       // steps that may still be taken
}

// element is the current value of #.
type element struct {
	value any
	index int
}

// spend takes steps from the budget. It returns errSteps if the budget is used up.
func (e *evaluation) spend(steps int) error {
	if e.left -= steps; e.left < 0 {
		return errSteps
	}
	return nil
}

func (e *evaluation) eval(n ast.Node) (any, error) {
	if err := e.spend(1); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *ast.NilNode:
		return nil, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode:
		return e.c.numbers[n], nil
	case *ast.IdentifierNode:
		switch n.Value {
		case "args":
			return e.args, nil
		case "tool":
			return e.tool, nil
		}
		if fact := flowFacts[n.Value]; fact != nil {
			return fact(e.facts), nil
		}
		return e.args[n.Value], nil
	case *ast.PointerNode:
		at := e.elements[len(e.elements)-1]
		if n.Name == "index" {
			return new(big.Rat).SetInt64(int64(at.index)), nil
		}
		return at.value, nil
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.ConditionalNode:
		b, err := as[bool](e, n.Cond, "?:", boolean)
		if err != nil {
			return nil, err
		}
		if b {
			return e.eval(n.Exp1)
		}
		return e.eval(n.Exp2)
	case *ast.ChainNode:
		v, err := e.eval(n.Node)
		if err == errNoMember {
			return nil, nil
		}
		return v, err
	case *ast.MemberNode:
		return e.member(n)
	case *ast.ArrayNode:
		out := make([]any, len(n.Nodes))
		for i, x := range n.Nodes {
			var err error
			if out[i], err = e.eval(x); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *ast.PredicateNode:
		return e.eval(n.Node)
	case *ast.BuiltinNode:
		return e.call(n)
	case *ast.CallNode: // only foreign passes check
		v, err := e.eval(n.Arguments[0])
		return err == nil && e.facts.IsForeign(v), err
	}
	return nil, fmt.Errorf("conditions do not support %s", cut(n)) // unreachable after check
}

// as evaluates a node whose value must be a T.
func as[T any](e *evaluation, n ast.Node, what string, want kind) (T, error) {
	v, err := e.eval(n)
	t, ok := v.(T)
	if err == nil && !ok {
		err = fmt.Errorf("%s wants %s, and %s is %s", what, want, cut(n), kindOf(v))
	}
	return t, err
}

// number evaluates a node whose value must be a number.
func (e *evaluation) number(n ast.Node, what string) (*big.Rat, error) {
	v, err := e.eval(n)
	if err != nil {
		return nil, err
	}
	if kindOf(v) != number {
		return nil, fmt.Errorf("%s wants a number, and %s is %s", what, cut(n), kindOf(v))
	}
	return e.rational(v)
}

func (e *evaluation) unary(n *ast.UnaryNode) (any, error) {
	switch n.Operator {
	case "-", "+":
		r, err := e.number(n.Node, n.Operator)
		if err != nil || n.Operator == "+" {
			return r, err
		}
		return new(big.Rat).Neg(r), nil
	}
	b, err := as[bool](e, n.Node, n.Operator, boolean)
	return !b, err
}

func (e *evaluation) binary(n *ast.BinaryNode) (any, error) {
	switch op := n.Operator; op {
	case "and", "&&", "or", "||":
		b, err := as[bool](e, n.Left, op, boolean)
		if or := op == "or" || op == "||"; err != nil || b == or {
			return b, err
		}
		return as[bool](e, n.Right, op, boolean)
	case "??":
		if v, err := e.eval(n.Left); err != nil || v != nil {
			return v, err
		}
		return e.eval(n.Right)
	case "contains", "startsWith", "endsWith", "matches":
		return e.texts(n)
	case "+", "-", "*", "/", "%":
		return e.arithmetic(n)
	}
	a, err := e.eval(n.Left)
	if err != nil {
		return nil, err
	}
	b, err := e.eval(n.Right)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "==":
		return e.equal(a, b)
	case "!=":
		same, err := e.equal(a, b)
		return !same, err
	case "in":
		return e.in(a, b, n)
	}
	order, err := e.compare(a, b, n)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

func (e *evaluation) texts(n *ast.BinaryNode) (any, error) {
	a, err := as[string](e, n.Left, n.Operator, words)
	if err != nil {
		return nil, err
	}
	b, err := as[string](e, n.Right, n.Operator, words)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "contains":
		return strings.Contains(a, b), e.spend((len(a) + len(b)) / 16)
	case "startsWith":
		return strings.HasPrefix(a, b), nil
	case "endsWith":
		return strings.HasSuffix(a, b), nil
	}
	p := e.c.patterns[n]
	if err := e.spend(len(a) / 8 * (8 + p.size)); err != nil {
		return nil, err
	}
	return p.MatchString(a), nil
}

func (e *evaluation) arithmetic(n *ast.BinaryNode) (any, error) {
	a, err := e.number(n.Left, n.Operator)
	if err != nil {
		return nil, err
	}
	b, err := e.number(n.Right, n.Operator)
	if err != nil {
		return nil, err
	}
	out := new(big.Rat)
	switch n.Operator {
	case "+":
		return out.Add(a, b), nil
	case "-":
		return out.Sub(a, b), nil
	case "*":
		return out.Mul(a, b), nil
	}
	if b.Sign() == 0 {
		return nil, fmt.Errorf("division by zero: %s is 0", cut(n.Right))
	}
	if n.Operator == "/" {
		return out.Quo(a, b), nil
	}
	if !a.IsInt() || !b.IsInt() {
		return nil, errors.New("% wants whole numbers")
	}
	return out.SetInt(new(big.Int).Rem(a.Num(), b.Num())), nil
}

// equal compares two values of one kind, or any value with nil.
func (e *evaluation) equal(a, b any) (bool, error) {
	if err := e.spend(1); err != nil {
		return false, err
	}
	ka, kb := kindOf(a), kindOf(b)
	if ka == nothing || kb == nothing {
		return ka == kb, nil
	}
	if ka != kb {
		return false, mismatch(ka, kb)
	}
	switch a := a.(type) {
	case bool:
		return a == b.(bool), nil
	case string:
		return a == b.(string), e.spend(len(a) / 16)
	case []any:
		b := b.([]any)
		if len(a) != len(b) {
			return false, nil
		}
		for i := range a {
			if same, err := e.equal(a[i], b[i]); err != nil || !same {
				return false, err
			}
		}
		return true, nil
	case map[string]any:
		b := b.(map[string]any)
		if len(a) != len(b) {
			return false, nil
		}
		return e.equalObjects(a, b)
	}
	x, err := e.rational(a)
	if err != nil {
		return false, err
	}
	y, err := e.rational(b)
	return err == nil && x.Cmp(y) == 0, err
}

// equalObjects compares objects with equally many members, in the order of their keys, so that the
// result does not depend on map order.
func (e *evaluation) equalObjects(a, b map[string]any) (bool, error) {
	for _, key := range sortedKeys(a) {
		y, ok := b[key]
		if !ok {
			return false, nil
		}
		if same, err := e.equal(a[key], y); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// in reports whether a list has an equal element, or an object has a key.
func (e *evaluation) in(a, b any, n *ast.BinaryNode) (bool, error) {
	switch b := b.(type) {
	case []any:
		var odd error
		for _, x := range b {
			same, err := e.equal(a, x)
			if same && err == nil || err == errSteps {
				return same, err
			}
			if err != nil {
				odd = err
			}
		}
		return false, odd
	case map[string]any:
		key, ok := a.(string)
		if !ok {
			return false, fmt.Errorf("in an object wants a text, and %s is %s", cut(n.Left), kindOf(a))
		}
		_, has := b[key]
		return has, nil
	}
	return false, fmt.Errorf("in wants a list or an object, and %s is %s", cut(n.Right), kindOf(b))
}

// compare orders two numbers or two texts.
func (e *evaluation) compare(a, b any, n *ast.BinaryNode) (int, error) {
	ka, kb := kindOf(a), kindOf(b)
	switch {
	case ka != number && ka != words:
		return 0, fmt.Errorf("%s wants numbers or texts, and %s is %s", n.Operator, cut(n.Left), ka)
	case kb != number && kb != words:
		return 0, fmt.Errorf("%s wants numbers or texts, and %s is %s", n.Operator, cut(n.Right), kb)
	case ka != kb:
		return 0, mismatch(ka, kb)
	case ka == words:
		return strings.Compare(a.(string), b.(string)), nil
	}
	x, err := e.rational(a)
	if err != nil {
		return 0, err
	}
	y, err := e.rational(b)
	if err != nil {
		return 0, err
	}
	return x.Cmp(y), nil
}

func mismatch(a, b kind) error { return fmt.Errorf("cannot compare %s with %s", a, b) }

func (e *evaluation) member(n *ast.MemberNode) (any, error) {
	of, err := e.eval(n.Node)
	if err != nil {
		return nil, err
	}
	if of == nil && n.Optional {
		return nil, errNoMember
	}
	switch of := of.(type) {
	case map[string]any:
		key, err := as[string](e, n.Property, "a member of "+cut(n.Node), words)
		if err != nil {
			return nil, err
		}
		return of[key], nil
	case []any:
		r, err := e.number(n.Property, "an element of "+cut(n.Node))
		if err != nil {
			return nil, err
		}
		if !r.IsInt() || !r.Num().IsInt64() {
			return nil, fmt.Errorf("%s has no such element", cut(n.Node))
		}
		i := r.Num().Int64()
		if i < 0 {
			i += int64(len(of))
		}
		if i < 0 || i >= int64(len(of)) {
			return nil, fmt.Errorf("%s has no such element", cut(n.Node))
		}
		return of[i], nil
	}
	return nil, fmt.Errorf("%s is %s, which has no members", cut(n.Node), kindOf(of))
}

func (e *evaluation) call(n *ast.BuiltinNode) (any, error) {
	v, err := e.eval(n.Arguments[0])
	if err != nil {
		return nil, err
	}
	f := functions[n.Name]
	if k := kindOf(v); f.of != unknown && k != f.of {
		return nil, fmt.Errorf("%s wants %s, and %s is %s", n.Name, f.of, cut(n.Arguments[0]), k)
	}
	switch v := v.(type) {
	case string:
		return e.ofText(n, v)
	case []any:
		if n.Name == "len" {
			return new(big.Rat).SetInt64(int64(len(v))), nil
		}
		if f.of == list {
			return e.ofList(n, v)
		}
	case map[string]any:
		return e.ofObject(n, v)
	case json.Number, *big.Rat:
		if n.Name == "float" {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s of %s, which is %s", n.Name, cut(n.Arguments[0]), kindOf(v))
}

func (e *evaluation) ofText(n *ast.BuiltinNode, v string) (any, error) {
	if err := e.spend(len(v) / 4); err != nil {
		return nil, err
	}
	switch n.Name {
	case "len":
		return new(big.Rat).SetInt64(int64(len([]rune(v)))), nil
	case "lower":
		return strings.ToLower(v), nil
	case "upper":
		return strings.ToUpper(v), nil
	case "trim":
		return strings.TrimSpace(v), nil
	case "float":
		return decimal(strings.TrimSpace(v))
	}
	by, err := as[string](e, n.Arguments[1], n.Name, words)
	if err != nil {
		return nil, err
	}
	if err := e.spend(len(v)); err != nil {
		return nil, err
	}
	var out []any
	for _, part := range strings.Split(v, by) {
		out = append(out, part)
	}
	return out, nil
}

func (e *evaluation) ofObject(n *ast.BuiltinNode, v map[string]any) (any, error) {
	if err := e.spend(4 * len(v)); err != nil {
		return nil, err
	}
	var out []any
	for _, key := range sortedKeys(v) {
		if n.Name == "values" {
			out = append(out, v[key])
		} else {
			out = append(out, key)
		}
	}
	switch n.Name {
	case "len":
		return new(big.Rat).SetInt64(int64(len(v))), nil
	case "keys", "values":
		return out, nil
	}
	return nil, fmt.Errorf("%s of %s, which is an object", n.Name, cut(n.Arguments[0]))
}

// ofList calls a function with a predicate. It evaluates the predicate for every element, so that
// an error depends on the arguments alone.
func (e *evaluation) ofList(n *ast.BuiltinNode, v []any) (any, error) {
	var out []any
	sum := new(big.Rat)
	count := 0
	e.elements = append(e.elements, element{})
	defer func() { e.elements = e.elements[:len(e.elements)-1] }()
	for i, x := range v {
		e.elements[len(e.elements)-1] = element{x, i}
		y := x
		if len(n.Arguments) == 2 {
			var err error
			if y, err = e.eval(n.Arguments[1]); err != nil {
				return nil, err
			}
		}
		if err := e.spend(10); err != nil {
			return nil, err
		}
		switch n.Name {
		case "map":
			out = append(out, y)
			continue
		case "sum":
			if kindOf(y) != number {
				return nil, fmt.Errorf("sum wants numbers, and %s contains %s", cut(n.Arguments[0]), kindOf(y))
			}
			r, err := e.rational(y)
			if err != nil {
				return nil, err
			}
			sum.Add(sum, r)
			continue
		}
		b, ok := y.(bool)
		if !ok {
			return nil, fmt.Errorf("%s wants true or false of each element of %s, and got %s", n.Name, cut(n.Arguments[0]),
				kindOf(y))
		}
		if b {
			count++
			out = append(out, x)
		}
	}
	switch n.Name {
	case "map", "filter":
		return out, nil
	case "sum":
		return sum, nil
	case "count":
		return new(big.Rat).SetInt64(int64(count)), nil
	case "all":
		return count == len(v), nil
	case "any":
		return count > 0, nil
	case "none":
		return count == 0, nil
	}
	return count == 1, nil
}

// kindOf returns the kind of a value.
func kindOf(v any) kind {
	switch v.(type) {
	case nil:
		return nothing
	case bool:
		return boolean
	case json.Number, *big.Rat:
		return number
	case string:
		return words
	case []any:
		return list
	case map[string]any:
		return object
	}
	return kind(reflect.TypeOf(v).String())
}

// rational returns the exact value of a number.
func (e *evaluation) rational(v any) (*big.Rat, error) {
	if err := e.spend(50); err != nil {
		return nil, err
	}
	if n, ok := v.(json.Number); ok {
		return decimal(string(n))
	}
	return v.(*big.Rat), nil
}

// decimal parses a number in JSON syntax. It returns an error for a number that needs much memory.
func decimal(s string) (*big.Rat, error) {
	mantissa, exponent := s, "0"
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e > maxDigits || e < -maxDigits || len(mantissa) > maxDigits {
		return nil, fmt.Errorf("a number has more than %d digits", maxDigits)
	}
	if mantissa == "" || strings.Trim(mantissa, "+-.0123456789") != "" {
		return nil, errors.New("a text is not a number")
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, errors.New("a text is not a number")
	}
	return r, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
