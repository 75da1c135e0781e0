package policy

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/registry/text"
)

// Condition is a boolean expression over one call, such as
//
//	amount > 100 and not (to endsWith "@example.com")
//
// Its names are the arguments of the call; a missing argument is nil. args is the object of all
// arguments, for names that are not identifiers (args["content-type"]), and tool is the ID of the
// tool. The grammar is a subset of github.com/expr-lang/expr:
//
//	and or not == != < <= > >= in contains startsWith endsWith matches + - * / % ?? ?:
//	a.b a?.b a["b"] a[0] [1, 2]
//	all any none one count filter map sum (with # for the element) len lower upper trim split float keys values
//
// A condition depends only on the call and the origins of its values, never on time or chance. The
// pattern of matches is a constant, in the syntax of package regexp.
//
// late, explained, planned and foreign(x) are facts of package flow. late: the script was sent
// after untrusted text may have gone back to the client. explained: trusted texts have all targets
// of the call. planned: a script that is not late declares the tool. foreign(x): untrusted text has
// x, or an address in it, and trusted text does not. An argument with one of these names is
// args.late.
//
// Numbers are compared and computed exactly. Comparing values of two kinds is an error, and so is
// an operator on a value of the wrong kind, including nil. Only == and != accept nil beside any
// value. [Rule] says how an error counts.
type Condition struct {
	text     string
	root     ast.Node
	names    []string
	numbers  map[ast.Node]*big.Rat
	patterns map[ast.Node]*pattern
	flow     bool // it uses facts of package flow
}

// flowFacts are the names of the facts about the origins of a call's values.
var flowFacts = map[string]func(*flow.Facts) bool{
	"late": (*flow.Facts).IsLate, "explained": (*flow.Facts).IsExplained, "planned": (*flow.Facts).IsPlanned,
}

// foreign is the name of the one fact that is a function.
const foreign = "foreign"

// pattern is a compiled regular expression; size is its number of instructions.
type pattern struct {
	*regexp.Regexp
	size int
}

// Limits of a condition: its text in bytes, and its nodes.
const (
	maxCondition = 4096
	maxNodes     = 500
)

// ParseCondition parses a condition. Its error describes the fault and its place.
func ParseCondition(text string) (*Condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New(`the condition is empty; want an expression over arguments (amount > 100)`)
	}
	if len(text) > maxCondition {
		return nil, fmt.Errorf("the condition has %d bytes; the limit is %d", len(text), maxCondition)
	}
	grammar := conf.CreateNew()
	grammar.MaxNodes = maxNodes
	tree, err := parser.ParseWithConfig(text, grammar)
	if err != nil {
		var e *file.Error
		if errors.As(err, &e) {
			return nil, fmt.Errorf("%s, at character %d of %s", e.Message, e.From+1, text)
		}
		return nil, fmt.Errorf("%w in %s", err, text)
	}
	c := &Condition{text: text, root: tree.Node, numbers: map[ast.Node]*big.Rat{}, patterns: map[ast.Node]*pattern{}}
	k, err := c.check(c.root)
	if err == nil && k != unknown && k != boolean {
		err = fmt.Errorf("its value is %s; want true or false", k)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return c, nil
}

// String returns the condition as it was written.
func (c *Condition) String() string { return c.text }

// MarshalText returns the condition as it was written.
func (c *Condition) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// Arguments returns the names of the arguments that the condition reads by name alone, without
// duplicates, in the order of first use.
func (c *Condition) Arguments() []string { return slices.Clone(c.names) }

// UsesFlow reports whether the condition uses facts about the origins of values: see package flow.
func (c *Condition) UsesFlow() bool { return c.flow }

// kind is the static or actual kind of a value.
type kind string

// The kinds of values.
const (
	unknown kind = "a value of any kind"
	nothing kind = "nil"
	boolean kind = "true or false"
	number  kind = "a number"
	words   kind = "a text"
	list    kind = "a list"
	object  kind = "an object"
)

