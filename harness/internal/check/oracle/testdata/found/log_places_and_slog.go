package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
)

type order struct{ ID, N int }

func (o order) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("id", o.ID), slog.Int("n", o.N))
}

func work(l *slog.Logger) {
	l.Info("works", "order", order{1, 2})
	l.With("a", 1).WithGroup("g").Warn("grouped", "b", 2)
}

type noisy struct{}

// String logs itself while it is logged.
func (noisy) String() string {
	log.Print("inside")
	slog.Info("inside slog")
	return "noisy"
}

type app struct {
	*slog.Logger
	name string
}

func main() {
	log.SetOutput(os.Stdout)
	log.SetFlags(log.Lshortfile)
	log.Print("plain")
	slog.Info("info", "n", 1)
	slog.Debug("not shown")
	slog.Error("error",
		"order", order{7, 8})
	slog.Log(context.Background(), slog.LevelWarn, "warn", "k", "v")
	slog.LogAttrs(context.Background(), slog.LevelInfo, "attrs", slog.String("s", "t t"))
	work(slog.Default())
	work(slog.With("pre", true))
	log.SetPrefix("[p] ")
	slog.Info("with a prefix")
	log.SetFlags(log.Lshortfile | log.Lmsgprefix)
	slog.InfoContext(context.Background(), "with a prefix of the message")
	log.SetFlags(0)
	slog.Info("no place")
	log.SetFlags(log.Lshortfile)
	slog.Info("noisy", "x", noisy{})
	a := app{slog.With("app", "a"), "n"}
	a.Info("embedded", "name", a.name)
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		log.Panicf("panic %d", 1)
	}()
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.Debug("shown")
	slog.SetLogLoggerLevel(slog.LevelInfo)

	noTime := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	var buf bytes.Buffer
	l := slog.New(slog.NewTextHandler(&buf, noTime))
	l.Info("text", "n", 2)
	work(l)
	fmt.Print(buf.String())

	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stdout, noTime)))
	slog.Info("json")
	log.Print("through slog")
	old.Info("the old one")
	std := slog.NewLogLogger(slog.NewTextHandler(os.Stdout, noTime), slog.LevelWarn)
	std.SetFlags(log.Lshortfile)
	std.Print("a log logger")

	var e error = fmt.Errorf("x: %w", os.ErrNotExist)
	fmt.Println(strings.ToUpper(e.Error()))
}
