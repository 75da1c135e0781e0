package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

type Ring[T any] struct {
	buf        []T
	head, size int
	overwrite  bool
	dropped    func(T)
}

var (
	ErrFull  = errors.New("ring: full")
	ErrEmpty = errors.New("ring: empty")
)

func NewRing[T any](n int, opts ...func(*Ring[T])) *Ring[T] {
	r := &Ring[T]{buf: make([]T, n)}
	for _, o := range opts {
		o(r)
	}
	return r
}
func Overwrite[T any](f func(T)) func(*Ring[T]) {
	return func(r *Ring[T]) { r.overwrite, r.dropped = true, f }
}
func (r *Ring[T]) Push(vs ...T) (n int, err error) {
	for _, v := range vs {
		if r.size == len(r.buf) {
			if !r.overwrite {
				return n, ErrFull
			}
			old, _ := r.Pop()
			if r.dropped != nil {
				r.dropped(old)
			}
		}
		r.buf[(r.head+r.size)%len(r.buf)] = v
		r.size++
		n++
	}
	return
}
func (r *Ring[T]) Pop() (v T, err error) {
	if r.size == 0 {
		err = ErrEmpty
		return
	}
	var zero T
	v, r.buf[r.head] = r.buf[r.head], zero
	r.head = (r.head + 1) % len(r.buf)
	r.size--
	return v, nil
}
func (r Ring[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range r.size {
			if !yield(i, r.buf[(r.head+i)%len(r.buf)]) {
				break
			}
		}
	}
}
func (r *Ring[T]) Backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := r.size - 1; i >= 0 && yield(r.buf[(r.head+i)%len(r.buf)]); i-- {
		}
	}
}

type ByteRing struct{ *Ring[byte] }

func (b ByteRing) Write(p []byte) (int, error) {
	n, err := b.Push(p...)
	if err != nil {
		err = fmt.Errorf("%w after %d of %d bytes: %w", io.ErrShortWrite, n, len(p), err)
	}
	return n, err
}
func (b ByteRing) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := b.Pop()
		if err != nil {
			break
		}
		p[n] = c
		n++
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
func (b ByteRing) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

type MovingAvg struct {
	*Ring[float64]
	sum float64
}

func (m *MovingAvg) Add(x float64) float64 {
	m.sum += x
	m.Push(x)
	return m.sum / float64(m.size)
}

func main() {
	r := NewRing[string](3)
	fmt.Println(r.Push("a", "b"))
	fmt.Println(r.Push("c", "d", "e"))
	v, err := r.Pop()
	fmt.Println(v, err)
	r.Push("f")
	for i, s := range r.All() {
		fmt.Print(i, "=", s, " ")
	}
	fmt.Println(slices.Collect(r.Backward()), r.buf, r.head)
	for range 4 {
		if v, err := r.Pop(); errors.Is(err, ErrEmpty) {
			fmt.Printf("%q %v\n", v, err)
		}
	}
	br := ByteRing{NewRing[byte](8)}
	n, err := io.WriteString(br, "hello")
	fmt.Println(n, err)
	n, err = fmt.Fprintf(br, " %s", "world")
	fmt.Println(n, err, errors.Is(err, ErrFull), errors.Is(err, io.ErrShortWrite))
	b, err := io.ReadAll(br)
	fmt.Printf("%q %v\n", b, err)
	n64, err := io.Copy(br, strings.NewReader("tiny"))
	fmt.Println(n64, err, br.size)
	m := &MovingAvg{}
	m.Ring = NewRing(3, Overwrite(func(f float64) { m.sum -= f }))
	for i, x := range []float64{1, 2, 3, 10, 20, 30} {
		fmt.Printf("%d:%.2f ", i, m.Add(x))
	}
	fmt.Println(m.sum)
	type job struct {
		id   int
		deps []string
	}
	jr := NewRing[*job](2, func(r *Ring[*job]) { r.overwrite = true })
	for i := range 5 {
		jr.Push(&job{id: i, deps: make([]string, i)})
	}
	for _, j := range jr.All() {
		fmt.Printf("%+v ", *j)
	}
	first := func(seq iter.Seq[*job]) *job {
		for j := range seq {
			return j
		}
		return nil
	}
	fmt.Println(first(jr.Backward()).id, first(NewRing[*job](1).Backward()))
	fmt.Printf("%T %T\n", jr, br)
}