// functions are the functions of conditions, with the kind of their first argument and of their
// result.
var functions = map[string]struct {
	of, gives kind
	most      int // arguments
}{
	"all": {list, boolean, 2}, "any": {list, boolean, 2}, "none": {list, boolean, 2}, "one": {list, boolean, 2},
	"count": {list, number, 2}, "sum": {list, number, 2}, "filter": {list, list, 2}, "map": {list, list, 2},
	"len": {unknown, number, 1}, "lower": {words, words, 1}, "upper": {words, words, 1}, "trim": {words, words, 1},
	"split": {words, list, 2}, "float": {unknown, number, 1}, "keys": {object, list, 1}, "values": {object, list, 1},
}

// operators are the binary operators, with the kind of both operands (unknown permits any) and of
// the result.
var operators = map[string]struct{ of, gives kind }{
	"and": {boolean, boolean}, "&&": {boolean, boolean}, "or": {boolean, boolean}, "||": {boolean, boolean},
	"==": {unknown, boolean}, "!=": {unknown, boolean}, "in": {unknown, boolean},
	"<": {unknown, boolean}, "<=": {unknown, boolean}, ">": {unknown, boolean}, ">=": {unknown, boolean},
	"contains": {words, boolean}, "startsWith": {words, boolean}, "endsWith": {words, boolean},
	"matches": {words, boolean},
	"+":       {number, number}, "-": {number, number}, "*": {number, number}, "/": {number, number},
	"%": {number, number}, "??": {unknown, unknown},
}

// check returns the kind of a node. It returns an error if the node can never be evaluated, or is
// not part of the language.
func (c *Condition) check(n ast.Node) (kind, error) {
	switch n := n.(type) {
	case *ast.NilNode:
		return nothing, nil
	case *ast.BoolNode:
		return boolean, nil
	case *ast.StringNode:
		return words, nil
	case *ast.IntegerNode:
		c.numbers[n] = new(big.Rat).SetInt64(int64(n.Value))
		return number, nil
	case *ast.FloatNode:
		r, err := decimal(c.written(n))
		c.numbers[n] = r
		return number, err
	case *ast.IdentifierNode:
		return c.name(n.Value)
	case *ast.PointerNode:
		if n.Name == "index" {
			return number, nil
		}
		if n.Name != "" {
			return unknown, fmt.Errorf("unknown name #%s; want # or #index", n.Name)
		}
		return unknown, nil
	case *ast.UnaryNode:
		of, gives := boolean, boolean
		if n.Operator == "-" || n.Operator == "+" {
			of, gives = number, number
		}
		return gives, c.wants(n.Operator, of, n.Node)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		if err := c.wants("a choice (?:)", boolean, n.Cond); err != nil {
			return unknown, err
		}
		return unknown, c.all(n.Exp1, n.Exp2)
	case *ast.ChainNode:
		return c.check(n.Node)
	case *ast.MemberNode:
		return unknown, c.all(n.Node, n.Property)
	case *ast.ArrayNode:
		return list, c.all(n.Nodes...)
	case *ast.PredicateNode:
		return c.check(n.Node)
	case *ast.BuiltinNode:
		return c.call(n)
	case *ast.CallNode:
		f, ok := n.Callee.(*ast.IdentifierNode)
		if ok && f.Value == foreign {
			c.flow = true
			if len(n.Arguments) != 1 {
				return unknown, fmt.Errorf("%s has %d arguments, wants 1", foreign, len(n.Arguments))
			}
			return boolean, c.all(n.Arguments...)
		}
		if ok {
			return unknown, fmt.Errorf("unknown function %s; the functions are %s", f.Value, text.List(functionNames(), 20))
		}
		return unknown, errors.New("only functions can be called")
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		return unknown, errors.New("want one expression, without let and ;")
	}
	return unknown, fmt.Errorf("conditions do not support %s", cut(n))
}

func (c *Condition) all(nodes ...ast.Node) error {
	for _, n := range nodes {
		if _, err := c.check(n); err != nil {
			return err
		}
	}
	return nil
}

