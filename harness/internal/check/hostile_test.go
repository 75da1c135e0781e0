package check

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// hostileTexts returns texts of nearly the size that is accepted, each deep, long or
// large in another way.
func hostileTexts() map[string]string {
	return map[string]string{
		"parentheses":           fill("x := ", "(", "1", ")"),
		"brackets":              fill("var x ", "[]", "int", ""),
		"braces":                fill("", "{", "", "}"),
		"composite literals":    fill("var x = []any", "{[]any", "{}", "}"),
		"elements":              "var x = []int{" + strings.Repeat("1,", MaxSize/2-20) + "}\nprintln(len(x))",
		"elements of a map":     "var x = map[int]int{" + numbered("%d:1,", 20000) + "}\nprintln(len(x))",
		"string elements":       "x := []string{" + strings.Repeat(`"",`, MaxSize/3-20) + "}\nprintln(len(x))",
		"structs in a literal":  "type p struct{x int}\nvar x = []p{" + strings.Repeat("{1},", MaxSize/4-20) + "}\nprintln(len(x))",
		"not":                   fill("x := ", "!", "true", ""),
		"minus":                 fill("x := ", "- ", "1", ""),
		"pointers":              fill("var x ", "*", "int", ""),
		"channels":              fill("var x ", "chan ", "int", ""),
		"functions":             fill("var x ", "func() ", "", ""),
		"sum":                   fill("x := ", "1+", "1", ""),
		"sum of strings":        fill("x := ", `"a"+`, `""`, ""),
		"selectors":             fill("x := a", ".a", "", ""),
		"calls":                 fill("f", "()", "", ""),
		"indexes":               fill("x := a", "[0]", "", ""),
		"else":                  fill("", "if x {} else ", "{}", ""),
		"labels":                fill("", "a:", "println()", ""),
		"labelled blocks":       fill("", "a:{", "", "}"),
		"closures":              fill("", "func(){", "", "}()"),
		"generic types":         fill("type T[P any] struct{}\nvar x ", "T[", "int", "]"),
		"type chain":            "type T0 int\n" + numbered2("type T%d struct{ x T%d }\n", 9000),
		"type chain backwards":  numbered2("type T%[2]d struct{ x T%[1]d }\n", 9000) + "type T9000 int\n",
		"constant chain":        "const c0 = 1\n" + numbered2("const c%d = c%d\n", 12000),
		"constant chain back":   numbered2("const c%[2]d = c%[1]d\n", 12000) + "const c12000 = 1\n",
		"variable chain":        "package main\nvar v0 = 1\n" + numbered2("var v%d = v%d\n", 12000) + "func main() {}\n",
		"function chain":        "package main\nfunc f0() {}\n" + numbered2("func f%d() { f%d() }\n", 9000) + "var v = g()\nfunc g() int { f9000(); return 1 }\nfunc main() {}\n",
		"doubled types":         "type T0 struct{}\n" + doubled("type T%[1]d struct{ a, b T%[2]d }\n", 60),
		"doubled generics":      "type T[P any] struct{ a, b P }\nvar x " + strings.Repeat("T[", 60) + "int" + strings.Repeat("]", 60),
		"doubled generic calls": "func f[P any](x P) [2]P { return [2]P{x, x} }\nx := " + strings.Repeat("f(", 40) + "1" + strings.Repeat(")", 40),
		"doubled constants":     "const c0 = \"aaaaaaaaaaaaaaaa\"\n" + doubled("const c%[1]d = c%[2]d + c%[2]d\n", 13) + "println(len(c13))",
		"exploding constants":   "const c0 = \"aaaaaaaaaaaaaaaa\"\n" + doubled("const c%[1]d = c%[2]d + c%[2]d\n", 60) + "println(len(c60))",
		"constants in a circle": "const a = b + b\nconst b = a + a\nprintln(a)",
		"large float":           "x := 1e1000000000",
		"large integer":         "const x = " + strings.Repeat("9", 200000),
		"large shift":           "const x = 1 << 1000000000",
		"large array":           "var x [1<<60]int\n_ = &x",
		"large index":           "x := [...]int{1<<40: 1}",
		"long name":             strings.Repeat("a", MaxSize-20) + " := 1",
		"long string":           `println("` + strings.Repeat("a", MaxSize-20) + `")`,
		"long line of names":    strings.Repeat("a.b;", MaxSize/4-20),
		"undefined names":       numbered("u%d();", 20000),
		"imports":               "package main\n" + numbered("import _ \"servers/s%d\"\n", 9000) + "func main() {}\n",
		"same import":           "package main\n" + strings.Repeat("import \"fmt\"\n", 9000) + "func main() {}\n",
		"unknown types":         "import \"servers/memory\"\n" + numbered("var x%d memory.U%[1]d\n", 8000),
		"unknown arguments":     "package main\nimport \"servers/harbour\"\nfunc main() {\n" + numbered("harbour.BookBerths(harbour.X%d{Main: harbour.Y%[1]d{}})\n", 4500) + "}",
		"unknown calls":         numbered("git.F%d(git.P%[1]d{A: 1})\n", 9000),
		"calls of no server":    "import \"servers/quays\"\n" + numbered("quays.F%d(quays.P%[1]d{A: 1})\n", 7500),
		"forgotten errors":      numbered("r%d := git.Log(git.LogParams{})\n", 6500),
		"errors of refusals":    numbered("_, e%d := os.ReadFile(``)\n", 8000),
		"prints":                strings.Repeat("Println(1)\n", MaxSize/11-20),
		"numbers in quotes":     "harbour.BookBerths(harbour.BookBerthsParams{Marks: []int{" + strings.Repeat(`"1",`, MaxSize/4-100) + "}})",
		"literals in literals":  fill("harbour.BookBerths(harbour.X{Main: ", "&harbour.X{Main: ", "1", "}") + "})",
		"required fields":       numbered("var x%d = memory.SearchNodesParams{}\n", 6000),
		"comments":              strings.Repeat("//line a:1\n", 20000) + "x",
		"semicolons":            strings.Repeat(";", MaxSize-20),
		"switch cases":          "switch x := 1; x {\n" + numbered("case %d:\n", 20000) + "}",
		"methods":               "package main\ntype T int\n" + numbered("func (T) m%d() {}\n", 9000) + "func main() {}\n",
		"embedded chain":        "type T0 struct{ x int }\n" + numbered2("type T%d struct{ T%d }\n", 8000) + "var v T8000\nprintln(v.x)",
		"interface chain":       "type T0 interface{ m() }\n" + numbered2("type T%d interface{ T%d }\n", 7000) + "var v T7000\n_ = v",
		"alias chain":           "type T0 = int\n" + numbered2("type T%d = T%d\n", 12000) + "var v T12000\n_ = v",
		"local closures":        strings.Repeat("f := func() {\n", 800) + strings.Repeat("}\n_ = f\n", 800),
		"only quotes":           strings.Repeat("`", MaxSize-21),
		"only backslashes":      strings.Repeat("\\", MaxSize-20),
		"opening":               strings.Repeat("([{", MaxSize/3-20),
		"closing":               strings.Repeat(")", MaxSize-20),
		"fences":                strings.Repeat("```go\n", MaxSize/6-20),
		"type parameters":       "func f[" + numbered("P%d any,", 20000) + "]() {}",
		"results":               "func f() (" + strings.Repeat("int,", MaxSize/4-20) + ") { return }",
	}
}

