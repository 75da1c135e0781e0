package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

type Kind int

const (
	EOF Kind = iota
	Num
	Ident
	Op
	LParen
	RParen
	Comma
)

var kindNames = [...]string{EOF: "EOF", Num: "Num", Ident: "Ident", Op: "Op", LParen: "(", RParen: ")", Comma: ","}

func (k Kind) String() string { return kindNames[k] }

type Token struct {
	Kind Kind
	Text string
	Pos  int
}

type SyntaxError struct {
	Pos int
	Msg string
}

func (e SyntaxError) Error() string { return fmt.Sprintf("at %d: %s", e.Pos, e.Msg) }

func lex(s string) (toks []Token, err error) {
	rs := []rune(s)
	for i := 0; i < len(rs); {
		switch r := rs[i]; {
		case unicode.IsSpace(r):
			i++
		case unicode.IsDigit(r) || r == '.':
			j := i
			for j < len(rs) && (unicode.IsDigit(rs[j]) || rs[j] == '.') {
				j++
			}
			toks = append(toks, Token{Num, string(rs[i:j]), i})
			i = j
		case unicode.IsLetter(r):
			j := i
			for ; j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsDigit(rs[j])); j++ {
			}
			toks = append(toks, Token{Ident, string(rs[i:j]), i})
			i = j
		case strings.ContainsRune("+-*/^%", r):
			toks = append(toks, Token{Op, string(r), i})
			i++
		case r == '(', r == ')', r == ',':
			toks = append(toks, Token{map[rune]Kind{'(': LParen, ')': RParen, ',': Comma}[r], string(r), i})
			i++
		default:
			return nil, SyntaxError{i, fmt.Sprintf("unexpected %q (%U)", r, r)}
		}
	}
	return append(toks, Token{Kind: EOF, Pos: len(rs)}), nil
}

type Node interface {
	Eval(env Env) (float64, error)
}
type Env map[string]float64
type (
	Lit    float64
	Var    string
	Binary struct {
		Op   byte
		L, R Node
	}
	Neg  struct{ X Node }
	Call struct {
		Fn   string
		Args []Node
	}
)

var ErrDivZero = errors.New("division by zero")
var funcs = map[string]func(...float64) float64{
	"max": func(xs ...float64) float64 {
		m := math.Inf(-1)
		for _, x := range xs {
			m = max(m, x)
		}
		return m
	},
	"sqrt": func(xs ...float64) float64 { return math.Sqrt(xs[0]) },
	"hyp":  func(xs ...float64) float64 { return math.Hypot(xs[0], xs[1]) },
}

func (l Lit) Eval(Env) (float64, error) { return float64(l), nil }
func (v Var) Eval(env Env) (float64, error) {
	if x, ok := env[string(v)]; ok {
		return x, nil
	}
	return 0, fmt.Errorf("undefined variable %q", string(v))
}
func (n Neg) Eval(env Env) (float64, error) { x, err := n.X.Eval(env); return -x, err }
func (b *Binary) Eval(env Env) (float64, error) {
	l, err1 := b.L.Eval(env)
	r, err2 := b.R.Eval(env)
	if err := errors.Join(err1, err2); err != nil {
		return math.NaN(), err
	}
	switch b.Op {
	case '+':
		return l + r, nil
	case '-':
		return l - r, nil
	case '*':
		return l * r, nil
	case '^':
		return math.Pow(l, r), nil
	case '/', '%':
		if r == 0 {
			return 0, fmt.Errorf("%v %c 0: %w", l, b.Op, ErrDivZero)
		}
		if b.Op == '%' {
			return math.Mod(l, r), nil
		}
		return l / r, nil
	}
	panic("bad op " + string(b.Op))
}
func (c Call) Eval(env Env) (float64, error) {
	f, ok := funcs[c.Fn]
	if !ok {
		return 0, fmt.Errorf("no function %s/%d", c.Fn, len(c.Args))
	}
	args := make([]float64, len(c.Args))
	for i, a := range c.Args {
		var err error
		if args[i], err = a.Eval(env); err != nil {
			return 0, err
		}
	}
	return f(args...), nil
}

type parser struct {
	toks []Token
	i    int
}

func (p *parser) peek() Token { return p.toks[p.i] }
func (p *parser) next() Token { t := p.toks[p.i]; p.i++; return t }

var prec = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3}

func (p *parser) expr(min int) Node {
	left := p.unary()
	for {
		t := p.peek()
		pr := prec[t.Text]
		if t.Kind != Op || pr < min || pr == 0 {
			return left
		}
		p.next()
		q := pr + 1
		if t.Text == "^" {
			q = pr
		}
		left = &Binary{t.Text[0], left, p.expr(q)}
	}
}
func (p *parser) unary() Node {
	switch t := p.next(); t.Kind {
	case Num:
		f, err := strconv.ParseFloat(t.Text, 64)
		if err != nil {
			panic(SyntaxError{t.Pos, err.Error()})
		}
		return Lit(f)
	case Ident:
		if p.peek().Kind != LParen {
			return Var(t.Text)
		}
		p.next()
		c := Call{Fn: t.Text}
		for p.peek().Kind != RParen {
			c.Args = append(c.Args, p.expr(1))
			if p.peek().Kind == Comma {
				p.next()
			}
		}
		p.next()
		return c
	case Op:
		if t.Text == "-" {
			return Neg{p.expr(3)}
		}
		fallthrough
	default:
		panic(SyntaxError{t.Pos, fmt.Sprintf("unexpected %v %q", t.Kind, t.Text)})
	case LParen:
		n := p.expr(1)
		if c := p.next(); c.Kind != RParen {
			panic(SyntaxError{c.Pos, "expected ), got " + c.Kind.String()})
		}
		return n
	}
}

func Parse(s string) (n Node, err error) {
	toks, err := lex(s)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case SyntaxError:
			n, err = nil, r
		default:
			panic(r)
		}
	}()
	p := &parser{toks: toks}
	n = p.expr(1)
	if t := p.peek(); t.Kind != EOF {
		return nil, SyntaxError{t.Pos, "trailing " + strconv.Quote(t.Text)}
	}
	return n, nil
}

func main() {
	env := Env{"x": 3, "y": 4, "pi": math.Pi}
	for _, s := range []string{"1+2*3", "2^3^2", "-(x - 10) % 4", "hyp(x,y)*max(1, 2, y)", "1/(x-3)", "a+b", "2 $ 3", "(1+2", "1 2", "nope(1)", "1..2", "*3", "-2^2", "sqrt(pi)"} {
		n, err := Parse(s)
		if err != nil {
			var se SyntaxError
			fmt.Printf("%-24s parse error %v (syntax=%t pos=%d)\n", s, err, errors.As(err, &se), se.Pos)
			continue
		}
		v, err := n.Eval(env)
		fmt.Printf("%-24s = %8.4f err=%v div0=%v %T\n", s, v, strings.ReplaceAll(fmt.Sprint(err), "\n", "; "), errors.Is(err, ErrDivZero), n)
	}
	n, _ := Parse("1+x*2")
	b := n.(*Binary)
	fmt.Printf("%+v %#v %v\n", b.L, b.R.(*Binary).L, Binary{'+', Lit(1), Var("q")})
}