// name records an argument that the condition reads, and returns the kind of the name.
func (c *Condition) name(name string) (kind, error) {
	switch {
	case name == "args":
		return object, nil
	case name == "tool":
		return words, nil
	case flowFacts[name] != nil:
		c.flow = true
		return boolean, nil
	case strings.HasPrefix(name, "$"):
		return unknown, fmt.Errorf("unknown name %s; args has all arguments", name)
	}
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
	return unknown, nil
}

// wants returns an error if a node is known to have another kind than an operator or function
// needs.
func (c *Condition) wants(what string, want kind, n ast.Node) error {
	k, err := c.check(n)
	if err == nil && want != unknown && k != unknown && k != want {
		err = fmt.Errorf("%s wants %s, and %s is %s", what, want, cut(n), k)
	}
	return err
}

func (c *Condition) binary(n *ast.BinaryNode) (kind, error) {
	op, ok := operators[n.Operator]
	if !ok {
		return unknown, fmt.Errorf("conditions do not support the operator %s", n.Operator)
	}
	if left, ok := n.Left.(*ast.UnaryNode); ok && op.gives == boolean && op.of != boolean &&
		(left.Operator == "not" || left.Operator == "!") {
		return unknown, fmt.Errorf("%s binds more closely than %s; want parentheses: not (… %s …)", left.Operator,
			n.Operator, n.Operator)
	}
	for _, side := range []ast.Node{n.Left, n.Right} {
		if err := c.wants(n.Operator, op.of, side); err != nil {
			return unknown, err
		}
	}
	if n.Operator == "in" {
		if k, err := c.check(n.Right); err == nil && k != unknown && k != list && k != object {
			return unknown, fmt.Errorf("in wants a list or an object, and %s is %s", cut(n.Right), k)
		}
	}
	if n.Operator == "matches" {
		return op.gives, c.pattern(n)
	}
	return op.gives, nil
}

// pattern compiles the right operand of the operator "matches".
func (c *Condition) pattern(n *ast.BinaryNode) error {
	p, ok := n.Right.(*ast.StringNode)
	if !ok {
		return fmt.Errorf("matches wants its pattern in quotes, not %s", cut(n.Right))
	}
	re, err := regexp.Compile(p.Value)
	if err != nil {
		return err
	}
	parsed, err := syntax.Parse(p.Value, syntax.Perl)
	if err != nil {
		return err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return err
	}
	c.patterns[n] = &pattern{re, len(program.Inst)}
	return nil
}

func (c *Condition) call(n *ast.BuiltinNode) (kind, error) {
	f, ok := functions[n.Name]
	if !ok {
		return unknown, fmt.Errorf("function %s cannot be used here; the functions are %s", n.Name, text.List(functionNames(), 20))
	}
	least := f.most
	if n.Name == "sum" || n.Name == "count" {
		least = 1
	}
	if len(n.Arguments) < least || len(n.Arguments) > f.most {
		return unknown, fmt.Errorf("%s has %d arguments, wants %d", n.Name, len(n.Arguments), f.most)
	}
	if err := c.wants(n.Name, f.of, n.Arguments[0]); err != nil {
		return unknown, err
	}
	if len(n.Arguments) == 1 {
		return f.gives, nil
	}
	of := unknown
	switch n.Name {
	case "all", "any", "none", "one", "count", "filter":
		of = boolean
	case "sum":
		of = number
	case "split":
		of = words
	}
	return f.gives, c.wants(n.Name, of, n.Arguments[1])
}

func functionNames() []string {
	names := []string{foreign}
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// written returns the text of a literal without underscores.
func (c *Condition) written(n ast.Node) string {
	at := n.Location()
	runes := []rune(c.text)
	if at.From < 0 || at.To > len(runes) || at.From > at.To {
		return ""
	}
	return strings.ReplaceAll(string(runes[at.From:at.To]), "_", "")
}

// cut returns a part of a condition, shortened for a message.
func cut(n ast.Node) string { return text.Cut(n.String(), 60) }
