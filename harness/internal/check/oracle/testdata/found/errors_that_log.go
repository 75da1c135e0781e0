package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
)

type wraps struct {
	Op  string
	Err error
}

func (e *wraps) Error() string { return e.Op + ": " + fmt.Sprint(e.Err) }
func (e *wraps) Unwrap() error { return e.Err }
func (e *wraps) LogValue() slog.Value {
	return slog.GroupValue(slog.String("op", e.Op), slog.Any("cause", e.Err))
}

type plain int

func (p plain) Error() string        { return fmt.Sprint("plain ", int(p)) }
func (p plain) LogValue() slog.Value { return slog.IntValue(int(p)) }

type list []error

func (l list) Error() string        { return fmt.Sprint(len(l), " errors") }
func (l list) Unwrap() []error      { return l }
func (l list) LogValue() slog.Value { return slog.IntValue(len(l)) }

type text struct{ S string }

func (t text) Error() string                { return "error " + t.S }
func (t text) MarshalText() ([]byte, error) { return []byte("text " + t.S), nil }

type wrapsText struct{ error }

func (w wrapsText) Unwrap() error                { return w.error }
func (w wrapsText) MarshalText() ([]byte, error) { return []byte("wraps"), nil }

type listText []error

func (l listText) Error() string                { return "list" }
func (l listText) Unwrap() []error              { return l }
func (l listText) MarshalText() ([]byte, error) { return []byte("texts"), nil }

func main() {
	without := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	all := []error{&wraps{"read", io.EOF}, plain(3), list{io.EOF, plain(4)}, text{"t"}, wrapsText{io.EOF}, listText{plain(5), io.EOF}}
	for _, h := range []slog.Handler{slog.NewTextHandler(os.Stdout, without), slog.NewJSONHandler(os.Stdout, without)} {
		for _, err := range all {
			slog.New(h).Info("m", "err", err)
		}
	}
	for _, err := range all {
		b, fault := json.Marshal([]any{err})
		fmt.Println(string(b), fault, slog.AnyValue(err).Kind(), errors.Is(err, io.EOF), errors.Is(err, plain(5)), errors.Is(fmt.Errorf("w: %w", err), plain(4)))
		var p plain
		fmt.Println(errors.As(err, &p), p, err)
		fmt.Printf("%T %v %+v %s\n", err, err, []error{err}, fmt.Errorf("%w", err))
	}
	m := map[error]int{plain(1): 1, text{"a"}: 2, wrapsText{io.EOF}: 3}
	fmt.Println(m[plain(1)], m[text{"a"}], m[wrapsText{io.EOF}], m[text{"b"}], all[1] == error(plain(3)))
}
