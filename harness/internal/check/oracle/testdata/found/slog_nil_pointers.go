package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
)

type pt struct{ X, Y int }

func (p pt) MarshalText() ([]byte, error) {
	if p.X < 0 {
		return nil, errors.New("neg\n")
	}
	if p.X > 100 {
		panic("too far")
	}
	return fmt.Appendf(nil, "%d;%d", p.X, p.Y), nil
}

type pp struct{ s string }

func (p *pp) MarshalText() ([]byte, error) {
	if p == nil {
		return []byte("nil is fine"), nil
	}
	return []byte("pp " + p.s), nil
}

type es struct{ n int }

func (e *es) Error() string { return fmt.Sprint("es", e.n) }

type str struct{ n int }

func (e *str) String() string { return fmt.Sprint("str", e.n) }

type js struct{ n int }

func (e js) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(e.n)), nil }

type lv struct{ n int }

func (l *lv) LogValue() slog.Value {
	if l == nil {
		return slog.StringValue("nil lv")
	}
	return slog.IntValue(l.n)
}

func main() {
	drop := &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	for _, h := range []slog.Handler{slog.NewTextHandler(os.Stdout, drop), slog.NewJSONHandler(os.Stdout, drop)} {
		l := slog.New(h)
		l.Info("nils", "a", (*pt)(nil), "b", (*pp)(nil), "c", (*es)(nil), "d", (*str)(nil), "e", (*js)(nil), "f", (*lv)(nil), "g", []pt(nil), "h", map[string]*pt(nil), "i", (func())(nil) == nil)
		l.Info("set", "a", pt{1, 2}, "a2", &pt{3, 4}, "b", &pp{"x y"}, "c", &es{1}, "d", &str{2}, "e", js{3}, "e2", &js{4}, "f", &lv{5}, "g", []pt{{1, 2}}, "h", map[string]*pp{"k": nil})
		l.Info("bad", "a", pt{-1, 0}, "b", pt{101, 1})
		l.With("w", (*pt)(nil)).WithGroup("g").Info("with", slog.Group("h", "x", (*pt)(nil), "y", &pt{7, 8}))
	}
}
