// A Pratt parser and evaluator with variables, functions and positioned errors.
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
)

//go:generate stringer
func (k Kind) String() string {
	switch k {
	case EOF:
		return "EOF"
	case Num:
		return "Num"
	case Ident:
		return "Ident"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

type Token struct {
	Kind
	Text string
	Pos  int
}

type SyntaxError struct {
	Pos int
	Msg string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d: %s", e.Pos, e.Msg) }

func lex(s string) (toks []Token, err error) {
	rs := []rune(s)
	for i := 0; i < len(rs); {
		start := i
		switch r := rs[i]; {
		case unicode.IsSpace(r):
			i++
			continue
		case unicode.IsDigit(r) || r == '.':
			for i < len(rs) && (unicode.IsDigit(rs[i]) || rs[i] == '.') {
				i++
			}
			toks = append(toks, Token{Num, string(rs[start:i]), start})
		case unicode.IsLetter(r):
			for i < len(rs) && unicode.IsLetter(rs[i]) {
				i++
			}
			toks = append(toks, Token{Ident, string(rs[start:i]), start})
		case strings.ContainsRune("+-*/^(),%", r):
			i++
			toks = append(toks, Token{Op, string(r), start})
		default:
			return toks, &SyntaxError{i, fmt.Sprintf("unexpected %q", r)}
		}
	}
	return append(toks, Token{Pos: len(rs)}), nil
}

type Expr interface {
	Eval(env map[string]float64) float64
}
type (
	lit    float64
	ref    string
	unary  struct{ x Expr }
	binary struct {
		op   byte
		l, r Expr
	}
	call struct {
		fn   string
		args []Expr
	}
)

func (l lit) Eval(map[string]float64) float64 { return float64(l) }
func (r ref) Eval(env map[string]float64) float64 {
	v, ok := env[string(r)]
	if !ok {
		panic(fmt.Errorf("undefined: %s", string(r)))
	}
	return v
}
func (u unary) Eval(env map[string]float64) float64 { return -u.x.Eval(env) }
func (b binary) Eval(env map[string]float64) float64 {
	x, y := b.l.Eval(env), b.r.Eval(env)
	switch b.op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '/':
		return x / y
	case '%':
		return math.Mod(x, y)
	default:
		return math.Pow(x, y)
	}
}

var funcs = map[string]func(...float64) float64{
	"max": func(a ...float64) float64 {
		m := math.Inf(-1)
		for _, x := range a {
			m = max(m, x)
		}
		return m
	},
	"sqrt": func(a ...float64) float64 { return math.Sqrt(a[0]) },
	"sum": func(a ...float64) (s float64) {
		for _, x := range a {
			s += x
		}
		return
	},
}

func (c call) Eval(env map[string]float64) float64 {
	var vs []float64
	for _, a := range c.args {
		vs = append(vs, a.Eval(env))
	}
	return funcs[c.fn](vs...)
}

type parser struct {
	toks []Token
	i    int
}

func (p *parser) peek() Token { return p.toks[p.i] }
func (p *parser) next() (t Token) {
	t = p.toks[p.i]
	if t.Kind != EOF {
		p.i++
	}
	return
}
func (p *parser) fail(t Token, f string, a ...any) { panic(&SyntaxError{t.Pos, fmt.Sprintf(f, a...)}) }

var prec = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 4}

func (p *parser) expr(min int) Expr {
	var left Expr
	switch t := p.next(); {
	case t.Kind == Num:
		v, err := strconv.ParseFloat(t.Text, 64)
		if err != nil {
			p.fail(t, "%v", err)
		}
		left = lit(v)
	case t.Kind == Ident && p.peek().Text == "(":
		p.next()
		c := call{fn: t.Text}
		for p.peek().Text != ")" {
			c.args = append(c.args, p.expr(0))
			if p.peek().Text == "," {
				p.next()
			} else if p.peek().Text != ")" {
				p.fail(p.peek(), "want , or )")
			}
		}
		p.next()
		left = c
	case t.Kind == Ident:
		left = ref(t.Text)
	case t.Text == "-":
		left = unary{p.expr(3)}
	case t.Text == "(":
		left = p.expr(0)
		if t := p.next(); t.Text != ")" {
			p.fail(t, "want ), got %v %q", t.Kind, t.Text)
		}
	default:
		p.fail(t, "unexpected %v %q", t.Kind, t.Text)
	}
	for {
		op := p.peek()
		bp, ok := prec[op.Text]
		if !ok || op.Kind != Op || bp < min {
			return left
		}
		p.next()
		next := bp + 1
		if op.Text == "^" {
			next = bp
		}
		left = binary{op.Text[0], left, p.expr(next)}
	}
}

func Eval(s string, env map[string]float64) (v float64, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *SyntaxError:
			err = r
		case error:
			v, err = math.NaN(), fmt.Errorf("eval %q: %w", s, r)
		default:
			panic(r)
		}
	}()
	toks, err := lex(s)
	if err != nil {
		return 0, err
	}
	p := &parser{toks: toks}
	e := p.expr(0)
	if t := p.peek(); t.Kind != EOF {
		p.fail(t, "trailing %v %q", t.Kind, t.Text)
	}
	return e.Eval(env), nil
}

func main() {
	env := map[string]float64{"x": 3, "pi": math.Pi}
	for _, s := range []string{"1+2*3", "2^3^2", "-x^2", "(1+2)*-3", "max(1, x, sum(1,2,x)) % 4", "sqrt(2)*pi", "1/0", "1 + ", "2 $ 3", "y*2", "(1", "sqrt()", "1 2", "1.2.3"} {
		v, err := Eval(s, env)
		var se *SyntaxError
		if errors.As(err, &se) {
			fmt.Printf("%-28s %s^ %s\n", s, strings.Repeat(".", se.Pos), se.Msg)
		} else {
			fmt.Printf("%-28s %v %v\n", s, v, err)
		}
	}
}
