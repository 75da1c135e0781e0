package main

import (
	"fmt"
	"io"
	"sync"
)

func try(name string, f func()) {
	defer func() { fmt.Println(name, "->", recover()) }()
	f()
}

type Closer interface{ Close() error }

// Pointer, Value and Late recover in the method, the others in something that it calls.
type Pointer struct{ n int }

func (p *Pointer) Close() error { fmt.Println("pointer", p.n, recover()); return nil }

type Value struct{ n int }

func (v Value) Close() error { fmt.Println("value", v.n, recover()); return nil }

type Late struct{}

func (Late) Close() error {
	for i := range 2 {
		defer func() { fmt.Println("late", i, recover()) }()
	}
	fmt.Println("late", recover())
	return nil
}

type Literal struct{}

func (Literal) Close() error { func() { fmt.Println("literal", recover()) }(); return nil }

type Helped struct{}

func (Helped) Close() error { help(); return nil }

func help() { fmt.Println("help", recover()) }

type Inner struct{ c Closer }

func (in Inner) Close() error { return in.c.Close() }

// Embedding an interface, a pointer, or both, puts wrappers before the method.
type Embeds struct{ Closer }
type Twice struct{ Embeds }
type EmbedsPointer struct{ *Pointer }

func method(c Closer)     { defer c.Close(); panic("method") }
func bound(c Closer)      { f := c.Close; defer f(); panic("bound") }
func expression(c Closer) { defer Closer.Close(c); panic("expression") }
func library(c io.Closer) { defer c.Close(); panic("library") }
func libraryBound(c io.Closer) {
	f := c.Close
	defer f()
	panic("library bound")
}
func within(c Closer) { defer func() { c.Close() }(); panic("within") }
func many(c Closer) {
	for range 2 {
		defer c.Close()
	}
	panic("many")
}
func generic[T Closer](c T)  { defer c.Close(); panic("generic") }
func element(c [2]Closer)    { defer c[1].Close(); panic("element") }
func result(f func() Closer) { defer f().Close(); panic("result") }
func returns(c Closer)       { defer c.Close() }
func again(c Closer) {
	defer func() {
		c.Close()
		method(c)
		fmt.Println("again", recover())
	}()
	panic("again")
}

func main() {
	p := &Pointer{1}
	for i, c := range []Closer{p, Value{2}, &Value{3}, Late{}, Literal{}, Helped{}, Inner{p}, Embeds{p}, &Embeds{Value{4}}, Twice{Embeds{p}}, EmbedsPointer{p}, Embeds{Helped{}}} {
		try(fmt.Sprint(i, " method"), func() { method(c) })
		try("bound", func() { bound(c) })
		try("expression", func() { expression(c) })
		try("library", func() { library(c) })
		try("library bound", func() { libraryBound(c) })
		try("within", func() { within(c) })
		try("many", func() { many(c) })
		try("generic", func() { generic(c) })
		try("element", func() { element([2]Closer{nil, c}) })
		try("result", func() { result(func() Closer { return c }) })
		try("returns", func() { returns(c) })
		try("again", func() { again(c) })
	}
	try("generic pointer", func() { generic(p) })
	try("generic embedding", func() { generic(Twice{Embeds{Value{5}}}) })
	try("expression of a value", func() { v := Value{6}; defer Value.Close(v); v.n = 0; panic("v") })
	try("expression of a pointer", func() { defer (*Pointer).Close(p); panic("p") })
	try("of the library", func() { defer sync.OnceFunc(func() { fmt.Println("once", recover()) })(); panic("once") })
	try("of the script", func() { f := func() { fmt.Println("script", recover()) }; defer f(); panic("script") })
	try("nil", func() { var c Closer; defer c.Close(); fmt.Println("not here") })
}
