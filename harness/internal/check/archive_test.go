package check

import (
	"strings"
	"testing"
)

// archiveCases are scripts of several files, and what is said of them: file,
// line in it, parts of the text. None: nothing is wrong.
var archiveCases = []struct {
	name, script string
	file         string
	line         int
	parts        []string
}{
	{name: "two files", script: "-- main.go --\npackage main\nfunc main() { println(f()) }\n-- f.go --\npackage main\nfunc f() int { return 1 }\n"},
	{name: "in a fence", script: "```go\n\n-- main.go --\npackage main\nfunc main() { println(f()) }\n-- f.go --\npackage main\nfunc f() int { return 1 }\n```\n"},
	{name: "windows line ends", script: "-- main.go --\r\npackage main\r\nimport \"fmt\"\r\nfunc main() { fmt.Println(f()) }\r\n-- f.go --\r\npackage main\r\nimport \"fmt\"\r\nfunc f() string { return fmt.Sprint(1) }\r\n"},
	{name: "imports under two names", script: "-- a.go --\npackage main; import (\"strings\"; \"fmt\")\nfunc main() { fmt.Println(strings.ToUpper(f())) }\n-- b.go --\npackage main\nimport s \"strings\"\nfunc f() string { return s.Repeat(`a`, 2) }\n"},
	{"a type error", "-- b.go --\npackage main\n\nfunc f() int { return \"x\" }\n-- a.go --\npackage main\nfunc main() { println(f()) }\n", "b.go", 3, []string{"cannot use \"x\""}},
	{"declared twice", "-- a.go --\npackage main\nfunc main() {}\nfunc f() {}\n-- b.go --\npackage main\n\nfunc f() {}\n", "b.go", 3, []string{"f redeclared"}},
	{"a brace left open", "-- a.go --\npackage main\nfunc main() {\n\tif true {\n}\n-- b.go --\npackage main\nfunc f() {}\n", "a.go", 4, []string{"expected '}'", "line 2 is never closed"}},
	{"a statement outside", "-- a.go --\npackage main\nfunc main() {}\n-- b.go --\npackage main\n\nx := 1\n", "b.go", 3, []string{"non-declaration statement", "var x"}},
	{"no package line", "-- a.go --\npackage main\nfunc main() {}\n-- b.go --\nfunc f() {}\n", "b.go", 1, []string{"b.go does not begin with package main"}},
	{"another package", "-- a.go --\npackage main\nfunc main() {}\n-- b.go --\npackage util\nfunc F() {}\n", "b.go", 1, []string{"package util", "package main"}},
	{"no main", "-- a.go --\npackage main\nfunc f() {}\n", "", 0, []string{"main is undeclared"}},
	{"a folder", "-- a.go --\npackage main\nfunc main() {}\n-- util/b.go --\npackage main\n", "util/b.go", 1, []string{"one package"}},
	{"a test", "-- a.go --\npackage main\nfunc main() {}\n-- a_test.go --\npackage main_test\n", "a_test.go", 1, []string{"left out", "tests"}},
	{"data", "-- a.go --\npackage main\nfunc main() {}\n-- data.txt --\nhello\n", "data.txt", 1, []string{"Go files", "constant"}},
	{"another system", "-- a.go --\npackage main\nfunc main() {}\n-- a_windows.go --\npackage main\n", "a_windows.go", 1, []string{"left out", "of that name"}},
	{"another system of this architecture", "-- a.go --\npackage main\nfunc main() {}\n-- a_windows_amd64.go --\npackage main\n", "a_windows_amd64.go", 1, []string{"left out", "of that name"}},
	{"a name twice", "-- a.go --\npackage main\nfunc main() {}\n-- a.go --\npackage main\n", "a.go", 1, []string{"two files"}},
	{name: "a name for two packages", script: "-- b.go --\npackage main\nimport \"math/rand/v2\"\nvar x = rand.IntN(2)\n-- a.go --\npackage main\nimport \"math/rand\"\nfunc main() { println(rand.Intn(x)) }\n"},
	{"an import of another file", "-- b.go --\npackage main\n\nvar x = strings.ToUpper(`x`)\n-- a.go --\npackage main\nimport \"strings\"\nfunc main() { println(strings.ToLower(x)) }\n", "b.go", 3, []string{"missing import → import \"strings\""}},
	{"an import that only another file uses", "-- b.go --\npackage main\nimport \"strings\"\nvar x = 1\n-- a.go --\npackage main\nimport \"strings\"\nfunc main() { println(strings.ToLower(`x`), x) }\n", "b.go", 2, []string{"not used"}},
	{"another file's name for a package", "-- b.go --\npackage main\n\nvar x = str.ToUpper(`x`)\n-- a.go --\npackage main\nimport str \"strings\"\nfunc main() { println(str.ToLower(x)) }\n", "b.go", 3, []string{"undefined: str"}},
	{"another file's dot import", "-- b.go --\npackage main\n\nvar x = ToUpper(`x`)\n-- a.go --\npackage main\nimport . \"strings\"\nfunc main() { println(ToLower(x)) }\n", "b.go", 3, []string{"undefined: ToUpper"}},
	{"a package's name declared elsewhere", "-- b.go --\npackage main\nfunc strings() {}\n-- a.go --\npackage main\nimport \"strings\"\nfunc main() { println(strings.ToLower(`x`)) }\n", "b.go", 2, []string{"strings already declared through"}},
	{"too many", strings.Repeat("-- a.go --\npackage main\n", 101), "", 0, []string{"101 files", "at most 100"}},
	{"all left out", "-- a.go --\n//go:build ignore\n\npackage main\nfunc main() {}\n", "", 0, []string{"no Go files"}},
	{"main left out", "-- a.go --\n//go:build ignore\n\npackage main\nfunc main() {}\n-- b.go --\npackage main\n", "", 0, []string{"main is undeclared", "a.go", "build constraint"}},
	{name: "a constraint of a release", script: "-- a.go --\npackage main\nfunc main() {}\n-- b.go --\n//go:build go1.21\n\npackage main\n"},
	{"a constraint of a release in one file", "-- a.go --\npackage main\nfunc main() { for range 2 {} }\n-- b.go --\n//go:build go1.21\n\npackage main\n\nfunc init() { for range 2 {} }\n", "b.go", 5, []string{"requires go1.22", "go:build"}},
	{"a constraint that is none", "-- a.go --\npackage main\nfunc main() {}\n-- b.go --\n//go:build ==\n\npackage main\n", "b.go", 1, []string{"parsing //go:build line"}},
	{"a debug setting", "-- a.go --\n//go:debug panicnil=1\n\npackage main\nfunc main() {}\n", "a.go", 1, []string{"go:debug"}},
	{"an import", "-- a.go --\npackage main\nfunc main() { f() }\n-- b.go --\npackage main\nimport \"os/exec\"\nfunc f() { exec.Command(`ls`) }\n", "b.go", 2, []string{"os/exec"}},
}

func TestFaultsOfSeveralFilesNameTheFile(t *testing.T) {
	for _, c := range archiveCases {
		t.Run(c.name, func(t *testing.T) {
			got := diagnose(c.script)
			if len(c.parts) == 0 {
				for _, d := range got {
					t.Error("not expected: ", d)
				}
				return
			}
			if len(got) == 0 {
				t.Fatal("nothing is wrong with it")
			}
			file, line := Place(Parts([]byte(c.script)), got[0].Line)
			if file != c.file || line != c.line {
				t.Errorf("%s:%d, want %s:%d", file, line, c.file, c.line)
			}
			for _, p := range c.parts {
				if !strings.Contains(got[0].String(), p) {
					t.Errorf("it does not say %q", p)
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}
