package yaegi_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/bridge"
	rt "github.com/usetools/usetools/harness/internal/runtime"
)

// refusedScripts are scripts of testdata that are refused, and a part of the
// reason. Everything else prints what Go prints.
var refusedScripts = map[string]string{
	"dialect/65_errors_as_std.go": "os.Open",
}

// TestScriptsPrintWhatGoPrints runs the scripts in testdata, whose .want is what
// go run printed: programs in the style of agents (modern), one or two features
// each (dialect), and one for each defect of the interpreter that was found
// (defects). Scripts that Go does not compile must not compile here.
func TestScriptsPrintWhatGoPrints(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.go")
	if err != nil || len(files) < 180 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(file, "testdata/")
		t.Run(name, func(t *testing.T) { runFile(t, name, file) })
	}
}

func runFile(t *testing.T, name, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".want")
	if err != nil {
		t.Fatal(err)
	}
	r, err := inTime(t, func() (*result, error) { return runScript(filepath.Base(file), src) })
	if reason, ok := refusedScripts[name]; ok {
		if (err == nil || !strings.Contains(err.Error(), reason)) && (r == nil || !strings.Contains(r.panic, reason)) {
			t.Errorf("got %v %+v, want a refusal that says %q", err, r, reason)
		}
		return
	}
	var ce *checkError
	if errors.As(err, &ce) && len(want) == 0 {
		return // nor does Go compile it
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), r.stdout); diff != "" {
		t.Errorf("stdout differs from Go's (-want +got):\n%s", diff)
	}
}

