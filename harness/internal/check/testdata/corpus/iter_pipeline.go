// Lazy pipelines of iter.Seq: map, filter, take, zip, chunk, pull; early exits run the clean-up.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

func Count(from int, done *[]string) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *done = append(*done, fmt.Sprint("count", from)) }()
		for i := from; ; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func Map[A, B any](s iter.Seq[A], f func(A) B) iter.Seq[B] {
	return func(yield func(B) bool) {
		for a := range s {
			if !yield(f(a)) {
				return
			}
		}
	}
}

func Filter[T any](s iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		s(func(t T) bool { return !keep(t) || yield(t) })
	}
}

func Take[T any](s iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for t := range s {
			if i++; !yield(t) || i == n {
				return
			}
		}
	}
}

func Zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for x := range a {
			y, ok := next()
			if !ok || !yield(x, y) {
				return
			}
		}
	}
}

func Chunk[T any](s iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var buf []T
		for t := range s {
			if buf = append(buf, t); len(buf) == n {
				if !yield(slices.Clone(buf)) {
					return
				}
				buf = buf[:0]
			}
		}
		if len(buf) > 0 {
			yield(buf)
		}
	}
}

func firstPair(limit int) (a, b int, err error) {
	var done []string
	defer func() {
		if len(done) != 2 {
			err = fmt.Errorf("clean-up ran %d times", len(done))
		}
	}()
	for x := range Count(1, &done) {
		for y := range Count(x, &done) {
			if x*x+y*y > limit {
				if y == x {
					return x, y, nil
				}
				break
			}
		}
		done = done[:0]
	}
	return -1, -1, nil
}

func main() {
	var done []string
	sq := Map(Filter(Count(1, &done), func(i int) bool { return i%3 != 0 }), func(i int) int { return i * i })
	fmt.Println(slices.Collect(Take(sq, 5)), done)
	for i, w := range Zip(Count(10, &done), strings.SplitSeq("x,y,z", ",")) {
		fmt.Print(i, w, " ")
	}
	fmt.Println(done)
	for c := range Chunk(Take(Count(0, &done), 7), 3) {
		fmt.Print(c, len(c), " ")
	}
	fmt.Println()
	m := maps.Collect(Zip(slices.Values([]string{"a", "b"}), Take(sq, 9)))
	fmt.Println(m)
	fmt.Println(firstPair(50))
outer:
	for i := range Count(0, &done) {
		for j := range Take(Count(i, &done), 3) {
			switch {
			case j%2 == 0:
				continue
			case i == 4:
				break outer
			case j > i+1:
				continue outer
			}
			fmt.Print(i, ":", j, " ")
		}
	}
	fmt.Println(len(done))
	next, stop := iter.Pull2(maps.All(map[string]int{"only": 1}))
	k, v, ok := next()
	fmt.Println(k, v, ok)
	k, v, ok = next()
	fmt.Printf("%q %d %t\n", k, v, ok)
	stop()
	for i := range slices.Backward([]int{1, 2, 3}) {
		defer fmt.Print("d", i, " ")
	}
	for s := range strings.Lines("one\ntwo\nthree") {
		fmt.Printf("%q ", s)
	}
}
