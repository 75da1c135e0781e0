// Reads stdin (empty here) with fallbacks, flushes buffered output by defer, measures nothing, handles io errors.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

type Score struct {
	Name   string
	Points []int
}

func (s Score) Total() (t int) {
	for _, p := range s.Points {
		t += p
	}
	return
}

type Board struct {
	byName map[string]*Score
	order  []*Score
	w      *bufio.Writer
	err    error
}

func (b *Board) printf(f string, a ...any) {
	if b.err == nil {
		_, b.err = fmt.Fprintf(b.w, f, a...)
	}
}

func (b *Board) get(name string) *Score {
	if s, ok := b.byName[name]; ok {
		return s
	}
	s := &Score{Name: name}
	b.byName[name] = s
	b.order = append(b.order, s)
	return s
}

var errQuit = errors.New("quit")

func (b *Board) exec(line string) (err error) {
	var cmd, name string
	var pts []int
	n, err := fmt.Sscan(line, &cmd, &name)
	switch {
	case n == 0:
		return nil
	case cmd == "quit":
		return errQuit
	case n == 1 && cmd != "show":
		return fmt.Errorf("%s: %w", cmd, err)
	}
	switch cmd {
	case "add":
		rest := strings.NewReader(line[strings.Index(line, name)+len(name):])
		for {
			var p int
			if _, err := fmt.Fscan(rest, &p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return fmt.Errorf("points of %s after %v: %w", name, pts, err)
			}
			pts = append(pts, p)
		}
		s := b.get(name)
		s.Points = append(s.Points, pts...)
	case "drop":
		delete(b.byName, name)
		b.order = slices.DeleteFunc(b.order, func(s *Score) bool { return s.Name == name })
	case "show":
		sorted := slices.SortedStableFunc(slices.Values(b.order), func(x, y *Score) int { return y.Total() - x.Total() })
		for i, s := range sorted {
			b.printf("%d. %-5s %3d %v\n", i+1, s.Name, s.Total(), s.Points)
		}
	default:
		return fmt.Errorf("unknown command %q", cmd)
	}
	return nil
}

func (b *Board) run(r io.Reader) (lines int, err error) {
	defer func() { err = errors.Join(err, b.w.Flush(), b.err) }()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		lines++
		if err := b.exec(sc.Text()); errors.Is(err, errQuit) {
			b.printf("bye\n")
			return lines, nil
		} else if err != nil {
			b.printf("line %d: %v\n", lines, err)
		}
	}
	return lines, sc.Err()
}

type limited struct {
	w io.Writer
	n int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.n -= len(p); l.n < 0 {
		return 0, io.ErrShortBuffer
	}
	return l.w.Write(p)
}

func newBoard(w io.Writer) *Board {
	return &Board{byName: map[string]*Score{}, w: bufio.NewWriter(w)}
}

const demo = `add ann 3 4
add bob 10
add cy

add ann -1 x
frob it
add ann 5
show
drop bob
show
add
quit
show`

func main() {
	in, err := io.ReadAll(os.Stdin)
	fmt.Println(len(in), err)
	src := io.MultiReader(strings.NewReader(string(in)), strings.NewReader(demo))
	b := newBoard(os.Stdout)
	n, err := b.run(src)
	fmt.Println(n, err, len(b.order), b.byName["ann"].Total())
	small := newBoard(&limited{os.Stdout, 10})
	n, err = small.run(strings.NewReader("add a 1\nshow\nshow\n"))
	fmt.Println(n, err, errors.Is(err, io.ErrShortBuffer))
	long := newBoard(io.Discard)
	n, err = long.run(strings.NewReader("show\n" + strings.Repeat("x", 70000)))
	fmt.Println(n, err, err != nil && errors.Is(err, bufio.ErrTooLong))
	var nilBoard *Board
	defer func() { fmt.Println("recovered:", recover()) }()
	nilBoard.get("x")
}
