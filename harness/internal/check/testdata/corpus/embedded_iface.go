// Embedding: interfaces in structs, overriding, depth ambiguity resolved, promoted pointers, decorator chains.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

type Store interface {
	Get(k string) (string, error)
	Set(k, v string) error
}

type mem map[string]string

var ErrNotFound = errors.New("not found")

func (m mem) Get(k string) (string, error) {
	if v, ok := m[k]; ok {
		return v, nil
	}
	return "", fmt.Errorf("get %q: %w", k, ErrNotFound)
}
func (m mem) Set(k, v string) error { m[k] = v; return nil }

type logged struct {
	Store
	log *[]string
}

func (l logged) Get(k string) (v string, err error) {
	defer func() { *l.log = append(*l.log, fmt.Sprintf("get(%s)=%q,%v", k, v, err != nil)) }()
	return l.Store.Get(k)
}

type readOnly struct{ Store }

func (readOnly) Set(k, _ string) error { return fmt.Errorf("set %s: read-only", k) }

type prefixed struct {
	Store
	prefix string
}

func (p prefixed) Get(k string) (string, error) { return p.Store.Get(p.prefix + k) }
func (p prefixed) Set(k, v string) error        { return p.Store.Set(p.prefix+k, v) }

type countingWriter struct {
	io.Writer
	n int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += n
	return n, err
}

type upperReader struct{ io.Reader }

func (u upperReader) Read(p []byte) (n int, err error) {
	n, err = u.Reader.Read(p[:min(len(p), 3)])
	copy(p, bytes.ToUpper(p[:n]))
	return
}

type reverse struct{ sort.Interface }

func (r reverse) Less(i, j int) bool { return r.Interface.Less(j, i) }

type Base struct{ ID int }

func (b Base) Describe() string { return fmt.Sprint("base ", b.ID) }
func (b *Base) SetID(i int)     { b.ID = i }

type Left struct{ Base }
type Right struct{ *Base }

func (Left) Describe() string { return "left" }

type Both struct {
	Left
	Right
	Base Base
}

type describer interface{ Describe() string }

func main() {
	var log []string
	m := mem{"app.x": "1"}
	var s Store = logged{prefixed{m, "app."}, &log}
	fmt.Println(s.Get("x"))
	fmt.Println(s.Set("y", "2"), m)
	_, err := s.Get("z")
	fmt.Println(err, errors.Is(err, ErrNotFound))
	s = readOnly{s}
	fmt.Println(s.Set("q", ""), len(m))
	s.Get("y")
	fmt.Println(strings.Join(log, "; "))
	if _, ok := s.(interface{ Set(string, string) error }); ok {
		fmt.Printf("%T\n", s.(readOnly).Store)
	}

	var buf strings.Builder
	cw := &countingWriter{Writer: &buf}
	n, err := io.Copy(cw, upperReader{strings.NewReader("hello, wörld")})
	fmt.Println(n, err, cw.n, buf.String())
	fmt.Fprintf(cw, "%05d", 42)
	io.WriteString(cw, "!")
	fmt.Println(cw.n, buf.Len())

	xs := []int{3, 1, 2}
	sort.Sort(reverse{sort.IntSlice(xs)})
	fmt.Println(xs)
	w := []string{"b", "A", "c"}
	sort.Stable(reverse{reverse{sort.StringSlice(w)}})
	fmt.Println(w)

	b := Both{Left{Base{1}}, Right{&Base{2}}, Base{3}}
	fmt.Println(b.Left.Describe(), b.Right.Describe(), b.Base.Describe(), b.Base.ID, b.Left.ID, b.Right.ID)
	b.Right.SetID(20)
	b.Left.SetID(10)
	(&b).Base.SetID(30)
	c := b
	c.Right.ID++
	c.Left.ID++
	fmt.Println(b.Left, *b.Right.Base, b.Base, c.Left.Base.ID)
	for _, d := range []describer{b.Left, b.Right, &b.Base, Right{}} {
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Println("panic:", r)
				}
			}()
			fmt.Printf("%T %s\n", d, d.Describe())
		}()
	}
	var nilStore readOnly
	defer func() { fmt.Println("end:", recover()) }()
	fmt.Println(nilStore.Set("k", ""))
	nilStore.Get("k")
}
