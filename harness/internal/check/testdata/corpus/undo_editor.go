// A text buffer with commands, undo/redo stacks, and macros: the command pattern with interfaces and closures.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

type Command interface {
	Do(*Buffer) error
	Undo(*Buffer)
}

type Buffer struct {
	lines []string
	done  []Command
	redo  []Command
}

type insert struct {
	at   int
	text string
}

type remove struct {
	at   int
	lost string
}

type replace struct {
	old, new string
	before   []string
}

type macro []Command

type funcCmd struct {
	do   func(*Buffer) error
	undo func(*Buffer)
}

var ErrRange = errors.New("line out of range")

func (c insert) Do(b *Buffer) error {
	if c.at < 0 || c.at > len(b.lines) {
		return fmt.Errorf("insert at %d of %d: %w", c.at, len(b.lines), ErrRange)
	}
	b.lines = slices.Insert(b.lines, c.at, c.text)
	return nil
}
func (c insert) Undo(b *Buffer) { b.lines = slices.Delete(b.lines, c.at, c.at+1) }

func (c *remove) Do(b *Buffer) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("remove %d: %w", c.at, ErrRange)
		}
	}()
	c.lost = b.lines[c.at]
	b.lines = slices.Delete(b.lines, c.at, c.at+1)
	return
}
func (c *remove) Undo(b *Buffer) { b.lines = slices.Insert(b.lines, c.at, c.lost) }

func (c *replace) Do(b *Buffer) error {
	c.before = slices.Clone(b.lines)
	n := 0
	for i := range b.lines {
		n += strings.Count(b.lines[i], c.old)
		b.lines[i] = strings.ReplaceAll(b.lines[i], c.old, c.new)
	}
	if n == 0 {
		return fmt.Errorf("replace: no %q", c.old)
	}
	return nil
}
func (c *replace) Undo(b *Buffer) { b.lines = c.before }

func (m macro) Do(b *Buffer) error {
	for i, c := range m {
		if err := c.Do(b); err != nil {
			m[:i].Undo(b)
			return fmt.Errorf("macro step %d: %w", i+1, err)
		}
	}
	return nil
}
func (m macro) Undo(b *Buffer) {
	for _, c := range slices.Backward(m) {
		c.Undo(b)
	}
}

func (f funcCmd) Do(b *Buffer) error { return f.do(b) }
func (f funcCmd) Undo(b *Buffer)     { f.undo(b) }

func (b *Buffer) Exec(c Command) error {
	if err := c.Do(b); err != nil {
		return err
	}
	b.done, b.redo = append(b.done, c), nil
	return nil
}

func (b *Buffer) Undo() bool {
	n := len(b.done)
	if n == 0 {
		return false
	}
	c := b.done[n-1]
	b.done, b.redo = b.done[:n-1], append(b.redo, c)
	c.Undo(b)
	return true
}

func (b *Buffer) Redo() bool {
	if len(b.redo) == 0 {
		return false
	}
	last := len(b.redo) - 1
	c := b.redo[last]
	b.redo = b.redo[:last]
	b.done = append(b.done, c)
	return c.Do(b) == nil
}

func (b Buffer) String() string { return strings.Join(b.lines, "/") }

func upper() Command {
	var saved []string
	return funcCmd{
		do: func(b *Buffer) error {
			saved, b.lines = b.lines, slices.Collect(func(yield func(string) bool) {
				for _, l := range b.lines {
					if !yield(strings.ToUpper(l)) {
						return
					}
				}
			})
			return nil
		},
		undo: func(b *Buffer) { b.lines = saved },
	}
}

func main() {
	b := new(Buffer)
	cmds := []Command{
		insert{0, "hello"}, insert{1, "world"}, insert{5, "x"}, &remove{at: 0}, &remove{at: 7},
		macro{insert{0, "foo"}, insert{0, "food"}, &replace{old: "foo", new: "bar"}},
		macro{insert{0, "tmp"}, &remove{at: 2}, insert{99, "never"}},
		upper(), &replace{old: "zzz"},
	}
	for i, c := range cmds {
		if err := b.Exec(c); err != nil {
			fmt.Printf("%d %T error: %v range=%t\n", i, c, err, errors.Is(err, ErrRange))
		}
		fmt.Println(i, b)
	}
	for b.Undo() {
		fmt.Println("undo", b, len(b.done), len(b.redo))
	}
	for b.Redo() {
	}
	fmt.Println("redone", b)
	b.Undo()
	_ = b.Exec(insert{0, "new"})
	fmt.Println(b, b.Redo(), len(b.redo))
	if m, ok := b.done[3].(macro); ok {
		fmt.Println(len(m), m[0], m[2].(*replace).before)
	}
}
