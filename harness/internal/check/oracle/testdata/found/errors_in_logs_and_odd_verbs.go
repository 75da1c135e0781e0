package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
)

type E struct{ N int }

func (e E) Error() string { return fmt.Sprint("E", e.N) }

type P struct{ s string }

func (p *P) Error() string { return p.s }

type J struct{ s string }

func (j J) Error() string                { return j.s }
func (j J) MarshalJSON() ([]byte, error) { return json.Marshal("json <" + j.s) }

type B []byte

type H struct {
	Text string
	Any  any
	Err  error
}

type F struct{ f func() }

type M struct{ n int }

func (m M) MarshalJSON() ([]byte, error) {
	if m.n == 0 {
		return nil, E{7}
	}
	panic("no <JSON>")
}

type X struct{ A, B string }

func noTime(g []string, a slog.Attr) slog.Attr {
	if a.Key == "time" {
		return slog.Attr{}
	}
	return a
}

func main() {
	for _, e := range []error{errors.Join(E{1}, E{2}), fmt.Errorf("wrap %w", E{4}), fmt.Errorf("two %w %w", E{4}, J{"j"})} {
		fmt.Printf("%v|%s|%q|%+v|%6d|%+d|%T\n", e, e, e, e, e, e, e)
		if _, ok := errors.AsType[*P](e); !ok && e.Error()[0] != 'w' {
			fmt.Printf("%x %X\n", e, e)
		}
	}
	fmt.Printf("%#v\n", errors.Join(E{1}, E{2}))
	fmt.Printf("%#v\n", fmt.Errorf("wrap %w", E{4}))
	fmt.Printf("%#v\n", fmt.Errorf("two %w %w", E{4}, J{"j"}))
	fmt.Println(errors.Unwrap(fmt.Errorf("%w", errors.Join(E{1}))))
	fmt.Printf("%[2]d %[1]v\n", errors.Join(E{1}), errors.Join(E{3}))

	_, merr := json.Marshal(map[string]any{"f": func() E { return E{} }})
	for _, h := range []slog.Handler{slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}), slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime, Level: slog.LevelDebug})} {
		l := slog.New(h)
		l.Debug("debug")
		l.Info("errors", "j", errors.Join(E{1}, J{"x"}), "w", fmt.Errorf("wrap %w", E{4}), "e", E{5}, "p", &P{"p"}, "m", merr, "J", J{"<j>"})
		l.Info("bad", "c", slog.AnyValue(F{}), "M", M{}, "M1", M{1}, "nil", (*P)(nil), "x", struct{ F func(E) }{})
		l.Info("in others", "list", []error{E{1}, J{"<>"}, nil}, "any", []any{E{2}, H{"<a>", E{3}, J{"&"}}, B("bytes"), "<"}, "map", map[string]error{"<": E{1}})
		l.Info("html", "h", H{"<a>&", E{3}, J{"&"}}, "b", B("a<b"), slog.Group("g", "h", &H{Any: X{"<", ">"}}, slog.Group("gg", "x", X{}, "e", E{8})))
		l.With("w", X{"<", "w"}, "e", E{9}).WithGroup("in").With("b", B("x y")).Warn("with", "x", []X{{"a", "b"}})
		l.Info("plain", "a", 1, "s", "x<y", "f", 1.5, "n", nil, "ints", []int{1}, "m", map[string]int{"a": 1})
	}
	j := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		if len(g) > 0 {
			a.Value = slog.AnyValue(X{fmt.Sprint(g), a.Value.String()})
		}
		return a
	}}))
	j.Info("replaced", slog.Group("g", "a", 1, "h", H{Text: "t"}))
}