// keepsBusy are the texts whose check takes half a second or all of maxCheck, for the
// same reasons as "doubled types" and "unknown calls". The default set leaves them out.
var keepsBusy = map[string]bool{
	"long line of names": true, "exploding constants": true, "type chain": true, "type chain backwards": true,
	"interface chain": true, "embedded chain": true, "undefined names": true, "forgotten errors": true,
	"errors of refusals": true, "numbers in quotes": true, "unknown arguments": true, "unknown types": true,
}

// fill repeats opening and closing around a middle up to the accepted size.
func fill(before, opening, middle, closing string) string {
	n := (MaxSize - len(before) - len(middle) - 1) / (len(opening) + len(closing))
	return before + strings.Repeat(opening, n) + middle + strings.Repeat(closing, n)
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// numbered2 makes a chain: each part names the one before.
func numbered2(format string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format, i, i-1)
	}
	return b.String()
}

func doubled(format string, n int) string { return numbered2(format, n) }

// TestHostileScriptsGetAnAnswer runs each hostile text in a process with a
// small stack, as a worker has it: an overflow cannot be recovered from.
func TestHostileScriptsGetAnAnswer(t *testing.T) {
	if os.Getenv("FRONT_HOSTILE") != "" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			t.Fatal(err)
		}
		debug.SetMaxStack(64 << 20)
		debug.SetMemoryLimit(400 << 20)
		began := time.Now()
		got := diagnose(string(text))
		fmt.Printf("answered in %v: %d diagnostics, first %.150v\n", time.Since(began).Round(time.Millisecond), len(got), append(got, Diagnostic{})[0])
		return
	}
	if testing.Short() {
		t.Skip("starts a process for each text")
	}
	for name, text := range hostileTexts() {
		if keepsBusy[name] && !isSlow {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileScriptsGetAnAnswer$", "-test.timeout=20s")
			cmd.Env = append(os.Environ(), "FRONT_HOSTILE=1")
			cmd.Stdin = strings.NewReader(text)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "answered") {
				t.Errorf("no answer: %v\n%.1500s", err, out)
			}
			t.Logf("%s: %s", name, strings.SplitN(string(out), "\n", 2)[0])
		})
	}
}
