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

// typist reads lines that a person types at the terminal. At most one goroutine reads,
// since a read cannot be cancelled. An answer to an expired question is dropped, unless
// the next question is already on the screen.
type typist struct {
	in *bufio.Reader

	mu      sync.Mutex
	reading bool
	waits   chan typedLine // receives the next line; nil if no question is open
}

type typedLine struct {
	text string
	err  error
}

// line returns the next typed line without its end. The error is io.EOF at the end of
// input, or the error of ctx.
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

// typing returns the reader of stdin.
func (e *env) typing() *typist {
	if e.typist == nil {
		e.typist = &typist{in: bufio.NewReader(e.stdin)}
	}
	return e.typist
}

// typed reports whether a person types at stdin.
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

// converses reports whether a person can answer questions: stdin and stderr are terminals.
func (e *env) converses() bool { return e.typed() && lifetime.Device(e.stderr) != nil }

// answer prints a question and returns the typed answer.
func (e *env) answer(ctx context.Context, question string) (string, error) {
	io.WriteString(e.stderr, question)
	text, err := e.typing().line(ctx)
	if err != nil {
		io.WriteString(e.stderr, "\n")
	}
	return strings.TrimSpace(text), err
}

// chosen asks until the person types one of the words or a prefix of one, and returns that
// word.
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

// agreed asks a question and reports whether the answer is yes.
func (e *env) agreed(ctx context.Context, question string) bool {
	text, _ := e.answer(ctx, question+" [y/N] ")
	return text != "" && strings.HasPrefix("yes", strings.ToLower(text))
}
