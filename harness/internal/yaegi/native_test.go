package yaegi_test

import (
	"strings"
	"testing"
)

const fails = `package main

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
	"strings"
)

type inner struct{ V []int }

type rec struct {
	*inner
	Name string
	Next *rec
	By   map[string][]uint8
}

func (r rec) first() byte {
	return r.Name[0] // in a method
}

func divide(a, b int) int {
	a = a + 0
	return a / b // in a function
}

func rest(a, b int) int {
	if a > 2 {
		return a % // in a nested function
			b
	}
	return 0
}

func twice(a, b int) int { return rest(a, b) * 2 }

type byNext []*rec

func (b byNext) Len() int { return len(b) }
func (b byNext) Less(i, j int) bool {
	return len(b[i].Name) > 0 || // in a sorter
		b[i].Next.Name < b[j].Next.Name
}
func (b byNext) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *byNext) Push(x any)   { *b = append(*b, x.(*rec)) }
func (b *byNext) Pop() any     { return nil }

var _, _, _, _, _ = cmp.Compare[int], heap.Init, slices.Sort[[]int], sort.Ints, strings.Map

func main() {
	xs := []int{3, 0, 2, 0, 1}
	recs := []rec{{Name: "b"}, {Name: ""}, {Name: "a"}}
	_, _ = xs, recs
	BODY
}
`

// TestNativeFailuresTellTheirLine: a function that native code runs fails in the statement
// in which it fails in Go.
func TestNativeFailuresTellTheirLine(t *testing.T) {
	const (
		memory = "runtime error: invalid memory address or nil pointer dereference"
		divide = "runtime error: integer divide by zero"
	)
	for _, tt := range []struct{ name, body, panic, at string }{
		{"index", "sort.Slice(xs, func(i, j int) bool {\n\t\tn := 5\n\t\treturn xs[i+n] < xs[j] // here\n\t})", "runtime error: index out of range [6] with length 5", "here"},
		{"negative", "sort.Slice(xs, func(i, j int) bool {\n\t\tif xs[0] > 0 {\n\t\t\ti -= 0\n\t\t\treturn xs[-j-1] > 0 // here\n\t\t}\n\t\treturn false\n\t})", "runtime error: index out of range [-1]", "here"},
		{"division", "slices.SortFunc(xs, func(a, b int) int {\n\t\tx := a % 7\n\t\treturn x / b // here\n\t})", divide, "here"},
		{"shift", "slices.IndexFunc(xs, func(a int) bool {\n\t\treturn a > 90 || // here\n\t\t\t1<<(a-2) > 90\n\t})", "runtime error: negative shift amount", "here"},
		{"nil", "slices.IndexFunc(recs, func(r rec) bool {\n\t\treturn r.Next == nil && // here\n\t\t\tr.Next.Next == nil\n\t})", memory, "here"},
		{"embedded", "slices.IndexFunc(recs, func(r rec) bool {\n\t\tif r.Name != \"x\" {\n\t\t\treturn r.V == nil // here\n\t\t}\n\t\treturn true\n\t})", memory, "here"},
		{"method", "slices.IndexFunc(recs, func(r rec) bool {\n\t\treturn r.first() == 'x'\n\t})", "runtime error: index out of range [0] with length 0", "in a method"},
		{"function", "slices.SortFunc(xs, func(a, b int) int {\n\t\treturn divide(a, b)\n\t})", divide, "in a function"},
		{"nested", "slices.SortFunc(xs, func(a, b int) int {\n\t\treturn cmp.Or(twice(b, a), 1)\n\t})", divide, "in a nested function"},
		{"named", "slices.SortFunc(xs, divide)", divide, "in a function"},
		{"map", "slices.ContainsFunc(recs, func(r rec) bool {\n\t\treturn r.By[r.Name] == nil && r.Name == \"\" && // here\n\t\t\tr.By[\"\"][len(xs)] > 3\n\t})", "runtime error: index out of range [5] with length 0", "here"},
		{"search", "sort.Search(100, func(i int) bool {\n\t\treturn xs[i] > 3 // here\n\t})", "runtime error: index out of range [50] with length 5", "here"},
		{"runes", "strings.IndexFunc(\"abc\", func(r rune) bool {\n\t\tx := 'c' - r\n\t\treturn x/(r-'b') > 2 // here\n\t})", divide, "here"},
		{"sorter", "l := byNext{{Name: \"x\"}, {}, {Name: \"y\"}}\n\tsort.Sort(l)", memory, "in a sorter"},
		{"heap", "l := byNext{}\n\theap.Push(&l, &rec{})\n\theap.Push(&l, &rec{})", memory, "in a sorter"},
		{"extreme", "slices.MaxFunc([]string{}, func(a, b string) int { return len(a) - len(b) }) // here", "slices.MaxFunc: empty list", "here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.Replace(fails, "BODY", tt.body, 1)
			before, _, _ := strings.Cut(src, "// "+tt.at)
			want := strings.Count(before, "\n") + 1
			r, err := inTime(t, func() (*result, error) { return runScript("script.go", []byte(src)) })
			if err != nil {
				t.Fatal(err)
			}
			if r.panic != tt.panic || len(r.trace) == 0 || r.trace[0].Line != want {
				t.Errorf("got %q at %+v, want %q in line %d", r.panic, r.trace, tt.panic, want)
			}
		})
	}
}
