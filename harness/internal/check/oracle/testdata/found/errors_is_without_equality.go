package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Error types without ==: errors.Is compares nothing and goes on.
type list []error

func (l list) Error() string { return fmt.Sprintf("%d errors", len(l)) }

type fields map[string]string

func (fields) Error() string { return "fields" }

type bag struct {
	name string
	xs   []int
}

func (b bag) Error() string { return b.name }
func (b bag) Is(target error) bool {
	t, ok := target.(bag)
	return ok && t.name == b.name
}

type holder struct{ v any }

func (holder) Error() string { return "holder" }

type tree []error

func (t tree) Error() string   { return "tree" }
func (t tree) Unwrap() []error { return t }

type lazy func() string

func (l lazy) Error() string { return l() }

type code int

func (c code) Error() string { return fmt.Sprint("code ", int(c)) }

type wrap struct{ error }

func (w wrap) Unwrap() error { return w.error }

var io2 = wrap{io.EOF}

func try(f func() bool) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic", r)
		}
	}()
	fmt.Println(f())
}

func main() {
	try(func() bool { return errors.Is(list{}, list{}) })
	try(func() bool { return errors.Is(fields{}, fields{}) })
	try(func() bool { return errors.Is(lazy(nil), lazy(nil)) })
	try(func() bool { return errors.Is(bag{"a", nil}, bag{"a", []int{1}}) })
	try(func() bool { return errors.Is(bag{"a", nil}, bag{"b", nil}) })
	try(func() bool { return errors.Is(fmt.Errorf("w: %w", list{}), list{}) })
	try(func() bool { return errors.Is(&bag{"a", nil}, &bag{"a", nil}) })
	p := &bag{"p", nil}
	try(func() bool { return errors.Is(wrap{p}, p) })
	try(func() bool { return errors.Is(errors.Join(list{}, io.EOF), io.EOF) })
	try(func() bool { return errors.Is(tree{nil, list{}, tree{code(4)}}, code(4)) })
	try(func() bool { return errors.Is(tree{code(4)}, tree{code(4)}) })
	try(func() bool { return errors.Is(list{io.EOF}, io.EOF) })
	try(func() bool { return errors.Is(holder{1}, holder{1}) })
	try(func() bool { return errors.Is(holder{list{}}, holder{list{}}) })
	try(func() bool { return errors.Is(holder{1}, holder{list{}}) })
	try(func() bool { return errors.Is(wrap{list{}}, wrap{list{}}) })
	try(func() bool { return errors.Is(fmt.Errorf("%w", io2), io.EOF) })
	try(func() bool { return errors.Is(wrap{nil}, io.EOF) })
	try(func() bool { return errors.Is(nil, nil) })
	try(func() bool { return errors.Is(nil, list(nil)) })
	try(func() bool { return errors.Is(list(nil), nil) })
	try(func() bool { return errors.Is(&fs.PathError{Err: fs.ErrNotExist}, fs.ErrNotExist) })
	try(func() bool { return errors.Is(context.DeadlineExceeded, context.DeadlineExceeded) })
	is := errors.Is
	try(func() bool { return is(list{}, list{}) })
	try(func() bool { return is(fmt.Errorf("a %w b %w", code(1), code(2)), code(2)) })
	defer fmt.Println("deferred")
	defer errors.Is(list{}, list{})
}
