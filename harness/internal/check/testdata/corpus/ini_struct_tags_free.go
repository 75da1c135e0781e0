// A field-mapping layer without reflection: setter tables built from closures, generic bindings, usage text.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Value interface {
	Set(string) error
	String() string
}

type value[T any] struct {
	p     *T
	parse func(string) (T, error)
	show  func(T) string
}

func (v value[T]) Set(s string) (err error) {
	x, err := v.parse(s)
	if err == nil {
		*v.p = x
	}
	return
}

func (v value[T]) String() string {
	if v.show != nil {
		return v.show(*v.p)
	}
	return fmt.Sprint(*v.p)
}

type enum[T ~int] struct {
	p     *T
	names []string
}

func (e enum[T]) Set(s string) error {
	i := slices.Index(e.names, s)
	if i < 0 {
		return fmt.Errorf("%q is none of %v", s, e.names)
	}
	*e.p = T(i)
	return nil
}
func (e enum[T]) String() string { return e.names[*e.p] }

type listValue []string

func (l *listValue) Set(s string) error { *l = append(*l, s); return nil }
func (l *listValue) String() string     { return strings.Join(*l, "+") }

type funcValue func(string) error

func (f funcValue) Set(s string) error { return f(s) }
func (f funcValue) String() string     { return "func" }

type option struct {
	name, help string
	Value
	def string
}

type Options struct {
	list []option
	seen map[string]int
}

func Bind[T any](o *Options, p *T, name, help string, parse func(string) (T, error)) {
	o.Var(value[T]{p: p, parse: parse}, name, help)
}

func (o *Options) Var(v Value, name, help string) {
	o.list = append(o.list, option{name, help, v, v.String()})
}

type FlagError struct {
	Name string
	Err  error
}

func (f FlagError) Error() string { return "-" + f.Name + ": " + f.Err.Error() }
func (f FlagError) Unwrap() error { return f.Err }

var ErrUnknown, ErrMissing = errors.New("unknown"), errors.New("needs a value")

func (o *Options) Parse(args ...string) (rest []string, err error) {
	o.seen = map[string]int{}
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		name, isFlag := strings.CutPrefix(a, "-")
		if a == "--" {
			return append(rest, args...), err
		}
		if !isFlag {
			rest = append(rest, a)
			continue
		}
		name, val, hasVal := strings.Cut(name, "=")
		i := slices.IndexFunc(o.list, func(x option) bool { return x.name == name })
		if i < 0 {
			err = errors.Join(err, FlagError{name, ErrUnknown})
			continue
		}
		_, isBool := o.list[i].Value.(value[bool])
		switch {
		case hasVal:
		case isBool:
			val = "true"
		case len(args) == 0:
			return rest, errors.Join(err, FlagError{name, ErrMissing})
		default:
			val, args = args[0], args[1:]
		}
		o.seen[name]++
		if e := o.list[i].Set(val); e != nil {
			err = errors.Join(err, FlagError{Name: name, Err: e})
		}
	}
	return
}

func (o Options) Usage() string {
	var sb strings.Builder
	for _, x := range o.list {
		mark := ""
		if x.def != x.String() {
			mark = " *"
		}
		fmt.Fprintf(&sb, "  -%-6s %s (default %q, now %v)%s\n", x.name, x.help, x.def, x.Value, mark)
	}
	return sb.String()
}

type Mode int

func main() {
	var cfg struct {
		Port    int
		Wait    time.Duration
		Verbose bool
		Ratio   float64
		Mode    Mode
		Tags    listValue
		Sum     int
	}
	cfg.Port, cfg.Wait = 80, time.Second
	var o Options
	Bind(&o, &cfg.Port, "port", "listen port", strconv.Atoi)
	Bind(&o, &cfg.Wait, "wait", "pause", time.ParseDuration)
	Bind(&o, &cfg.Verbose, "v", "talk", strconv.ParseBool)
	Bind(&o, &cfg.Ratio, "ratio", "0 to 1", func(s string) (f float64, err error) {
		if f, err = strconv.ParseFloat(s, 64); err == nil && (f < 0 || f > 1) {
			err = fmt.Errorf("%g out of range", f)
		}
		return
	})
	o.Var(enum[Mode]{&cfg.Mode, []string{"fast", "safe"}}, "mode", "how")
	o.Var(&cfg.Tags, "tag", "repeatable")
	o.Var(funcValue(func(s string) error { n, err := strconv.Atoi(s); cfg.Sum += n; return err }), "add", "sums")
	for _, line := range []string{"-port 8080 -v file -wait=1m30s -mode safe -tag a -tag=b", "-ratio 1.5 -port x -nope -add 3 -add 4 -- -v tail", "-mode slow -v=maybe -add", ""} {
		rest, err := o.Parse(strings.Fields(line)...)
		fmt.Printf("%q %v %d\n", rest, err, len(o.seen))
		fe, ok := errors.AsType[FlagError](err)
		fmt.Println(ok, fe.Name, errors.Is(err, ErrUnknown), errors.Is(err, ErrMissing), errors.Is(err, strconv.ErrSyntax))
	}
	fmt.Print(o.Usage())
	fmt.Printf("%+v\n", cfg)
}
