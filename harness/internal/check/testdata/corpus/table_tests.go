package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type T struct {
	name   string
	failed bool
	logs   []string
	parent *T
	subs   []*T
	clean  []func()
}

type failNow struct{ t *T }

func (t *T) Errorf(f string, a ...any) {
	t.failed = true
	t.logs = append(t.logs, fmt.Sprintf(f, a...))
}
func (t *T) Fatalf(f string, a ...any) { t.Errorf(f, a...); panic(failNow{t}) }
func (t *T) Cleanup(f func())          { t.clean = append(t.clean, f) }
func (t *T) Helper()                   {}
func (t *T) Run(name string, f func(*T)) bool {
	sub := &T{name: strings.ReplaceAll(t.name+"/"+name, " ", "_"), parent: t}
	t.subs = append(t.subs, sub)
	func() {
		defer func() {
			for i := len(sub.clean) - 1; i >= 0; i-- {
				sub.clean[i]()
			}
			if r := recover(); r != nil {
				if fn, ok := r.(failNow); !ok || fn.t != sub {
					sub.failed = true
					sub.logs = append(sub.logs, fmt.Sprint("panic: ", r))
				}
			}
		}()
		f(sub)
	}()
	if sub.failed {
		t.failed = true
	}
	return !sub.failed
}

func assertEq[V comparable](t *T, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("got %v (%T), want %v", got, got, want)
	}
}

func parseRange(s string) (lo, hi int, err error) {
	n, err := fmt.Sscanf(s, "%d-%d", &lo, &hi)
	switch {
	case n == 1:
		return lo, lo, nil
	case err != nil:
		return 0, 0, fmt.Errorf("range %q: %w", s, err)
	case lo > hi:
		return 0, 0, errInverted
	}
	return
}

var errInverted = errors.New("inverted")

func (t *T) report(depth int) {
	for _, s := range t.subs {
		status := map[bool]string{true: "FAIL", false: "PASS"}[s.failed]
		fmt.Printf("%s--- %s: %s\n", strings.Repeat("    ", depth), status, s.name)
		for _, l := range s.logs {
			fmt.Printf("%s    %s\n", strings.Repeat("    ", depth), l)
		}
		s.report(depth + 1)
	}
}

func main() {
	root := &T{name: "Root"}
	tests := map[string]struct {
		in     string
		lo, hi int
		err    error
	}{
		"simple": {in: "1-5", lo: 1, hi: 5},
		"single": {"7", 7, 7, nil},
		"bad":    {in: "5-1", err: errInverted},
	}
	for _, name := range []string{"simple", "single", "bad"} {
		tt := tests[name]
		root.Run(name, func(t *T) {
			lo, hi, err := parseRange(tt.in)
			if !errors.Is(err, tt.err) {
				t.Fatalf("err = %v, want %v", err, tt.err)
			}
			assertEq(t, [2]int{lo, hi}, [2]int{tt.lo, tt.hi})
		})
	}
	order := []string{}
	root.Run("with cleanup", func(t *T) {
		t.Cleanup(func() { order = append(order, "first") })
		t.Cleanup(func() { order = append(order, "second") })
		t.Run("inner fails", func(t *T) {
			assertEq(t, "a", "b")
			assertEq[any](t, 1, int64(1))
			t.Fatalf("stop %d", 1)
			order = append(order, "unreachable")
		})
		t.Run("inner panics", func(t *T) { var m map[string][]int; m["x"] = nil })
		order = append(order, "after")
	})
	_, _, err := parseRange("x")
	fmt.Println(err, order)
	root.report(0)
	if root.failed {
		os.Exit(1)
	}
}
