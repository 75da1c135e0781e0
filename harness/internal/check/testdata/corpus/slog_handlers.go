// log/slog without times: text and JSON handlers, groups, LogValuer, a handler of our own, levels.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
)

type User struct {
	ID   int
	Name string
	pw   string
}

func (u User) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("id", u.ID), slog.String("name", u.Name), slog.String("pw", strings.Repeat("*", len(u.pw))))
}

type Level8 int

func (l Level8) String() string { return fmt.Sprintf("L%d", int(l)) }

type token string

func (token) LogValue() slog.Value { return slog.StringValue("REDACTED") }

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

type record struct {
	level slog.Level
	line  string
}

type memHandler struct {
	out    *[]record
	attrs  []string
	prefix string
	min    slog.Leveler
}

func (h memHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.min.Level() }
func (h memHandler) Handle(_ context.Context, r slog.Record) error {
	parts := slices.Clone(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		parts = append(parts, h.prefix+a.Key+"="+a.Value.Resolve().String())
		return len(parts) < 5
	})
	*h.out = append(*h.out, record{r.Level, r.Message + "{" + strings.Join(parts, ",") + "}"})
	return nil
}
func (h memHandler) WithAttrs(as []slog.Attr) slog.Handler {
	h.attrs = slices.Clip(h.attrs)
	for _, a := range as {
		h.attrs = append(h.attrs, h.prefix+a.String())
	}
	return h
}
func (h memHandler) WithGroup(name string) slog.Handler {
	h.prefix += name + "."
	return h
}

func main() {
	opts := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}
	u := User{7, "ann lee", "secret"}
	for i, h := range []slog.Handler{slog.NewTextHandler(os.Stdout, opts), slog.NewJSONHandler(os.Stdout, opts)} {
		l := slog.New(h).With("h", i)
		l.Info("login", "user", u, "tok", token("abc"), "lvl", Level8(3), "ok", true, "dur", 1.5)
		l.WithGroup("req").With("path", "/x y").Warn("slow", slog.Group("q", "a", 1, "b", "two"), "err", errors.New("bad \"thing\""))
		l.Debug("dangling", []any{"key"}...)
		l.Log(context.Background(), slog.LevelError+2, "custom", slog.Any("m", map[string]int{"b": 2, "a": 1}), slog.Any("s", []string{"x", "y z"}), slog.Any("nil", nil))
		l.Error("", "struct", struct {
			A int
			B *string
		}{A: 1}, "", "emptykey")
	}
	var recs []record
	var lv slog.LevelVar
	mh := memHandler{out: &recs, min: &lv}
	l := slog.New(mh).With("svc", "api")
	l.Debug("hidden")
	l.Info("one", "u", u, "t", token("x"))
	lv.Set(slog.LevelWarn)
	l.Info("hidden too")
	g := l.WithGroup("g").With("k", Level8(1))
	g.Warn("two", "a", 1, "b", 2, "c", 3, "d", 4)
	l.Error("three")
	for _, r := range recs {
		fmt.Println(r.level, int(r.level), r.line)
	}
	fmt.Println(l.Enabled(context.Background(), slog.LevelInfo), slog.LevelWarn-1, slog.Int("n", 3), slog.Any("u", u).Value.Kind())
	std := log.New(os.Stdout, "[app] ", log.Lmsgprefix)
	std.Printf("hello %d", 1)
	std.SetPrefix("> ")
	std.SetFlags(0)
	std.Println("x", 2, []int{3})
	old := slog.NewLogLogger(mh, slog.LevelError)
	old.Print("via log")
	fmt.Println(recs[len(recs)-1])
	defer func() { fmt.Println("recovered:", recover()) }()
	std.Panicf("fatal %v", u.ID)
}
