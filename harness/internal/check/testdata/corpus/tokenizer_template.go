// A mustache-like template engine: tokenizer, nested sections, partials, escaping, context stack, error positions.
package main

import (
	"errors"
	"fmt"
	"html"
	"strings"
)

type kind int

const (
	text kind = iota
	variable
	raw
	section
	inverted
	partial
	comment
)

var kinds = map[byte]kind{'#': section, '^': inverted, '>': partial, '!': comment, '&': raw}

func (k kind) String() string {
	return [...]string{"text", "var", "raw", "section", "inverted", "partial", "comment"}[k]
}

type node struct {
	kind
	val  string
	kids []node
	line int
}

type ParseError struct {
	Line int
	Err  error
}

func (p *ParseError) Error() string { return fmt.Sprintf("line %d: %v", p.Line, p.Err) }
func (p *ParseError) Unwrap() error { return p.Err }

var (
	errUnclosed = errors.New("unclosed tag")
	errSection  = errors.New("section mismatch")
)

type parser struct {
	src  string
	line int
}

func (p *parser) parse(until string) (nodes []node, err error) {
	defer func() {
		var pe *ParseError
		if err != nil && !errors.As(err, &pe) {
			err = &ParseError{p.line, err}
		}
	}()
	for p.src != "" {
		before, after, found := strings.Cut(p.src, "{{")
		if before != "" {
			nodes = append(nodes, node{kind: text, val: before, line: p.line})
			p.line += strings.Count(before, "\n")
		}
		if !found {
			p.src = ""
			break
		}
		tag, rest, ok := strings.Cut(after, "}}")
		if !ok {
			return nodes, errUnclosed
		}
		p.src = rest
		n := node{kind: variable, line: p.line}
		if tag = strings.TrimSpace(tag); tag == "" {
			return nodes, errors.New("empty tag")
		}
		if tag[0] == '/' {
			if name := strings.TrimSpace(tag[1:]); name != until {
				return nodes, fmt.Errorf("%w: want %q, got %q", errSection, until, name)
			}
			return nodes, nil
		}
		if k, ok := kinds[tag[0]]; ok {
			n.kind, tag = k, strings.TrimSpace(tag[1:])
		}
		n.val = tag
		if n.kind == section || n.kind == inverted {
			if n.kids, err = p.parse(tag); err != nil {
				return
			}
		}
		nodes = append(nodes, n)
	}
	if until != "" {
		err = fmt.Errorf("%w: %q never closed", errSection, until)
	}
	return
}

type M = map[string]any

type ctx []any

func (c ctx) lookup(name string) any {
	if name == "." {
		return c[len(c)-1]
	}
	head, tail, dotted := strings.Cut(name, ".")
	for i := len(c) - 1; i >= 0; i-- {
		m, ok := c[i].(M)
		if !ok {
			continue
		}
		if v, ok := m[head]; ok {
			if dotted {
				return ctx{v}.lookup(tail)
			}
			return v
		}
	}
	return nil
}

type renderer struct {
	strings.Builder
	partials map[string][]node
	depth    int
}

func truthy(v any) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	case int, float64:
		return x != 0 && x != 0.0
	}
	return true
}

func (r *renderer) render(nodes []node, c ctx) {
	for _, n := range nodes {
		switch n.kind {
		case text:
			r.WriteString(n.val)
		case variable, raw:
			v := c.lookup(n.val)
			if f, ok := v.(func() string); ok {
				v = f()
			}
			if v == nil {
				continue
			}
			s := fmt.Sprint(v)
			if n.kind == variable {
				s = html.EscapeString(s)
			}
			r.WriteString(s)
		case section:
			switch v := c.lookup(n.val).(type) {
			case []any:
				for _, x := range v {
					r.render(n.kids, append(c[:len(c):len(c)], x))
				}
			case func(string) string:
				sub := renderer{partials: r.partials}
				sub.render(n.kids, c)
				r.WriteString(v(sub.String()))
			default:
				if truthy(v) {
					r.render(n.kids, append(c[:len(c):len(c)], v))
				}
			}
		case inverted:
			if !truthy(c.lookup(n.val)) {
				r.render(n.kids, c)
			}
		case partial:
			if r.depth++; r.depth > 5 {
				panic("partial recursion: " + n.val)
			}
			r.render(r.partials[n.val], c)
			r.depth--
		}
	}
}

func Render(src string, data any, partials M) (out string, err error) {
	r := &renderer{partials: map[string][]node{}}
	defer func() {
		if p := recover(); p != nil {
			out, err = r.String(), fmt.Errorf("render: %v", p)
		}
	}()
	for name, body := range partials {
		if r.partials[name], err = (&parser{body.(string), 1}).parse(""); err != nil {
			return "", fmt.Errorf("partial %s: %w", name, err)
		}
	}
	nodes, err := (&parser{src, 1}).parse("")
	if err != nil {
		return "", err
	}
	r.render(nodes, ctx{data})
	return r.String(), nil
}

func main() {
	data := M{"name": "<Ann>", "n": 0, "user": M{"id": 7, "tags": []any{"a", "b"}}, "items": []any{M{"name": "x", "price": 1.5}, M{"price": 2}},
		"lam": func() string { return "called&" }, "bold": func(s string) string { return "**" + strings.TrimSpace(s) + "**" }, "yes": true}
	for _, src := range []string{
		"Hi {{name}} {{&name}} {{missing}}{{! note }}{{user.id}}",
		"{{#items}}{{name}}={{price}}{{^name}}anon{{/name}};{{/items}}{{^none}}none{{/none}}{{#n}}zero{{/n}}",
		"{{#user}}{{#tags}}[{{.}}{{name}}]{{/tags}}{{/user}} {{lam}} {{&lam}} {{#bold}} {{name}} {{/bold}}{{#yes}}y{{/yes}}",
		"{{>head}} body {{>loop}}",
		"line\n{{#a}}\n{{/b}}", "x{{#open}}y", "bad {{tag", "{{ }}", "{{/stray}}",
	} {
		out, err := Render(src, data, M{"head": "<{{user.id}}>", "loop": "r{{>loop}}"})
		var pe *ParseError
		fmt.Printf("%q %v %t %t\n", out, err, errors.As(err, &pe), errors.Is(err, errSection))
	}
	fmt.Println(Render("x", nil, M{"p": "{{"}))
	fmt.Println(text, section, []kind{raw, partial})
}
