// Plugins registered in init functions and package variables with dependent initialisation order.
package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Plugin interface {
	Name() string
	Run(in string) (string, error)
}

type Configurable interface {
	Plugin
	Configure(map[string]any) error
}

type Factory func() Plugin

var (
	total    = len(registry) + offset()
	registry = map[string]Factory{"noop": func() Plugin { return noop{} }}
	order    []string
	base     = 10
)

func offset() int { order = append(order, fmt.Sprint("offset", base)); return base }

func init() {
	Register("upper", func() Plugin { return simple{"upper", strings.ToUpper} })
	order = append(order, "init1")
}

func init() {
	Register("repeat", func() Plugin { return &repeat{n: 1} })
	Register("pipe", func() Plugin { return new(pipe) })
	order = append(order, "init2")
}

func Register(name string, f Factory) {
	if _, dup := registry[name]; dup {
		panic("duplicate plugin " + name)
	}
	registry[name] = f
}

type noop struct{}

func (noop) Name() string                  { return "noop" }
func (noop) Run(in string) (string, error) { return in, nil }

type simple struct {
	name string
	f    func(string) string
}

func (s simple) Name() string                  { return s.name }
func (s simple) Run(in string) (string, error) { return s.f(in), nil }

type repeat struct {
	noop
	n   int
	sep string
}

func (r *repeat) Name() string { return fmt.Sprintf("repeat(%d)", r.n) }
func (r *repeat) Run(in string) (out string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", r.Name(), p)
		}
	}()
	return strings.TrimSuffix(strings.Repeat(in+r.sep, r.n), r.sep), nil
}
func (r *repeat) Configure(c map[string]any) error {
	for k, v := range c {
		switch k {
		case "n":
			n, ok := v.(int)
			if !ok {
				return fmt.Errorf("n: want int, got %T", v)
			}
			r.n = n
		case "sep":
			r.sep = fmt.Sprint(v)
		default:
			return fmt.Errorf("unknown option %q", k)
		}
	}
	return nil
}

type pipe []Plugin

func (p pipe) Name() string {
	var ns []string
	for _, x := range p {
		ns = append(ns, x.Name())
	}
	return strings.Join(ns, "|")
}
func (p pipe) Run(in string) (string, error) {
	var err error
	for i, x := range p {
		prev := in
		if in, err = x.Run(in); err != nil {
			return prev, fmt.Errorf("stage %d: %w", i, err)
		}
	}
	return in, nil
}
func (p *pipe) Configure(c map[string]any) (err error) {
	stages, _ := c["stages"].([]any)
	for _, s := range stages {
		switch s := s.(type) {
		case string:
			var x Plugin
			x, err = Make(s, nil)
			*p = append(*p, x)
		case Plugin:
			*p = append(*p, s)
		}
		if err != nil {
			return err
		}
	}
	return
}

var errUnknown = errors.New("unknown plugin")

func Make(name string, cfg map[string]any) (p Plugin, err error) {
	f, ok := registry[name]
	if !ok {
		return noop{}, fmt.Errorf("%w: %s", errUnknown, name)
	}
	p = f()
	if c, ok := p.(Configurable); ok {
		err = c.Configure(cfg)
	} else if len(cfg) > 0 {
		err = fmt.Errorf("%s takes no options", p.Name())
	}
	return
}

func main() {
	fmt.Println(total, order, slices.Sorted(maps.Keys(registry)))
	rep, err := Make("repeat", map[string]any{"n": 2, "sep": '-'})
	fmt.Println(rep.Name(), err)
	for _, c := range []struct {
		name string
		cfg  map[string]any
	}{
		{"noop", nil}, {"upper", nil}, {"upper", map[string]any{"x": 1}}, {"repeat", map[string]any{"n": 3}}, {"repeat", map[string]any{"n": "3"}}, {"repeat", map[string]any{"n": -1}},
		{"pipe", map[string]any{"stages": []any{"upper", rep, simple{"rev", func(s string) string { b := []byte(s); slices.Reverse(b); return string(b) }}}}},
		{"pipe", map[string]any{"stages": []any{"upper", "ghost"}}}, {"nope", nil}, {"pipe", map[string]any{"stages": []any{"upper", &repeat{n: -5}, "noop"}}},
	} {
		p, err := Make(c.name, c.cfg)
		out, rerr := p.Run("ab")
		fmt.Printf("%-22s %q %v %v %t\n", p.Name(), out, err, rerr, errors.Is(err, errUnknown))
	}
	defer func() { fmt.Println(recover()) }()
	Register("noop", nil)
}
