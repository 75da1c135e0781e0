package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

type TokenKind uint8

const (
	EOF TokenKind = iota
	Num
	Ident
	Op
	LParen
	RParen
	Comma
)

//go:generate stringer
func (k TokenKind) String() string {
	return [...]string{"EOF", "Num", "Ident", "Op", "LParen", "RParen", "Comma"}[k]
}

type Token struct {
	Kind TokenKind
	Text string
	Pos  int
}

type SyntaxError struct {
	Pos int
	Msg string
}

func (e SyntaxError) Error() string { return "syntax error at " + strconv.Itoa(e.Pos) + ": " + e.Msg }

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
			for j < len(rs) && (unicode.IsLetter(rs[j]) || unicode.IsDigit(rs[j])) {
				j++
			}
			toks = append(toks, Token{Ident, string(rs[i:j]), i})
			i = j
		case strings.ContainsRune("+-*/^=", r):
			toks = append(toks, Token{Op, string(r), i})
			i++
		case r == '(':
			toks = append(toks, Token{LParen, "(", i})
			i++
		case r == ')':
			toks = append(toks, Token{RParen, ")", i})
			i++
		case r == ',':
			toks = append(toks, Token{Comma, ",", i})
			i++
		default:
			return nil, SyntaxError{i, fmt.Sprintf("unexpected %q", r)}
		}
	}
	return append(toks, Token{Kind: EOF, Pos: len(rs)}), nil
}

type Node interface{ Eval(env *Env) float64 }

type (
	Lit    float64
	Var    string
	Binary struct {
		Op   byte
		L, R Node
	}
	Call struct {
		Fn   string
		Args []Node
	}
	Assign struct {
		Name string
		X    Node
	}
	Neg struct{ Node }
)

type Env struct {
	vars map[string]float64
	fns  map[string]func(...float64) float64
}

func (l Lit) Eval(*Env) float64 { return float64(l) }
func (v Var) Eval(e *Env) float64 {
	if x, ok := e.vars[string(v)]; ok {
		return x
	}
	panic(fmt.Errorf("undefined: %s", string(v)))
}
func (n Neg) Eval(e *Env) float64 { return -n.Node.Eval(e) }
func (b *Binary) Eval(e *Env) float64 {
	l, r := b.L.Eval(e), b.R.Eval(e)
	switch b.Op {
	case '+':
		return l + r
	case '-':
		return l - r
	case '*':
		return l * r
	case '/':
		if r == 0 {
			panic(errors.New("division by zero"))
		}
		return l / r
	case '^':
		return math.Pow(l, r)
	}
	panic("bad op " + string(b.Op))
}
func (c Call) Eval(e *Env) float64 {
	f, ok := e.fns[c.Fn]
	if !ok {
		panic(fmt.Errorf("no function %s/%d", c.Fn, len(c.Args)))
	}
	args := make([]float64, 0, len(c.Args))
	for _, a := range c.Args {
		args = append(args, a.Eval(e))
	}
	return f(args...)
}
func (a Assign) Eval(e *Env) float64 { v := a.X.Eval(e); e.vars[a.Name] = v; return v }

type parser struct {
	toks []Token
	pos  int
}

func (p *parser) next() Token { t := p.toks[p.pos]; p.pos++; return t }
func (p *parser) peek() Token { return p.toks[p.pos] }
func (p *parser) fail(t Token, want string) {
	panic(SyntaxError{t.Pos, fmt.Sprintf("got %v %q, want %s", t.Kind, t.Text, want)})
}

var prec = map[string]int{"=": 1, "+": 2, "-": 2, "*": 3, "/": 3, "^": 4}

func (p *parser) expr(min int) Node {
	lhs := p.unary()
	for {
		t := p.peek()
		pr, ok := prec[t.Text]
		if t.Kind != Op || !ok || pr < min {
			return lhs
		}
		p.next()
		if t.Text == "=" {
			v, ok := lhs.(Var)
			if !ok {
				p.fail(t, "variable on the left")
			}
			lhs = Assign{string(v), p.expr(pr)}
			continue
		}
		next := pr + 1
		if t.Text == "^" {
			next = pr
		}
		lhs = &Binary{t.Text[0], lhs, p.expr(next)}
	}
}

func (p *parser) unary() Node {
	switch t := p.next(); t.Kind {
	case Num:
		f, err := strconv.ParseFloat(t.Text, 64)
		if err != nil {
			panic(fmt.Errorf("pos %d: %w", t.Pos, err))
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
	case LParen:
		n := p.expr(1)
		if t := p.next(); t.Kind != RParen {
			p.fail(t, ")")
		}
		return n
	case Op:
		if t.Text == "-" {
			return Neg{p.unary()}
		}
		fallthrough
	default:
		p.fail(t, "operand")
	}
	return nil
}

func eval(env *Env, src string) (res float64, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
		default:
			err = fmt.Errorf("internal: %v", r)
		}
	}()
	toks, err := lex(src)
	if err != nil {
		return 0, err
	}
	p := &parser{toks: toks}
	n := p.expr(1)
	if t := p.peek(); t.Kind != EOF {
		p.fail(t, "end")
	}
	return n.Eval(env), nil
}

func main() {
	env := &Env{vars: map[string]float64{"pi": math.Pi}, fns: map[string]func(...float64) float64{
		"sqrt": func(a ...float64) float64 { return math.Sqrt(a[0]) },
		"max": func(a ...float64) float64 {
			m := math.Inf(-1)
			for _, x := range a {
				m = max(m, x)
			}
			return m
		},
	}}
	for _, src := range []string{"1+2*3", "x = 2^3^2", "x/(4-4)", "max(1, x, 3) - -2", "(1+2", "sqrt(16)+y", "3 $ 4", "1.2.3", "2*pi", "sqrt()", "5 = 3", "foo(1,2)", ""} {
		v, err := eval(env, src)
		var se SyntaxError
		if errors.As(err, &se) {
			fmt.Printf("%-20s syntax@%d %s\n", src, se.Pos, se.Msg)
		} else if err != nil {
			fmt.Printf("%-20s error: %v | %T\n", src, err, errors.Unwrap(err))
		} else {
			fmt.Printf("%-20s %g\n", src, v)
		}
	}
	fmt.Println(len(env.vars), env.vars["x"])
	fmt.Printf("%v %+v %T\n", Token{Op, "+", 3}, Token{Num, "1", 0}, &Binary{})
}
