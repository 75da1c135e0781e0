package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
)

type Node interface {
	Render(w io.Writer, c *Context) error
}
type (
	Text  string
	Print struct {
		Expr    Expr
		Filters []Filter
	}
	Loop struct {
		Var  string
		Over Expr
		Body Block
		Else Block
	}
	Cond struct {
		Test       Expr
		Then, Else Block
	}
	Block []Node
)

type Expr func(*Context) (any, error)
type Filter func(any) (any, error)

type Context struct {
	vars   map[string]any
	parent *Context
	depth  int
}

func (c *Context) Get(name string) (any, bool) {
	for ; c != nil; c = c.parent {
		if v, ok := c.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}
func (c *Context) Child(kv ...any) *Context {
	n := &Context{map[string]any{}, c, c.depth + 1}
	for i := 0; i+1 < len(kv); i += 2 {
		n.vars[kv[i].(string)] = kv[i+1]
	}
	return n
}

type RenderError struct {
	Node string
	Err  error
}

func (r RenderError) Error() string { return "render " + r.Node + ": " + r.Err.Error() }
func (r RenderError) Unwrap() error { return r.Err }

var ErrUndefined = errors.New("undefined")

func (t Text) Render(w io.Writer, _ *Context) error {
	_, err := io.WriteString(w, string(t))
	return err
}
func (p *Print) Render(w io.Writer, c *Context) error {
	v, err := p.Expr(c)
	for _, f := range p.Filters {
		if err != nil {
			break
		}
		v, err = f(v)
	}
	if err != nil {
		return RenderError{"print", err}
	}
	_, err = fmt.Fprint(w, v)
	return err
}
func (l *Loop) Render(w io.Writer, c *Context) error {
	over, err := l.Over(c)
	if err != nil {
		return RenderError{"for " + l.Var, err}
	}
	n := 0
	each := func(k, v any) error {
		n++
		return l.Body.Render(w, c.Child(l.Var, v, "key", k, "n", n))
	}
	switch xs := over.(type) {
	case []any:
		for i, x := range xs {
			if err := each(i, x); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(xs)) {
			if err := each(k, xs[k]); err != nil {
				return err
			}
		}
	case string:
		for i, r := range xs {
			if err := each(i, string(r)); err != nil {
				return err
			}
		}
	default:
		return RenderError{"for " + l.Var, fmt.Errorf("cannot iterate %T", over)}
	}
	if n == 0 {
		return l.Else.Render(w, c)
	}
	return nil
}
func truthy(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case int:
		return x != 0
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	}
	return true
}
func (n *Cond) Render(w io.Writer, c *Context) error {
	v, err := n.Test(c)
	if err != nil && !errors.Is(err, ErrUndefined) {
		return err
	}
	if truthy(v) {
		return n.Then.Render(w, c)
	}
	return n.Else.Render(w, c)
}
func (b Block) Render(w io.Writer, c *Context) error {
	for _, n := range b {
		if err := n.Render(w, c); err != nil {
			return err
		}
	}
	return nil
}

var filters = map[string]Filter{
	"upper": func(v any) (any, error) { return strings.ToUpper(fmt.Sprint(v)), nil },
	"len": func(v any) (any, error) {
		switch x := v.(type) {
		case string:
			return len(x), nil
		case []any:
			return len(x), nil
		}
		return nil, fmt.Errorf("len of %T", v)
	},
	"join": func(v any) (any, error) {
		xs, ok := v.([]any)
		if !ok {
			return nil, errors.New("join needs a list")
		}
		return strings.Trim(fmt.Sprint(xs...), "[]"), nil
	},
}

func path(p string) Expr {
	parts := strings.Split(p, ".")
	return func(c *Context) (any, error) {
		v, ok := c.Get(parts[0])
		if !ok {
			return nil, fmt.Errorf("%q %w", parts[0], ErrUndefined)
		}
		for _, k := range parts[1:] {
			m, isMap := v.(map[string]any)
			if !isMap {
				return nil, fmt.Errorf("%s: %T has no %q", p, v, k)
			}
			if v, ok = m[k]; !ok {
				return nil, fmt.Errorf("%q %w", k, ErrUndefined)
			}
		}
		return v, nil
	}
}

type parser struct {
	src string
	end string
}

func (p *parser) block(until ...string) (b Block) {
	for p.src != "" {
		i := strings.IndexByte(p.src, '{')
		if i < 0 {
			b = append(b, Text(p.src))
			p.src = ""
			break
		}
		if i > 0 {
			b = append(b, Text(p.src[:i]))
		}
		j := strings.IndexByte(p.src, '}')
		if j < i {
			panic(fmt.Sprintf("unclosed tag %.8q", p.src[i:]))
		}
		tag := strings.FieldsFunc(p.src[i+1:j], func(r rune) bool { return unicode.IsSpace(r) || r == '|' })
		p.src = p.src[j+1:]
		switch tag[0] {
		case "for":
			l := &Loop{Var: tag[1], Over: path(tag[3])}
			l.Body = p.block("else", "end")
			if p.end == "else" {
				l.Else = p.block("end")
			}
			b = append(b, l)
		case "if":
			c := &Cond{Test: path(tag[1])}
			c.Then = p.block("else", "end")
			if p.end == "else" {
				c.Else = p.block("end")
			}
			b = append(b, c)
		default:
			if slices.Contains(until, tag[0]) {
				p.end = tag[0]
				return b
			}
			pr := &Print{Expr: path(tag[0])}
			for _, f := range tag[1:] {
				fn, ok := filters[f]
				if !ok {
					panic(fmt.Errorf("no filter %q", f))
				}
				pr.Filters = append(pr.Filters, fn)
			}
			b = append(b, pr)
		}
	}
	return
}

func render(src string, data map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse: %v", r)
		}
	}()
	return (&parser{src: src}).block().Render(os.Stdout, &Context{vars: data})
}

func main() {
	data := map[string]any{"title": "Hi", "items": []any{map[string]any{"name": "a", "ok": true}, map[string]any{"name": "b", "ok": false}}, "tags": map[string]any{"z": 1, "y": "two"}, "empty": []any{}}
	for _, t := range []string{
		"{title|upper} {items|len}: {for it in items}{n}.{it.name}{if it.ok}!{else}?{end} {end}", "{for t in tags}{key}={t};{end}", "{for x in empty}x{else}none{end}", "{missing}", "{if missing}a{else}b{end}", "{title.x}", "{for x in title}<{x}>{end}", "{tags|join}", "{title|nope}", "{title", "{for x in nope}{end}", "{items|join}",
	} {
		err := render(t, data)
		var re RenderError
		fmt.Printf(" => %v %t %t\n", err, errors.As(err, &re), errors.Is(err, ErrUndefined))
	}
}
