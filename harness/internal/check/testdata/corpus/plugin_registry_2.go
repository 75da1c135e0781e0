package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type Plugin interface {
	Name() string
	Run(in any) (out any, err error)
}
type Configurable interface {
	Configure(map[string]any) error
}
type Closer interface{ Close() error }

type PluginFunc func(any) (any, error)

func (f PluginFunc) Run(in any) (any, error) { return f(in) }

type namedFunc struct {
	PluginFunc
	name string
}

func (n namedFunc) Name() string { return n.name }

type BasePlugin struct {
	name   string
	config map[string]any
	runs   int
}

func (b *BasePlugin) Name() string                     { return b.name }
func (b *BasePlugin) Configure(c map[string]any) error { b.config = c; return nil }
func (b *BasePlugin) opt(key string, def any) any {
	if v, ok := b.config[key]; ok {
		return v
	}
	return def
}

type Grep struct {
	*BasePlugin
	matches int
}

func (g *Grep) Run(in any) (any, error) {
	g.runs++
	lines, ok := in.([]string)
	if !ok {
		return nil, &TypeError{Plugin: g.name, Got: in}
	}
	pat := g.opt("pattern", "").(string)
	var out []string
	for _, l := range lines {
		if strings.Contains(l, pat) {
			out = append(out, l)
			g.matches++
		}
	}
	return out, nil
}

type Counter struct {
	BasePlugin
	total int
}

func (c *Counter) Configure(m map[string]any) error {
	if n, ok := m["start"].(float64); ok {
		c.total = int(n)
		return c.BasePlugin.Configure(m)
	}
	return fmt.Errorf("counter: start must be a number, got %T", m["start"])
}
func (c *Counter) Run(in any) (any, error) {
	switch x := in.(type) {
	case []string:
		c.total += len(x)
	case string, fmt.Stringer:
		c.total++
	case nil:
		return nil, errors.New("counter: nil input")
	case map[string]any:
		c.total += len(x)
	default:
		return x, &TypeError{c.Name(), x}
	}
	return c.total, nil
}
func (c *Counter) Close() error { return fmt.Errorf("counter closed at %d", c.total) }

type TypeError struct {
	Plugin string
	Got    any
}

func (t *TypeError) Error() string { return fmt.Sprintf("%s: cannot handle %T", t.Plugin, t.Got) }

type Registry struct {
	factories map[string]func() Plugin
	live      []Plugin
}

func (r *Registry) Register(name string, f func() Plugin) {
	if r.factories == nil {
		r.factories = map[string]func() Plugin{}
	}
	if _, dup := r.factories[name]; dup {
		panic("duplicate plugin " + name)
	}
	r.factories[name] = f
}

func (r *Registry) Build(spec string) (chain []Plugin, err error) {
	var specs []struct {
		Use  string
		With map[string]any
	}
	if err := json.Unmarshal([]byte(spec), &specs); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	for i, s := range specs {
		f := r.factories[s.Use]
		if f == nil {
			names := make([]string, 0, len(r.factories))
			for n := range r.factories {
				names = append(names, n)
			}
			sort.Strings(names)
			return chain, fmt.Errorf("step %d: no plugin %q (have %s)", i, s.Use, strings.Join(names, ", "))
		}
		p := f()
		if s.With != nil {
			c, ok := p.(Configurable)
			if !ok {
				return chain, fmt.Errorf("step %d: %s takes no configuration", i, p.Name())
			}
			if err := c.Configure(s.With); err != nil {
				return chain, err
			}
		}
		chain = append(chain, p)
		r.live = append(r.live, p)
	}
	return
}

func Run(chain []Plugin, in any) (out any, err error) {
	out = in
	for _, p := range chain {
		if out, err = p.Run(out); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
	}
	return
}

func main() {
	var r Registry
	r.Register("grep", func() Plugin { return &Grep{BasePlugin: &BasePlugin{name: "grep"}} })
	r.Register("count", func() Plugin { return &Counter{BasePlugin: BasePlugin{name: "count"}} })
	r.Register("upper", func() Plugin {
		return namedFunc{func(in any) (any, error) {
			var out []string
			for _, s := range in.([]string) {
				out = append(out, strings.ToUpper(s))
			}
			return out, nil
		}, "upper"}
	})
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		r.Register("grep", nil)
	}()
	lines := strings.Split("alpha\nbeta\ngamma\ndelta", "\n")
	for _, spec := range []string{
		`[{"use":"grep","with":{"pattern":"et"}},{"use":"upper"}]`,
		`[{"use":"grep","with":{"pattern":"l"}},{"use":"count","with":{"start":10}},{"use":"count"}]`,
		`[{"use":"upper","with":{}}]`, `[{"use":"sed"}]`, `[{"use":"count","with":{"start":"x"}}]`, `{"use":1}`, `[{"use":"count"},{"use":"grep"}]`, `[{"use":"grep","with":{"pattern":3}}]`,
	} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					fmt.Println("panic:", p)
				}
			}()
			chain, err := r.Build(spec)
			if err != nil {
				fmt.Println("build:", err)
				return
			}
			out, err := Run(chain, lines)
			var te *TypeError
			fmt.Printf("%v | %v | %t\n", out, err, errors.As(err, &te))
		}()
	}
	for _, p := range slices.Backward(r.live) {
		if c, ok := p.(Closer); ok {
			fmt.Println(c.Close())
		} else if g, ok := p.(*Grep); ok && g.runs > 0 {
			fmt.Println(p.Name(), g.matches, g.runs)
		}
	}
}
