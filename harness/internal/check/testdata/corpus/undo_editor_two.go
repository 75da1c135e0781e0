package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type Command interface {
	Do(*Doc) error
	Undo(*Doc)
}
type Doc struct {
	text   []rune
	cursor int
}
type base struct{ saved int }

func (b *base) save(d *Doc) { b.saved = d.cursor }
func (b *base) Undo(d *Doc) { d.cursor = b.saved }

type Insert struct {
	base
	At int
	S  string
}
type Delete struct {
	base
	From, N int
	cut     []rune
}
type Move struct {
	*base
	To int
}
type Macro struct {
	Name string
	Cmds []Command
	done int
}
type RangeErr struct{ Pos, Len int }

func (r RangeErr) Error() string { return fmt.Sprintf("position %d outside [0,%d]", r.Pos, r.Len) }
func (d *Doc) check(p int) error {
	if p < 0 || p > len(d.text) {
		return RangeErr{p, len(d.text)}
	}
	return nil
}
func (c *Insert) Do(d *Doc) error {
	if err := d.check(c.At); err != nil {
		return err
	}
	c.save(d)
	rs := []rune(c.S)
	d.text = append(d.text[:c.At], append(rs, d.text[c.At:]...)...)
	d.cursor = c.At + len(rs)
	return nil
}
func (c *Insert) Undo(d *Doc) {
	n := utf8.RuneCountInString(c.S)
	d.text = append(d.text[:c.At], d.text[c.At+n:]...)
	c.base.Undo(d)
}
func (c *Delete) Do(d *Doc) error {
	for _, p := range [2]int{c.From, c.From + c.N} {
		if err := d.check(p); err != nil {
			return fmt.Errorf("delete %d..%d: %w", c.From, c.From+c.N, err)
		}
	}
	c.save(d)
	c.cut = append(c.cut[:0], d.text[c.From:c.From+c.N]...)
	copy(d.text[c.From:], d.text[c.From+c.N:])
	d.text = d.text[:len(d.text)-c.N]
	d.cursor = c.From
	return nil
}
func (c *Delete) Undo(d *Doc) {
	tail := append([]rune{}, d.text[c.From:]...)
	d.text = append(append(d.text[:c.From], c.cut...), tail...)
	c.base.Undo(d)
}
func (m Move) Do(d *Doc) error {
	if err := d.check(m.To); err != nil {
		return err
	}
	m.save(d)
	d.cursor = m.To
	return nil
}
func (m *Macro) Do(d *Doc) error {
	for i, c := range m.Cmds {
		if err := c.Do(d); err != nil {
			m.done = i
			m.Undo(d)
			return fmt.Errorf("macro %s step %d: %w", m.Name, i, err)
		}
	}
	m.done = len(m.Cmds)
	return nil
}
func (m *Macro) Undo(d *Doc) {
	for m.done--; m.done >= 0; m.done-- {
		m.Cmds[m.done].Undo(d)
	}
}

type Editor struct {
	Doc
	undo, redo []Command
	onChange   []func(before, after string)
}

func (e *Editor) String() string {
	return string(e.text[:e.cursor]) + "|" + string(e.text[e.cursor:])
}
func (e *Editor) notify(op func()) {
	before := e.String()
	op()
	for _, f := range e.onChange {
		f(before, e.String())
	}
}
func (e *Editor) Exec(c Command) (err error) {
	e.notify(func() {
		if err = c.Do(&e.Doc); err == nil {
			e.undo, e.redo = append(e.undo, c), nil
		}
	})
	return
}
func shift(e *Editor, from, to *[]Command, f func(Command)) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	c := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, c)
	e.notify(func() { f(c) })
	return true
}
func (e *Editor) Undo() bool { return shift(e, &e.undo, &e.redo, func(c Command) { c.Undo(&e.Doc) }) }
func (e *Editor) Redo() bool {
	return shift(e, &e.redo, &e.undo, func(c Command) {
		if err := c.Do(&e.Doc); err != nil {
			panic(err)
		}
	})
}

func main() {
	var e Editor
	changes := 0
	e.onChange = append(e.onChange, func(b, a string) {
		if b != a {
			changes++
		}
	})
	cmds := []Command{
		&Insert{S: "hello wörld"}, &Insert{At: 5, S: ","}, Move{&base{}, 0}, &Delete{From: 0, N: 1}, &Insert{At: 0, S: "H"},
		&Insert{At: 99, S: "x"}, &Delete{From: 8, N: 50},
		&Macro{Name: "wrap", Cmds: []Command{&Insert{S: "<<"}, Move{new(base), 5}, &Insert{At: 14, S: ">>"}}},
		&Macro{Name: "bad", Cmds: []Command{&Insert{S: "zz"}, &Delete{From: 0, N: 3}, Move{new(base), -1}}},
	}
	for _, c := range cmds {
		name := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", c), "*"), "main.")
		if err := e.Exec(c); err != nil {
			fmt.Printf("%-7s %v => %v\n", name, &e, err)
			continue
		}
		fmt.Printf("%-7s %v\n", name, &e)
	}
	steps := 0
	for e.Undo() {
		steps++
		fmt.Println("undo", &e)
	}
	for range 3 {
		fmt.Println("redo", e.Redo(), e.String())
	}
	e.Exec(&Insert{At: 2, S: "日本"})
	fmt.Println(&e, len(e.redo), e.Redo(), steps, changes, len(e.undo))
	var c Command = Move{&base{}, 3}
	_, isMacro := c.(*Macro)
	fmt.Printf("%v %+v %v\n", isMacro, RangeErr{1, 2}, e.Doc.check(-4))
}
