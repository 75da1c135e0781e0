package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"
)

// What is typed for a question whose time is over is no answer to the next one.
func TestALateLineAnswersNothing(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	typed := &typist{in: bufio.NewReader(r)}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := typed.line(over); !errors.Is(err, context.Canceled) {
		t.Fatal(text, err)
	}
	if _, err := io.WriteString(w, "y\n"); err != nil { // it is read by the reader of the first question
		t.Fatal(err)
	}
	for { // until that has dropped it
		typed.mu.Lock()
		reading := typed.reading
		typed.mu.Unlock()
		if !reading {
			break
		}
		runtime.Gosched()
	}
	go io.WriteString(w, "no\r\nrest")
	if text, err := typed.line(t.Context()); text != "no" || err != nil {
		t.Fatal(text, err)
	}
	// A question that takes over a reader which is under way gets its line.
	if _, err := typed.line(over); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		text, err := typed.line(t.Context())
		if err != nil {
			t.Error(err)
		}
		got <- text
	}()
	for waits := false; !waits; {
		typed.mu.Lock()
		waits = typed.waits != nil
		typed.mu.Unlock()
		runtime.Gosched()
	}
	w.Close()
	if text := <-got; text != "rest" {
		t.Errorf("got %q", text)
	}
	if _, err := typed.line(t.Context()); err != io.EOF {
		t.Error(err)
	}
}
