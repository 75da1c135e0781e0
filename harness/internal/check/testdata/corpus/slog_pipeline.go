package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"
)

type Secret string

func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

type User struct {
	ID    int
	Name  string
	Token Secret
}

func (u *User) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("id", u.ID), slog.String("name", u.Name), slog.Any("token", u.Token))
}

type stage struct {
	name string
	fn   func(context.Context, []string) ([]string, error)
}
type Pipeline struct {
	log    *slog.Logger
	stages []stage
}

func (p *Pipeline) Use(name string, fn func(context.Context, []string) ([]string, error)) *Pipeline {
	p.stages = append(p.stages, stage{name, fn})
	return p
}
func each(f func(string) string) func(context.Context, []string) ([]string, error) {
	return func(_ context.Context, in []string) ([]string, error) {
		out := in[:0:0]
		for _, s := range in {
			out = append(out, f(s))
		}
		return out, nil
	}
}

type StageError struct {
	Stage string
	error
}

func (s StageError) Unwrap() error { return s.error }

func (p *Pipeline) Run(ctx context.Context, in []string) (out []string, err error) {
	out = in
	for i, st := range p.stages {
		l := p.log.With("stage", st.name, "i", i)
		if err := ctx.Err(); err != nil {
			l.Warn("canceled", "err", err)
			return nil, StageError{st.name, err}
		}
		before := len(out)
		if out, err = st.fn(ctx, out); err != nil {
			l.Error("failed", slog.Any("err", err), slog.Group("size", "in", before, "out", len(out)))
			return nil, StageError{Stage: st.name, error: err}
		}
		l.Debug("done", "in", before, "out", len(out), "sample", out[:min(2, len(out))])
	}
	p.log.Info("finished", "n", len(out))
	return out, nil
}

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

var errEmpty = errors.New("empty input")

func main() {
	opts := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}
	text := slog.New(slog.NewTextHandler(os.Stdout, opts))
	p := (&Pipeline{log: text}).
		Use("trim", each(strings.TrimSpace)).
		Use("drop-empty", func(_ context.Context, in []string) (out []string, err error) {
			for _, s := range in {
				if s != "" {
					out = append(out, s)
				}
			}
			if len(out) == 0 {
				err = errEmpty
			}
			return
		}).
		Use("upper", each(strings.ToUpper))
	ctx, cancel := context.WithCancel(context.Background())
	out, err := p.Run(ctx, []string{" a ", "", "b b", "\tc\n"})
	fmt.Printf("%q %v\n", out, err)
	out, err = p.Run(ctx, []string{"  "})
	var se StageError
	fmt.Println(out == nil, err, errors.Is(err, errEmpty), errors.As(err, &se), se.Stage)
	cancel()
	_, err = p.Run(ctx, nil)
	fmt.Println(err, errors.Is(err, context.Canceled))

	var buf bytes.Buffer
	js := slog.New(slog.NewJSONHandler(&buf, opts)).WithGroup("app")
	u := &User{7, "Ann \"A\"", "hunter2"}
	js.Info("login", "user", u, "took", 1500*time.Millisecond, "ok", true, "tags", []string{"x", "y"})
	js.With("req", 12).Warn("odd", slog.Float64("f", 0.1), slog.Time("at", time.Unix(0, 0).UTC()), "err", errors.New("bad"))
	js.LogAttrs(ctx, slog.LevelError+2, "attrs", slog.Uint64("u", 1<<63), slog.Any("nil", nil), slog.Any("m", map[string]int{"b": 1, "a": 2}))
	fmt.Print(buf.String())
	text.Info("user", "u", u)
	var lv slog.LevelVar
	lv.Set(slog.LevelWarn)
	quiet := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: &lv, ReplaceAttr: noTime}))
	quiet.Info("hidden")
	quiet.Error("shown", "level", lv.Level(), "s", "two words", "p", struct{ A, B int }{1, 2})
	fmt.Println(quiet.Enabled(ctx, slog.LevelInfo), slog.LevelInfo+1)
}
