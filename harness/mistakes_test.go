package harness_test

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
)

// TestCommonMistakesAreExplained runs scripts with the mistakes that models make
// most often in Go. The answer names the line, says what to write instead, and
// takes at most 150 tokens (cl100k).
func TestCommonMistakesAreExplained(t *testing.T) {
	t.Parallel()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	h := harness.New(nil)
	for _, c := range []struct {
		name, script string
		line         int
		want         []string
	}{
		{"an import of another module",
			"package main\n\nimport \"golang.org/x/exp/slices\"\n\nfunc main() { println(slices.Max([]int{1})) }", 3,
			[]string{`import "slices"`}},
		{"an import that does not exist",
			"package main\n\nimport \"string\"\n\nfunc main() { println(string.ToUpper(\"x\")) }", 3,
			[]string{"did you mean strings?"}},
		{"an err declared and not used", "n, err := strconv.Atoi(\"5\")\nfmt.Println(n)", 1,
			[]string{"declared and not used: err", "if err != nil { panic(err) }"}},
		{"a shadowed err", "var err error\nif true {\n\tn, err := strconv.Atoi(\"x\")\n\tfmt.Println(n)\n}\nfmt.Println(err)",
			3, []string{"declared and not used: err"}},
		{"a missing return", "func f(n int) string {\n\tif n > 0 {\n\t\treturn \"a\"\n\t}\n}\nfmt.Println(f(1))", 5,
			[]string{"missing return", "end every path"}},
		{"int times float", "n, f := 3, 2.5\nfmt.Println(n * f)", 2, []string{"float64(…)"}},
		{"an int for a float64", "xs := []int{1}\nfmt.Println(math.Sqrt(len(xs)))", 2, []string{"float64(…)"}},
		{"a number times a duration", "n := 3\ntime.Sleep(n * time.Millisecond)", 2,
			[]string{"time.Duration(n) * time.Second"}},
		{"a value for a pointer", "type T struct{ N int }\nfunc f(t *T) { t.N++ }\nt := T{}\nf(t)", 4, []string{"&x"}},
		{"a value with methods of the pointer",
			"type S interface{ Area() float64 }\ntype Sq struct{ w float64 }\nfunc (s *Sq) Area() float64 { return s.w " +
				"}\nvar s S = Sq{2}\nfmt.Println(s)", 4, []string{"Area belongs to the pointer: write &T{…}"}},
		{"a field of a struct in a map", "type T struct{ N int }\nm := map[string]T{}\nm[\"a\"].N = 5", 3,
			[]string{"copy it, change it, store it"}},
		{":= outside a function", "package main\n\nx := 5\n\nfunc main() { println(x) }", 3, []string{"var x = …"}},
		{"no package main", "package tool\n\nfunc main() {}", 1, []string{"write package main"}},
		{"no func main", "package main\n\nfunc run() {}", 0, []string{"add func main()"}},
		{"a nil map", "var m map[string]int\nm[\"a\"] = 1", 2, []string{"m := map[K]V{}"}},
		{"too few variables", "n := strconv.Atoi(\"5\")\nfmt.Println(n)", 1,
			[]string{"…, err := strconv.Atoi(…)", "func strconv.Atoi(s string) (int, error)"}},
		{"too many variables", "s, err := strings.ToUpper(\"x\")\nfmt.Println(s, err)", 1, []string{"it has one result"}},
		{"a call with an error as an argument", "fmt.Println(strings.ToUpper(strconv.Itoa(strconv.Atoi(\"1\"))))", 1,
			[]string{"assign its results first"}},
		{"too few results", "func f() (int, error) {\n\treturn 5\n}\nfmt.Println(f())", 2,
			[]string{"a value for each result"}},
		{"an unexported field", "var b strings.Builder\nb.buf = nil", 2, []string{"private to their package"}},
		{"a function in small letters", "fmt.println(1)", 1, []string{"did you mean fmt.Println"}},
		{"string of an int", "n := 65\nfmt.Println(string(n))", 0, []string{"strconv.Itoa(n)"}},
		{"a text and a number", "n := 5\nfmt.Println(\"n: \" + n)", 2, []string{"fmt.Sprint(x)"}},
		{"a text and an error", "err := errors.New(\"x\")\nfmt.Println(\"bad: \" + err)", 2, []string{"err.Error()"}},
		{"range gives the index", "for x := range []string{\"a\"} {\n\tfmt.Println(strings.ToUpper(x))\n}", 2,
			[]string{"for _, x := range xs"}},
		{"range over an int with two variables", "for i, v := range 5 {\n\tfmt.Println(i, v)\n}", 1,
			[]string{"leave out the second variable"}},
		{"no type arguments", "type Stack[T any] struct{ items []T }\nvar s Stack\nfmt.Println(s)", 2,
			[]string{"Stack[int]"}},
		{"type arguments that nothing tells", "func Zero[T any]() T { var z T; return z }\nfmt.Println(Zero())", 2,
			[]string{"f[int](…)"}},
		{"a constraint without <", "func Max[T any](a, b T) T {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn " +
			"b\n}\nfmt.Println(Max(1, 2))", 2, []string{"[T cmp.Ordered]"}},
		{"type parameters of a method", "type L[T any] []T\nfunc (l L[T]) Map[U any](f func(T) U) []U { return nil }", 2,
			[]string{"make it a function"}},
		{"a tag with a space", "type T struct {\n\tName string `json: \"name\"`\n}\nvar t T\nfmt.Println(t)", 0,
			[]string{"line 2: tag", "without spaces"}},
		{"a tag of a private field", "type T struct {\n\tname string `json:\"name\"`\n}\nvar t T\nfmt.Println(t)", 0,
			[]string{"line 2: field name", "capital letter"}},
		{"json without a pointer", "var t struct{ A int }\nif err := json.Unmarshal([]byte(`{}`), t); err != nil " +
			"{\n\tpanic(err)\n}", 3, []string{"json.Unmarshal(data, &v)"}},
		{"json of a string", "var t struct{ A int }\nif err := json.Unmarshal(`{}`, &t); err != nil {\n\tpanic(err)\n}", 2,
			[]string{"[]byte(…)"}},
		{"lists compared", "a, b := []int{1}, []int{1}\nfmt.Println(a == b)", 2, []string{"slices.Equal(a, b)"}},
		{"a list as a key", "m := map[[]string]int{}\nfmt.Println(m)", 1, []string{"a key is compared with =="}},
		{"a file", "b, err := os.ReadFile(\"x.txt\")\nfmt.Println(b, err)", 1,
			[]string{"scripts have no files", "UseTools("}},
		{"a request", "r, err := http.Get(\"https://example.com\")\nfmt.Println(r, err)", 1,
			[]string{"scripts have no network", "UseTools"}},
		{"a wrong verb", "fmt.Printf(\"%d items\\n\", \"three\")", 0, []string{"%d does not fit \"three\", of type string"}},
		{"a verb without argument", "fmt.Printf(\"%d of %d\\n\", 1)", 0, []string{"the format has 2 verbs, for 1 arguments"}},
		{"a format for Println", "fmt.Println(\"%d items\", 3)", 0, []string{"for a format use fmt.Printf"}},
		{"log.Fatal", "fmt.Println(1)\nlog.Fatal(\"boom\")", 0, []string{"os.Exit(1)"}},
		{"append without its result", "xs := []int{}\nappend(xs, 1)\nfmt.Println(xs)", 2, []string{"xs = append(xs, …)"}},
		{"append of a list", "xs := []int{1}\nxs = append(xs, []int{2})\nfmt.Println(xs)", 2, []string{"append(xs, ys...)"}},
		{"an iterator for a list", "keys := maps.Keys(map[string]int{})\nsort.Strings(keys)", 2,
			[]string{"slices.Collect(…)"}},
		{"the result of a sort", "xs := slices.Sort([]int{2, 1})\nfmt.Println(xs)", 1, []string{"in place"}},
		{"nil for a string", "var s string = nil\nfmt.Println(s)", 1, []string{"nil is for pointers"}},
		{"JSON's numbers as int", "var v any = 3.0\nfmt.Println(v.(int))", 2, []string{"int(v.(float64))"}},
		{"an index behind the end", "xs := []int{}\nfmt.Println(xs[0])", 2, []string{"compare the index with len"}},
		{"a deadlock", "c := make(chan int)\nc <- 1", 2, []string{"send from another goroutine"}},
		{"a ternary", "x := 5 > 3 ? 1 : 2\nfmt.Println(x)", 1, []string{"if … { … } else { … }"}},
		{"++ as a value", "i := 0\nx := i++\nfmt.Println(x)", 2, []string{"on its own line"}},
		{"the last comma", "xs := []int{\n\t1,\n\t2\n}\nfmt.Println(xs)", 3, []string{"with a comma, too"}},
		{"single quotes", "fmt.Println('hello')", 1, []string{"double quotes"}},
		{"a method of a list", "xs := []int{}\nxs.push(1)", 2, []string{"xs = append(xs, x)"}},
		{"a length as a field", "s := \"abc\"\nfmt.Println(s.length)", 2, []string{"len(x)"}},
		{"a function in a function", "func main() {\n\tfunc helper() int { return 1 }\n\tfmt.Println(helper())\n}", 2,
			[]string{"name := func(…) … { … }"}},
		{"Python's import", "import os\nprint(1)", 1, []string{`import "strings"`, "a script is Go"}},
		{"a time that is a text", "s := \"2026-01-02T15:04:05Z\"\nfmt.Println(s.Year())", 2,
			[]string{"time.Parse(time.RFC3339, s)"}},
		{"a try block", "try {\n\tfmt.Println(1)\n} catch (e) {\n}", 0, []string{"Go has no exceptions"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := mustRun(t, h, c.script)
			said := strings.Join(res.Warnings, "\n")
			if res.Error != nil {
				said += "\n" + res.Error.Text()
				if c.line > 0 && res.Error.Line != c.line {
					t.Errorf("line %d, want %d", res.Error.Line, c.line)
				}
			} else if c.line > 0 {
				t.Error("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(said, w) {
					t.Errorf("it does not say %q", w)
				}
			}
			ids, _, err := enc.Encode(said)
			if err != nil {
				t.Fatal(err)
			}
			if len(ids) > 150 {
				t.Errorf("%d tokens", len(ids))
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}
