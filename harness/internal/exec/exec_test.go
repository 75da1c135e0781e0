package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/exec"
)

// deaf is a Host that has nothing, and takes what it is given.
type deaf struct{ exec.Host }

func (deaf) Return([]byte) {}

func compile(t *testing.T, src string) (*exec.Program, error) {
	t.Helper()
	script, bad := check.Parse([]byte(src))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	checked, bad := script.Check(&check.Options{Prelude: bridge.Prelude,
		Units: []check.Unit{{Path: "usetools/host", Source: bridge.Source, Host: true}}})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	return exec.Compile(checked)
}

func TestPanicsHaveTheirCode(t *testing.T) {
	for src, want := range map[string]exec.Code{
		"panic(\"boom\")":                                                       exec.CodePanic,
		"panic(\"index out of range\")":                                         exec.CodePanic,
		"panic(errors.New(\"runtime error: integer divide\"))":                  exec.CodePanic,
		"var m map[string]int\nm[\"a\"] = 1":                                    exec.CodeNilMap,
		"var p *int\nReturn(*p)":                                                exec.CodeNilPointer,
		"var v any = 3.0\nReturn(v.(int))":                                      exec.CodeFloatNotInt,
		"var v any = \"x\"\nReturn(v.(int))":                                    exec.CodeAssertion,
		"var v any\nReturn(v.(error))":                                          exec.CodeAssertion,
		"n := 1\nReturn([]int{}[n])":                                            exec.CodeIndex,
		"n := 1\nReturn([]int{}[n:])":                                           exec.CodeSliceBounds,
		"n := 0\nReturn(1 / n)":                                                 exec.CodeZeroDivisor,
		"c := make(chan int)\nclose(c)\nc <- 1":                                 exec.CodeClosedChannel,
		"var v struct{}\npanic(json.Unmarshal([]byte(`1`), v))":                 exec.CodeNoPointer,
		"n := 0\ndefer func() { panic(recover()) }()\nReturn(1 / n)":            exec.CodeZeroDivisor,
		"n := 0\ndefer func() { recover(); panic(\"again\") }()\nReturn(1 / n)": exec.CodeZeroDivisor,
		"defer func() { n := 0; recover(); Return(1 / n) }()\npanic(\"first\")": exec.CodePanic,
		"type E struct{}\nfunc (*E) Error() string { return \"\" }\n" +
			"var e E\nReturn(errors.As(errors.New(\"x\"), &e))": exec.CodeErrorTarget,
	} {
		p, err := compile(t, src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		out, err := p.Run(&exec.Options{Host: deaf{}})
		if err != nil || out.Panic == nil {
			t.Errorf("%s: got %+v, %v, want a panic", src, out, err)
			continue
		}
		if out.Panic.Code != want {
			t.Errorf("%s: got %s, want %s: %s", src, out.Panic.Code, want, out.Panic.Text)
		}
		if len(out.Panic.Trace) == 0 || !strings.HasPrefix(out.Panic.Trace[0].Func, "main.") {
			t.Errorf("%s: the trace is %v", src, out.Panic.Trace)
		}
	}
}

func TestWhatCannotRunIsRefused(t *testing.T) {
	src := "type T struct{ b [70000]byte }\nc := make(chan T, 1)\nc <- T{}\nReturn(len(c))"
	p, err := compile(t, src)
	if err == nil {
		_, err = p.Run(&exec.Options{Host: deaf{}})
	}
	var refused *exec.Refusal
	if !errors.As(err, &refused) || refused.Message == "" {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestScriptsThatMakeNoTypesRunWithAnyGo(t *testing.T) {
	defer exec.SetCheckTypes(func() error { return errors.New("this Go is unknown; go1.26 works") })()
	for _, src := range []string{
		"fmt.Println(\"a\", 1, []int{2}, map[string]any{\"b\": 2.5}, errors.New(\"c\"))",
		"type point struct{ X, Y int }\nps := []point{{1, 2}, {3, 4}}\nsum := 0\nfor _, p := range ps {\n\tsum += p.X\n}\nReturn(sum)",
		"type list struct {\n\tnext *list\n\tn int\n}\nfunc (l *list) len() int { return l.n }\nl := &list{nil, 1}\nl = &list{l, 2}\nReturn(l.next.n + l.len())",
		"type point struct{ X int }\nps := []point{{3}, {1}}\nslices.SortFunc(ps, func(a, b point) int { return a.X - b.X })\nReturn(ps[0].X)",
		"var v any\nif err := json.Unmarshal([]byte(`[1]`), &v); err != nil {\n\tpanic(err)\n}\nReturn(v.([]any)[0].(float64))",
		"type celsius float64\nc := celsius(1)\nReturn(float64(c))",
		"var wg sync.WaitGroup\nvar n atomic.Int64\nwg.Go(func() { n.Add(1) })\nwg.Wait()\nReturn(n.Load())",
		"var w io.Writer = os.Stderr\nif _, err := io.WriteString(w, \"\"); err != nil {\n\tpanic(err)\n}",
	} {
		p, err := compile(t, src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if out, err := p.Run(&exec.Options{Host: deaf{}}); err != nil || out.Panic != nil {
			t.Errorf("%s: %+v, %v", src, out, err)
		}
	}
	for src, line := range map[string]int{
		"type point struct{ X, Y int }\np := point{1, 2}\nfmt.Println(p)":                                                 3,
		"n := 1\n_ = n\nReturn(struct{ A int }{n})":                                                                       3,
		"type shape interface{ Area() float64 }\nvar s shape\nReturn(s == nil)":                                           2,
		"type shape interface{ Area() float64 }\ntype all struct{ list []shape }\nvar a all\nReturn(len(a.list))":         3,
		"type E struct{}\nfunc (E) Error() string { return \"\" }\nfunc f() error {\n\treturn E{}\n}\nReturn(f() == nil)": 4,
		"type state func() state\nvar s state\nReturn(s == nil)":                                                          2,
		"type point struct{ X int }\nvar v any = 1\n_, ok := v.(point)\nReturn(ok)":                                       3,
		"type point struct{ X int }\nvar v any = 1\nswitch v.(type) {\ncase point:\n\tReturn(1)\n}":                       3,
		"type point struct{ X int }\nReturn(reflect.TypeFor[point]().Name())":                                             2,
	} {
		var refused *exec.Refusal
		_, err := compile(t, src)
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "this Go is unknown; go1.26 works") {
			t.Errorf("%s: got %v", src, err)
		} else if refused.Line != line {
			t.Errorf("%s: refused on line %d, want %d", src, refused.Line, line)
		}
	}
}
