// A builder DSL with closures and generics that renders YAML-like and TOML-like text with sorted maps and quoting.
package main

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Node interface{ isNode() }
type (
	Scalar struct{ v any }
	Seq    []Node
	Field  struct {
		Key string
		Val Node
		Doc string
	}
	Map []Field
)

func (Scalar) isNode() {}
func (Seq) isNode()    {}
func (Map) isNode()    {}

type Builder struct {
	m    Map
	errs *[]error
	path string
}

func Build(f func(*Builder)) (m Map, err error) {
	var errs []error
	b := &Builder{errs: &errs}
	defer func() {
		if r := recover(); r != nil {
			errs = append(errs, fmt.Errorf("build: %v", r))
		}
		m, err = b.m, errors.Join(errs...)
	}()
	f(b)
	return
}

func (b *Builder) add(key string, n Node) *Field {
	full := strings.TrimPrefix(b.path+"."+key, ".")
	for i := range b.m {
		if b.m[i].Key == key {
			*b.errs = append(*b.errs, fmt.Errorf("duplicate %s", full))
			return &b.m[i]
		}
	}
	b.m = append(b.m, Field{Key: key, Val: n})
	return &b.m[len(b.m)-1]
}

func (b *Builder) Set(key string, v any) *Field { return b.add(key, lift(v)) }
func (b *Builder) Group(key string, f func(*Builder)) *Builder {
	sub := &Builder{errs: b.errs, path: strings.TrimPrefix(b.path+"."+key, ".")}
	f(sub)
	b.add(key, sub.m)
	return b
}
func (f *Field) Comment(format string, a ...any) { f.Doc = fmt.Sprintf(format, a...) }

func Each[T any](b *Builder, key string, xs iter.Seq[T], f func(*Builder, T)) {
	var s Seq
	i := 0
	for x := range xs {
		sub := &Builder{errs: b.errs, path: fmt.Sprintf("%s[%d]", key, i)}
		f(sub, x)
		s = append(s, sub.m)
		i++
	}
	b.add(key, s)
}

func lift(v any) Node {
	switch x := v.(type) {
	case Node:
		return x
	case []string:
		return liftSlice(x)
	case []int:
		return liftSlice(x)
	case map[string]any:
		m := Map{}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			m = append(m, Field{Key: k, Val: lift(x[k])})
		}
		return m
	case fmt.Stringer:
		return Scalar{x.String()}
	case func():
		panic(fmt.Sprintf("cannot lift %T", v))
	}
	return Scalar{v}
}

func liftSlice[T any](xs []T) (s Seq) {
	for _, x := range xs {
		s = append(s, lift(x))
	}
	return
}

func scalar(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		if _, err := strconv.ParseFloat(x, 64); err == nil || x == "" || strings.ContainsAny(x, ":#\n\"") || x == "true" || x == "null" {
			return strconv.Quote(x)
		}
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func YAML(n Node) string {
	var sb strings.Builder
	var emit func(n Node, depth int, inline bool)
	emit = func(n Node, depth int, inline bool) {
		pad := strings.Repeat("  ", depth)
		switch n := n.(type) {
		case Scalar:
			sb.WriteString(" " + scalar(n.v) + "\n")
		case Map:
			if len(n) == 0 {
				sb.WriteString(" {}\n")
				return
			}
			if !inline {
				sb.WriteByte('\n')
			}
			for i, f := range n {
				if f.Doc != "" {
					sb.WriteString(pad + "# " + f.Doc + "\n")
				}
				if i > 0 || !inline {
					sb.WriteString(pad)
				} else {
					sb.WriteByte(' ')
				}
				sb.WriteString(f.Key + ":")
				emit(f.Val, depth+1, false)
			}
		case Seq:
			if len(n) == 0 {
				sb.WriteString(" []\n")
				return
			}
			sb.WriteByte('\n')
			for _, e := range n {
				sb.WriteString(pad + "-")
				emit(e, depth+1, true)
			}
		}
	}
	emit(n, 0, false)
	return strings.TrimLeft(sb.String(), "\n")
}

func Lookup(n Node, path ...any) (out Node, err error) {
	out = n
	for i, p := range path {
		switch p := p.(type) {
		case string:
			m, ok := out.(Map)
			at := slices.IndexFunc(m, func(f Field) bool { return f.Key == p })
			if !ok || at < 0 {
				return nil, fmt.Errorf("step %d: no %q in %T", i, p, out)
			}
			out = m[at].Val
		case int:
			s, ok := out.(Seq)
			if !ok || p >= len(s) {
				return out, fmt.Errorf("step %d: no [%d] in %T", i, p, out)
			}
			out = s[p]
		}
	}
	return
}

type env string

func (e env) String() string { return "env:" + string(e) }

func main() {
	doc, err := Build(func(b *Builder) {
		b.Set("name", "demo").Comment("the %s name", "service")
		b.Set("version", "1.10")
		b.Group("server", func(b *Builder) {
			b.Set("port", 8080)
			b.Set("hosts", []string{"a", "b:c", ""})
			b.Group("tls", func(b *Builder) {})
			b.Set("port", 9090).Comment("overridden doc")
		}).Group("limits", func(b *Builder) {
			b.Set("ratio", 0.25)
			b.Set("extra", map[string]any{"z": nil, "a": []int{1, 2}, "m": map[string]any{"k": true}})
		})
		Each(b, "users", maps.Keys(map[string]int{"ann": 1}), func(b *Builder, u string) {
			b.Set("name", u)
			b.Set("home", env("HOME"))
		})
		Each(b, "none", slices.Values([]int(nil)), func(*Builder, int) {})
	})
	fmt.Print(YAML(doc))
	fmt.Println(err)
	fmt.Println(Lookup(doc, "server", "hosts", 1))
	fmt.Println(Lookup(doc, "users", 3))
	fmt.Println(Lookup(doc, "name", "x"))
	part, err := Build(func(b *Builder) {
		b.Set("ok", 1)
		b.Set("bad", func() {})
		b.Set("never", 2)
	})
	fmt.Printf("%q %v\n", YAML(part), err)
	_, err = Build(func(b *Builder) {
		b.Group("a", func(b *Builder) {
			Each(b, "l", slices.Values([]int{1, 1}), func(b *Builder, i int) { b.Set("k", i); b.Set("k", i) })
		})
	})
	fmt.Println(err)
}
