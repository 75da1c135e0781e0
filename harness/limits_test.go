package harness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
)

// numbered joins a text for each of n numbers.
func numbered(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, ", ")
}

// TestTypesThatCannotBeMadeAreRefused: what Go's compiler or reflect has no room
// for is a fault of the script, and nothing of it runs.
func TestTypesThatCannotBeMadeAreRefused(t *testing.T) {
	wide := func(use string) string {
		return "func f(" + numbered(140, "a# int") + ") int { return a0 + a139 }\ntype T int\nfunc (t T) F(" +
			numbered(140, "a# int") + ") {}\nfmt.Println(1)\n" +
			strings.ReplaceAll(use, "ARGS", numbered(140, "#"))
	}
	h := harness.New(nil)
	for name, script := range map[string]string{
		"a channel of large elements": "fmt.Println(1)\nc := make(chan [65536]byte, 1)\nc <- [65536]byte{}",
		"of structs": "type T struct { A [70000]byte }\nfmt.Println(1)\nvar c chan T\nReturn(c " +
			"== nil)",
		"of padded structs": "type T struct { A [4095]struct { A byte; B int64 }; C [3]int64 " +
			"}\nfmt.Println(1)\nvar c chan T\nReturn(c == nil)",
		"of a type parameter":                 "func f[T any]() any { return make(chan T) }\nfmt.Println(1)\nf[[65536]byte]()",
		"a function value of many parameters": wide("g := f\nReturn(g(ARGS))"),
		"a literal": "fmt.Println(1)\nf := func(" + numbered(140, "a# int") + ") {}\nf(" +
			numbered(140, "#") + ")",
		"a type":                  "type F func(" + numbered(140, "int") + ")\nfmt.Println(1)\nvar f F\nReturn(f == nil)",
		"a deferred call":         wide("defer f(ARGS)"),
		"a method in a goroutine": wide("go T(1).F(ARGS)"),
		"a method by reflect":     wide("Return(reflect.TypeOf(T(1)).Method(0).Type.NumIn())"),
	} {
		t.Run(name, func(t *testing.T) {
			res, err := h.Run(t.Context(), &harness.Script{Source: script})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != outcome.CompileError || res.Stdout != "" {
				t.Errorf("%s, printed %q", res.Status, res.Stdout)
			}
			text := fmt.Sprintf("%+v", *res.Error)
			for _, stack := range []string{"goroutine ", ".go:", "/yaegi", "runtime."} {
				if strings.Contains(text, stack) {
					t.Errorf("it tells of this machine: %s", text)
				}
			}
			if !strings.Contains(text, "not supported: a ") {
				t.Error(text)
			}
		})
	}
	t.Run("a call alone is none of these", func(t *testing.T) {
		res, err := h.Run(t.Context(), &harness.Script{Source: wide("T(1).F(ARGS)\nReturn(f(ARGS))")})
		if err != nil || string(res.Value) != "139" {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// TestStructsThatShareStructsAreMadeOnce: there are 2^39 ways through these types.
func TestStructsThatShareStructsAreMadeOnce(t *testing.T) {
	const n = 40
	var two, all, inside strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&two, "type T%d struct { A, B *T%d }\n", i, i+1)
		fmt.Fprintf(&inside, "type T%d struct { *A%d; *B%d; N%d int }\ntype A%d struct { *T%d }\ntype B%d struct { *T%d }\n",
			i, i, i, i, i, i+1, i, i+1)
		fmt.Fprintf(&all, "type T%d struct {\n", i)
		for k := i + 1; k < n; k++ {
			fmt.Fprintf(&all, "F%d *T%d\n", k, k)
		}
		all.WriteString("}\n")
	}
	last := fmt.Sprintf("type T%d struct { X int }\n", n-1)
	h := harness.New(nil)
	for name, c := range map[string]struct{ script, want string }{
		"returned": {two.String() + last + "Return(T0{A: &T1{}})", `{"A":{"A":null,"B":null},"B":null}`},
		"read": {two.String() + last +
			"var v T0\nerr := json.Unmarshal([]byte(`{\"B\":{\"A\":{}}}`), &v)\nReturn(err == nil && v.B.A != nil && v.A == nil)", "true"},
		"compared": {two.String() + last + "var a, b any = T0{}, T0{}\nReturn(a == b && reflect.DeepEqual(a, b))",
			"true"},
		"named":        {two.String() + last + "Return(fmt.Sprintf(\"%T %T\", T0{}, []*T7{}))", `"main.T0 []*main.T7"`},
		"embedded":     {inside.String() + last + "Return(T0{A0: &A0{T1: &T1{N1: 5}}, N0: 7})", `{"N0":7}`},
		"of any later": {all.String() + last + "Return(len(fmt.Sprint(T0{F39: &T39{X: 7}})) > 39)", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := h.Run(t.Context(), &harness.Script{Source: c.script})
			if err != nil || res.Status != outcome.OK || string(res.Value) != c.want {
				t.Errorf("%v %s %v", err, res.Value, res.Error)
			}
		})
	}
}