// TestHiddenFieldsAreNotPrinted: what generated packages keep in their structs
// is no business of a script.
func TestHiddenFieldsAreNotPrinted(t *testing.T) {
	server := `package git

type LogParams struct {
	RepoPath string ` + "`json:\"repo_path\"`" + `
	Where    Place  ` + "`json:\"where\"`" + `
	set_     uint64
}

type Place struct {
	Line int ` + "`json:\"line\"`" + `
	set_ uint64
}

type LogResult struct {
	Commits []string ` + "`json:\"commits\"`" + `
	res_    any
}

func Log(p LogParams) LogResult { return LogResult{[]string{p.RepoPath}, p.set_} }
`
	script := `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"servers/git"
	"text/template"
)

type mine struct {
	set_ int
	p    git.LogParams
}

func main() {
	p := git.LogParams{RepoPath: ".", Where: git.Place{Line: 0}}
	r := git.Log(p)
	fmt.Println(p, r, mine{1, p}, []git.Place{p.Where}, map[string]any{"r": r})
	fmt.Printf("%+v %+v %+v\n", p, &r, mine{1, p})
	fmt.Printf("%#v %#v\n", p, r)
	b, err := json.Marshal(map[string]any{"p": p, "r": r})
	fmt.Println(string(b), err)
	fmt.Println(template.Must(template.New("").Parse("{{.}} {{.Where}}\n")).Execute(os.Stdout, p))
}
`
	want := `{. {0}} {[.]} {1 {. {0}}} [{0}] map[r:{[.]}]
{RepoPath:. Where:{Line:0}} &{Commits:[.]} {set_:1 p:{RepoPath:. Where:{Line:0}}}
git.LogParams{RepoPath:".", Where:git.Place{Line:0}} git.LogResult{Commits:[]string{"."}}
{"p":{"repo_path":".","where":{"line":0}},"r":{"commits":["."]}} <nil>
{. {0}} {0}
<nil>
`
	r, err := inTime(t, func() (*result, error) { return runWith("script.go", []byte(script), server) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.stdout); diff != "" {
		t.Errorf("stdout (-want +got):\n%s", diff)
	}
}

// inTime fails the test when f takes longer than any of the scripts may.
func inTime(t *testing.T, f func() (*result, error)) (*result, error) {
	t.Helper()
	type both struct {
		r   *result
		err error
	}
	done := make(chan both, 1)
	go func() {
		r, err := f()
		done <- both{r, err}
	}()
	select {
	case b := <-done:
		return b.r, b.err
	case <-time.After(time.Minute): // a slow machine under -race needs seconds
		t.Fatal("the script did not end")
	}
	return nil, nil
}

// TestEndsAreTold covers the ways in which a script can end.
func TestEndsAreTold(t *testing.T) {
	tests := []struct {
		name, body    string
		code          int
		panic, stdout string
		lines         []int // of the trace, where they are known
	}{
		{name: "by itself", body: `func main() { fmt.Print("x") }`, stdout: "x"},
		{name: "os.Exit", body: `func main() { defer fmt.Print("no"); fmt.Print("x"); os.Exit(3) }`, code: 3, stdout: "x"},
		{name: "os.Exit in a goroutine", body: `func main() { go os.Exit(4); select {} }`, code: 4},
		{name: "log.Fatal", body: `func main() { log.SetOutput(os.Stdout); log.SetFlags(0); log.Fatal("bad") }`, code: 1, stdout: "bad\n"},
		{name: "a panic with a string", body: "func main() {\n\tpanic(\"boom\")\n}", code: 2, panic: "boom", lines: []int{4}},
		{name: "an index out of range, two functions down", code: 2, panic: "runtime error: index out of range [5] with length 1",
			body:  "func g(a []int, i int) int {\n\tx := 1\n\treturn a[i] + x\n}\nfunc f(i int) int {\n\treturn g([]int{1}, i)\n}\nfunc main() {\n\tfmt.Println(f(5))\n}",
			lines: []int{5, 8, 11}},
		{name: "a call by an interface, beside calls of the library", code: 2, panic: "runtime error: integer divide by zero", lines: []int{4, 7, 11},
			body: "type A int\nfunc (a A) F() int { return 1 / int(a) }\nfunc g(x interface{ F() int }) {\n\ts := fmt.Sprint(1)\n\ty := x.F()\n\tfmt.Println(s, y)\n}\nfunc main() {\n\tg(A(0))\n}"},
		{name: "a nil function in a variable named f", code: 2, panic: "runtime error: invalid memory address or nil pointer dereference", lines: []int{5, 8}, stdout: "x",
			body: "func g(f func() int) {\n\tfmt.Print(\"x\")\n\tfmt.Print(f())\n}\nfunc main() {\n\tg(nil)\n}"},
		{name: "an error of the script", code: 2, panic: "e7", lines: []int{5},
			body: "type E int\nfunc (e E) Error() string { return fmt.Sprint(\"e\", int(e)) }\nfunc main() { panic(E(7)) }"},
		{name: "a panic in a deferred call of a panic", code: 2, panic: "first\n\tpanic: second",
			body: `func main() { defer func() { panic("second") }(); panic("first") }`},
		{name: "a panic that was recovered and raised again", code: 2, panic: "again [recovered, repanicked]",
			body: "func f() {\n\tdefer func() { panic(recover()) }()\n\tpanic(fmt.Errorf(\"again\"))\n}\nfunc main() {\n\tdefer func() {\n\t\tr := recover()\n\t\tpanic(r)\n\t}()\n\tf()\n}"},
		{name: "panics behind each other", code: 2, panic: "E\n\tpanic: inner [recovered, repanicked]\n\tpanic: innerx\n\tpanic: inner",
			body: "type E struct{ s []int }\nfunc (E) Error() string { return \"E\" }\nfunc main() {\n\tdefer func() {\n\t\tr := recover()\n\t\tdefer func() { panic(r) }()\n\t\tpanic(fmt.Sprint(r, \"x\"))\n\t}()\n" +
				"\tdefer func() {\n\t\tdefer func() {\n\t\t\tr := recover()\n\t\t\tpanic(r)\n\t\t}()\n\t\tpanic(\"inner\")\n\t}()\n\tpanic(E{})\n}"},
		{name: "others than what they recovered", code: 2, panic: "a [recovered]\n\tpanic: d [recovered]\n\tpanic: c\n\tpanic: b",
			body: "func main() {\n\tdefer func() { panic(\"b\") }()\n\tdefer func() { recover(); panic(\"c\") }()\n\tdefer func() { recover(); panic(\"d\") }()\n\tpanic(\"a\")\n}"},
		{name: "a panic after one that was recovered", code: 2, panic: "b",
			body: "func main() {\n\tdefer func() { panic(\"b\") }()\n\tdefer func() { recover() }()\n\tpanic(\"a\")\n}"},
		{name: "a panic in a goroutine", code: 2, panic: "in g", body: `func main() { go func() { panic("in g") }(); select {} }`},
		{name: "after a recovered one, with goroutines: no line rather than a wrong one", code: 2,
			panic: "runtime error: invalid memory address or nil pointer dereference", lines: []int{0},
			body: "func main() {\n\tgo func() {}()\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\ti := 1\n\t\t_ = []int{}[i]\n\t}()\n" +
				"\tvar p *struct{ a int }\n\tfmt.Println(p.a)\n}"},
		{name: "a nil map", code: 2, panic: "assignment to entry in nil map", body: `func main() { var m map[string]int; m["a"] = 1 }`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := "package main; import (\"fmt\"; \"os\"; \"log\"); var _ = fmt.Sprint; var _ = os.Exit; var _ = log.Fatal\n\n" + tt.body
			r, err := inTime(t, func() (*result, error) { return runScript("script.go", []byte(src)) })
			if err != nil {
				t.Fatal(err)
			}
			if r.code != tt.code || r.panic != tt.panic || r.stdout != tt.stdout {
				t.Errorf("got code %d panic %q stdout %q, want %d %q %q", r.code, r.panic, r.stdout, tt.code, tt.panic, tt.stdout)
			}
			for i, line := range tt.lines {
				if i >= len(r.trace) || r.trace[i].Line != line {
					t.Errorf("trace %+v, want lines %v", r.trace, tt.lines)
					break
				}
			}
		})
	}
}

// TestThePreludeIsBound keeps the names that the checker knows and those that
// the interpreter has together.
func TestThePreludeIsBound(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "prelude.go", bridge.Prelude, 0)
	if err != nil {
		t.Fatal(err)
	}
	bound := rt.New(rt.Config{}).Symbols(nil)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		want := fn.Type.Params.NumFields()
		if fn.Name.Name == "RunScript" { // and where it is named
			want++
		}
		_, here := bridge.Symbols()["usetools/prelude/prelude"][fn.Name.Name]
		if v, ok := bound[fn.Name.Name]; !ok && !here || ok && v.Type().NumIn() != want {
			t.Errorf("%s is not bound as it is declared", fn.Name.Name)
		}
	}
}
