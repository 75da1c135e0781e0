package library

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypesAndDefaultsOfInputs(t *testing.T) {
	got := Inputs(`var m map[string][]int
var n int = 7
x := "a"; f := 1.5
b := true
var s struct { A, B int }
for _, in := range []any{Input("m", &m), Input("n", &n), Input("x", &x), Input("f", &f), Input("b", &b), Input("s", &s)} { _ = in }
y := g()
Input("y", &y)
Input("z", p)
Input("", &x)`)
	want := []Input{{"m", "map[string][]int", ""}, {"n", "int", "7"}, {"x", "string", `"a"`}, {"f", "float64", "1.5"},
		{"b", "bool", "true"}, {"s", "struct { A, B int }", ""}, {"y", "", ""}, {"z", "", ""}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	long := Inputs("x := `" + strings.Repeat("a", maxLiteral) + "`\nInput(\"x\", &x)")
	if d := cmp.Diff([]Input{{"x", "string", ""}}, long); d != "" {
		t.Error(d)
	}
}

func FuzzInputs(f *testing.F) {
	f.Add("var n int\nInput(\"n\", &n)")
	f.Add("Input(`")
	f.Fuzz(func(t *testing.T, source string) {
		if got := Inputs(source); len(got) > maxInputs {
			t.Errorf("%d inputs", len(got))
		}
	})
}
