// Table-driven conversions with function tables, comparison of floats, subtests by closures, summary by deferred report.
package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type T struct {
	name   string
	fails  []string
	parent *T
	runs   int
}

type skip struct{ why string }
type fatal struct{ msg string }

func (t *T) full() string {
	if t.parent == nil {
		return t.name
	}
	return t.parent.full() + "/" + t.name
}
func (t *T) Errorf(f string, a ...any) { t.fails = append(t.fails, fmt.Sprintf(f, a...)) }
func (t *T) Fatalf(f string, a ...any) { panic(fatal{fmt.Sprintf(f, a...)}) }
func (t *T) Skip(why string)           { panic(skip{why}) }

func (t *T) Run(name string, f func(*T)) (ok bool) {
	sub := &T{name: strings.ReplaceAll(name, " ", "_"), parent: t}
	t.runs++
	status := "ok"
	defer func() {
		switch r := recover().(type) {
		case nil:
		case skip:
			status = "skip: " + r.why
		case fatal:
			sub.fails = append(sub.fails, r.msg)
		case error:
			sub.fails = append(sub.fails, "error: "+r.Error())
		default:
			sub.Errorf("panic: %v (%T)", r, r)
		}
		if len(sub.fails) > 0 {
			status = "FAIL"
			t.fails = append(t.fails, sub.name)
		}
		ok = status == "ok"
		fmt.Printf("%-5s %s %s\n", status, sub.full(), strings.Join(sub.fails, "; "))
	}()
	f(sub)
	return
}

func check[In, Out any](t *T, cases map[string]struct {
	In   In
	Want Out
}, names []string, f func(In) Out, eq func(a, b Out) bool) {
	for _, n := range names {
		c := cases[n]
		t.Run(n, func(t *T) {
			if got := f(c.In); !eq(got, c.Want) {
				t.Errorf("f(%v) = %v, want %v", c.In, got, c.Want)
			}
		})
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-9 || a != a && b != b }

func humanBytes(n int64) string {
	if n < 0 {
		return "-" + humanBytes(-n)
	}
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + "B"
	}
	div, exp := int64(unit), 0
	for m := n / unit; m >= unit; m /= unit {
		div *= unit
		exp++
	}
	return fmt.Sprintf("%.1f%ciB", float64(n)/float64(div), "KMGTPE"[exp])
}

func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "in " + strings.TrimSuffix(ago(-d), " ago")
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return plural(int(d/time.Hour), "hour") + " ago"
	}
	return plural(int(d.Hours())/24, "day") + " ago"
}

func plural(n int, w string) string {
	if n != 1 {
		w += "s"
	}
	return strconv.Itoa(n) + " " + w
}

func ellipsis(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	rs := []rune(s)
	return strings.TrimRight(string(rs[:max(n-1, 0)]), " ") + "…"
}

func safeDiv(a, b float64) (q float64, err error) {
	if q = a / b; math.IsInf(q, 0) || math.IsNaN(q) {
		return q, errors.New("not finite")
	}
	return
}

func main() {
	root := &T{name: "all"}
	type bc = struct {
		In   int64
		Want string
	}
	root.Run("bytes", func(t *T) {
		check(t, map[string]bc{"zero": {0, "0B"}, "kib": {1536, "1.5KiB"}, "max": {math.MaxInt64, "8.0EiB"}, "neg": {-2048, "-2.0KiB"}, "wrong on purpose": {1023, "1KiB"}},
			[]string{"zero", "kib", "max", "neg", "wrong on purpose"}, humanBytes, func(a, b string) bool { return a == b })
	})
	root.Run("ago", func(t *T) {
		for d, want := range map[time.Duration]string{90 * time.Minute: "1 hour ago"} {
			if got := ago(d); got != want {
				t.Errorf("%v: %s", d, got)
			}
		}
		fmt.Println(ago(0), ago(2*time.Minute), ago(-25*time.Hour), ago(49*time.Hour), ago(-5*time.Minute))
	})
	root.Run("floats", func(t *T) {
		ok := t.Run("nan", func(t *T) {
			if !near(math.Sqrt(-1), math.NaN()) || !near(0.1+0.2, 0.3) {
				t.Fatalf("unreachable")
			}
		})
		t.Run("fatal stops", func(t *T) {
			defer fmt.Println("  deferred in fatal, first ok:", ok)
			if _, err := safeDiv(1, 0); err != nil {
				t.Fatalf("div: %v", err)
			}
			fmt.Println("never")
		})
		t.Run("skipped", func(t *T) { t.Skip("no reason") })
	})
	root.Run("panics", func(t *T) {
		t.Run("index", func(t *T) { _ = []int{}[t.runs] })
		t.Run("string", func(*T) { panic("plain") })
		t.Run("custom", func(*T) { panic(struct{ A, B int }{1, 2}) })
		t.Run("nil map", func(t *T) { var m map[string]*T; m[t.name] = t })
		t.Errorf("and one of my own")
	})
	root.Run("ellipsis", func(t *T) {
		for _, c := range []struct {
			s    string
			n    int
			want string
		}{{"héllo wörld", 7, "héllo…"}, {"abc", 3, "abc"}, {"abc", 0, "…"}, {"😀😀😀", 2, "😀…"}} {
			if got := ellipsis(c.s, c.n); got != c.want {
				t.Errorf("%q", got)
			}
		}
	})
	fmt.Println(root.runs, root.fails)
}
