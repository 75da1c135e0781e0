package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"time"
)

type Password string

func (Password) LogValue() slog.Value { return slog.StringValue("[redacted]") }

type Req struct {
	ID     int
	Method string
	took   time.Duration
}

func (r Req) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("id", r.ID), slog.String("method", r.Method), slog.Duration("took", r.took))
}

type Level int

func (l Level) String() string { return fmt.Sprintf("L%d", int(l)) }

type capture struct {
	slog.Handler
	seen []string
}

func (c *capture) Handle(ctx context.Context, r slog.Record) error {
	attrs := []string{}
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a.Key+"="+a.Value.String()); return true })
	c.seen = append(c.seen, r.Level.String()+":"+r.Message+"("+strings.Join(attrs, ",")+")")
	return c.Handler.Handle(ctx, r)
}

func noTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey && len(groups) == 0 {
		return slog.Attr{}
	}
	return a
}

type rot13 struct{ w io.Writer }

func (r rot13) Write(p []byte) (int, error) {
	q := bytes.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	}, p)
	return r.w.Write(q)
}

func main() {
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime})
	lg := slog.New(h).With("app", "demo")
	lg.Info("started", "pid", 42, "pw", Password("hunter2"), "req", Req{1, "GET", time.Second})
	lg.WithGroup("db").Debug("query", slog.Any("err", errors.New("boom boom")), slog.Group("conn", "host", "h", "port", 1))
	lg.Warn("odd", "key")
	lg.Error("lvl", "l", Level(3), "list", []int{1, 2}, "m", map[string]int{"a": 1}, "nil", nil, "s", struct{ A int }{1})
	j := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}))
	j.Info("json", "req", Req{2, "POST", 1500 * time.Millisecond}, "pw", Password("x"), "err", io.EOF, "t", time.Unix(0, 0).UTC(), "l", Level(1), "f", 1.5)
	j.Debug("hidden")
	c := &capture{Handler: slog.NewTextHandler(io.Discard, nil)}
	cl := slog.New(c)
	cl.Info("a", "x", 1)
	cl.Error("b", "y", []string{"q"})
	fmt.Println(c.seen)
	var lv slog.LevelVar
	lv.Set(slog.LevelWarn)
	fmt.Println(lv.Level(), slog.LevelInfo+1, h.Enabled(context.Background(), slog.LevelDebug))
	l := log.New(rot13{os.Stdout}, "uryyb: ", log.Lmsgprefix)
	l.Println("Jbeyq", 1, 2)
	l.Printf("%v", []string{"n"})
	var buf bytes.Buffer
	l.SetOutput(io.MultiWriter(&buf, os.Stdout))
	l.SetPrefix("")
	l.Print("multi")
	fmt.Println(buf.Len(), l.Prefix() == "", l.Flags())
	defer fmt.Println("deferred runs")
	defer func() { fmt.Printf("recovered %q\n", recover()) }()
	l.Panicf("panic %d", 7)
}
