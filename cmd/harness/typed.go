package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/usetools/usetools/cmd/internal/lifetime"
)

// typist is a person who types at the terminal. One goroutine at most reads there,
// as a read cannot be ended: what is typed for a question whose time is over is
// dropped, unless the next one is on the screen by then.
type typist struct {
	in *bufio.Reader

	mu      sync.Mutex
	reading bool
	waits   chan typedLine // who waits for a line; nil: nobody
}

type typedLine struct {
	text string
	err  error
}

// line returns what is typed next, without its end. The error is io.EOF where
// nothing more is typed, or that of ctx.
func (t *typist) line(ctx context.Context) (string, error) {
	me := make(chan typedLine, 1)
	t.mu.Lock()
	t.waits = me
	if !t.reading {
		t.reading = true
		go t.read()
	}
	t.mu.Unlock()
	select {
	case l := <-me:
		return l.text, l.err
	case <-ctx.Done():
		t.mu.Lock()
		if t.waits == me {
			t.waits = nil
		}
		t.mu.Unlock()
		return "", ctx.Err()
	}
}

func (t *typist) read() {
	text, err := t.in.ReadString('\n')
	if text != "" {
		err = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waits != nil {
		t.waits <- typedLine{strings.TrimRight(text, "\r\n"), err}
	}
	t.waits, t.reading = nil, false
}

// typing is who types at stdin.
func (e *env) typing() *typist {
	if e.typist == nil {
		e.typist = &typist{in: bufio.NewReader(e.stdin)}
	}
	return e.typist
}

// typed reports whether stdin is a person's.
func (e *env) typed() bool {
	f, ok := e.stdin.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	none, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, none)
}

// converses reports whether a person can be asked: reads stderr and types.
func (e *env) converses() bool { return e.typed() && lifetime.Device(e.stderr) != nil }

// answer prints a question and returns what is typed.
func (e *env) answer(ctx context.Context, question string) (string, error) {
	io.WriteString(e.stderr, question)
	text, err := e.typing().line(ctx)
	if err != nil {
		io.WriteString(e.stderr, "\n")
	}
	return strings.TrimSpace(text), err
}

// chosen asks until one of the words is typed, or how one of them begins, and returns
// that.
func (e *env) chosen(ctx context.Context, question string, words ...string) (string, error) {
	for {
		text, err := e.answer(ctx, question)
		if err != nil {
			return "", err
		}
		for _, w := range words {
			if text != "" && strings.HasPrefix(w, strings.ToLower(text)) {
				return w, nil
			}
		}
	}
}

// agreed asks a question to which anything but yes is no.
func (e *env) agreed(ctx context.Context, question string) bool {
	text, _ := e.answer(ctx, question+" [y/N] ")
	return text != "" && strings.HasPrefix("yes", strings.ToLower(text))
}
