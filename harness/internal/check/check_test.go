package check

import (
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, src string) *Script {
	t.Helper()
	s, bad := Parse([]byte(src))
	if s == nil {
		t.Fatalf("%v", bad)
	}
	return s
}

func check(t *testing.T, src string) *Checked {
	t.Helper()
	c, bad := parse(t, src).Check(testOptions())
	if c == nil {
		t.Fatalf("%v", bad)
	}
	return c
}

func TestPhrasesAreFoundWhereverUseToolsIsCalled(t *testing.T) {
	s := parse(t, "package main\n"+`
const what = "commit" + " history"

func main() {
	UseTools("read a file", `+"`write\na file`"+`)
	if err := UseTools("show the " + what); err != nil {
		panic(err)
	}
	_ = UseTools("ignored")
	err := UseTools("kept")
	_ = err
	func() { const what = "inner"; defer UseTools(("in " + what)) }()
}
`)
	want := []Phrase{
		{"read a file", 6, 11, false},
		{"write\na file", 6, 26, false},
		{"show the commit history", 8, 21, true},
		{"ignored", 11, 15, false},
		{"kept", 12, 18, true},
		{"in inner", 14, 48, false},
	}
	if diff := cmp.Diff(want, s.Phrases()); diff != "" {
		t.Error(diff)
	}
}

func TestUseToolsOfTheScriptIsNotOurs(t *testing.T) {
	for _, src := range []string{
		"func UseTools(s string) {}\nUseTools(\"a\")",
		"UseTools := func(s string) {}\nUseTools(\"a\")",
		"func f(UseTools func(string)) { UseTools(\"a\") }\nf(nil)",
	} {
		if got := parse(t, src).Phrases(); len(got) != 0 {
			t.Errorf("%s: got %v", src, got)
		}
	}
}

func TestUsedNamesTellTheParentWhatToLookFor(t *testing.T) {
	s := parse(t, `
import (
	g "servers/git"
	"servers/time"
	"strings"
	"net/url"
)
r, err := g.Log(g.LogParams{})
g.Log(g.LogParams{})
time.ConvertTime(time.Now())
fs.read_file(strings.ToUpper("a"), strings.Shout("a"), url.Parse)
fmt.Println(r, err)
json := 1
json.Foo()
error.Error(nil)
discovery.Search("a")
http.Get(http.StatusText(200))
`)
	want := []Name{
		{"git", "Log", 8, 11, true, false, nil},
		{"git", "LogParams", 8, 17, true, false, nil},
		{"time", "ConvertTime", 10, 1, true, false, nil},
		{"time", "Now", 10, 18, true, true, nil},
		{"fs", "read_file", 11, 1, false, false, nil},
		{"strings", "Shout", 11, 36, false, false, nil},
		{"http", "Get", 17, 1, false, false, nil},
	}
	if diff := cmp.Diff(want, s.Used()); diff != "" {
		t.Error(diff)
	}
}

func TestPackagesComeInTheOrderTheyNeedEachOther(t *testing.T) {
	c := check(t, "UseTools(\"a\")\n_, _ = git.Log(git.LogParams{})")
	var got []string
	for _, p := range c.Packages {
		got = append(got, p.Path)
	}
	if diff := cmp.Diff([]string{"servers/git", "main"}, got); diff != "" {
		t.Error(diff)
	}
	if c.Main().Types.Scope().Lookup("main") == nil {
		t.Error("the last package has no main")
	}
}

func TestInfoKnowsEveryPackage(t *testing.T) {
	c := check(t, "var total = len(\"abc\")\nfunc get() int { return total }\nprintln(get())\n_, _ = git.Log(git.LogParams{})")
	for _, p := range c.Packages {
		ast.Inspect(p.Files[0], func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncDecl); ok && c.Info.Defs[f.Name] == nil {
				t.Errorf("%s: nothing known of %s", p.Path, f.Name.Name)
			}
			return true
		})
	}
	if order := c.Main().InitOrder; len(order) != 1 || order[0].Lhs[0].Name() != "total" {
		t.Errorf("InitOrder: %v", order)
	}
}

func TestPositionsAreThoseOfTheTextAsSent(t *testing.T) {
	src := "\n```go\nprintln(first)\ntype point struct{ x int }; func helper() {}\nprintln(second); const first, second = 1, 2\n\tfunc\tlast() {}\n```\n"
	c := check(t, src)
	lines := strings.Split(src, "\n")
	seen := 0
	ast.Inspect(c.Main().Files[0], func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name == "main" {
			return true
		}
		seen++
		p := c.Fset.Position(id.Pos())
		if p.Line < 1 || p.Line > len(lines) || !strings.HasPrefix(lines[p.Line-1][p.Column-1:], id.Name) {
			t.Errorf("%s: at %v", id.Name, p)
		}
		if d := c.Diagnose(p.Line, p.Column, Refused, "no", ""); d.Line != p.Line || d.Column != p.Column {
			t.Errorf("%s: diagnosed at %d:%d", id.Name, d.Line, d.Column)
		}
		return true
	})
	if seen < 10 {
		t.Errorf("only %d identifiers", seen)
	}
}

func TestCaretStandsBelowTheColumn(t *testing.T) {
	for _, test := range []struct {
		line   string
		column int
		want   string
	}{
		{"\t\tx := y", 8, "x := y\n     ^"},
		{"a\tb", 3, "a\tb\n \t^"},
		{"äö b", 6, "äö b\n   ^"},
		{strings.Repeat("a", 200) + "!" + strings.Repeat("b", 200), 201, "…" + strings.Repeat("a", 66) + "!" + strings.Repeat("b", 27) + "…\n" + strings.Repeat(" ", 67) + "^"},
		{"   ", 2, ""},
	} {
		if diff := cmp.Diff(test.want, snippet([]byte("\n"+test.line+"\r\n"), 2, test.column)); diff != "" {
			t.Errorf("%.20q: %s", test.line, diff)
		}
	}
}

func TestUnusedNamesAreMarked(t *testing.T) {
	c := check(t, "import \"os\"\nimport str \"strings\"\nx, y := 1, 2\nprintln(y)\nswitch z := any(y).(type) {}")
	var got []string
	for o := range c.Unused {
		got = append(got, o.Name())
	}
	if len(got) < 3 {
		t.Errorf("got %v", got)
	}
	for o := range c.Unused {
		if v, ok := o.(*types.Var); ok && v.Name() == "y" {
			t.Error("y is used")
		}
	}
}

func TestStrictMendsNothing(t *testing.T) {
	o := testOptions()
	o.Strict = true
	c, bad := parse(t, "_, _ = git.git_log(git.LogParams{})").Check(o)
	if c != nil || len(bad) != 1 || bad[0].Kind != Compile {
		t.Errorf("got %v", bad)
	}
}

func TestFaultsOfGeneratedPackagesAreNotTheScripts(t *testing.T) {
	for name, o := range map[string]*Options{
		"types":   {Units: []Unit{{Path: "servers/git", Source: "package git\nvar x int = \"\""}}},
		"syntax":  {Units: []Unit{{Path: "servers/git", Source: "package git\n}"}}},
		"cycle":   {Units: []Unit{{Path: "servers/git", Source: "package git\nimport \"servers/a\"\nvar _ = a.A"}, {Path: "servers/a", Source: "package a\nimport \"servers/git\"\nvar A = git.B"}}},
		"prelude": {Prelude: "package main\nfunc UseTools() { x }", Units: []Unit{{Path: "servers/git", Source: "package git"}}},
	} {
		c, bad := parse(t, "import _ \"servers/git\"").Check(o)
		if c != nil || len(bad) != 1 || bad[0].Kind != Internal {
			t.Errorf("%s: got %v", name, bad)
		}
	}
}

func TestScriptNeedsNoUnits(t *testing.T) {
	if c, bad := parse(t, "fmt.Println(1)").Check(nil); c == nil {
		t.Error(bad)
	}
}

func TestScriptsThatOnlyDeclareAreProbes(t *testing.T) {
	for src, want := range map[string]bool{
		"UseTools(\"a\")": true,
		"package main\nfunc main() { UseTools(\"a\") }":                                              true,
		"UseTools(\"a\"); UseTools(\"b\")":                                                           true,
		"UseTools(\"a\"); println(1)":                                                                false,
		"println(1)":                                                                                 false,
		"if err := UseTools(\"a\"); err != nil {}":                                                   true,
		"if err := UseTools(\"a\"); err != nil { panic(err) }":                                       true,
		"if err := UseTools(\"a\"); err != nil { panic(err) }; _ = UseTools(\"b\")":                  true,
		"err := UseTools(\"a\")\nif err != nil {\n\tfmt.Println(\"none\", err.Error())\n\treturn\n}": false,
		"err := UseTools(\"a\")\n_ = err":                                                            true,
		"err := UseTools(\"a\")":                                                                     true,
		"var err = UseTools(\"a\")\nif err != nil { log.Fatal(err) }":                                true,
		"import \"os/exec\"\nUseTools(\"a\")":                                                        true,
		"const a = \"b\"\nUseTools(a)":                                                               true,
		"UseTools(\"a\")\nreturn":                                                                    true,
		"UseTools(\"a\", \"\")":                                                                      false,
		"if err := UseTools(\"a\"); err != nil { git.Log(git.LogParams{}) }":                         false,
		"if err := UseTools(\"a\"); err == nil { println(1) }":                                       false,
		"if err := UseTools(\"a\"); err != nil { panic(git.Status()) }":                              false,
		"_ = UseTools(\"a\")\nr, err := git.Status()\n_, _ = r, err":                                 false,
		"func init() { git.Status() }\nfunc main() { UseTools(\"a\") }":                              false,
		"package main\nvar x = git.Status()\nfunc main() { UseTools(\"a\") }":                        false,
	} {
		if got := parse(t, src).Probe(); got != want {
			t.Errorf("%s: got %v", src, got)
		}
	}
}

func TestSameScriptGivesTheSameAnswers(t *testing.T) {
	src := "_, _ = git.git_log(git.LogParams{repo_path: \"\"})\na1(); b2(); git.Lgo(); os.ReadFile(\"\"); os.Getenv(\"\")\nvar x memory.Foo\n"
	first := diagnose(src)
	for range 20 {
		if diff := cmp.Diff(first, diagnose(src)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestOneWrongNameFitsIn150Tokens counts four bytes to a token, which is more
// than tokenizers make of English and Go.
func TestOneWrongNameFitsIn150Tokens(t *testing.T) {
	for _, src := range []string{
		"_, _ = git.Lgo(git.LogParams{})",
		"_, _ = git.Log(git.LogParams{Repository: \".\"})",
		"r, _ := git.Log(git.LogParams{}); println(r.Commit)",
		"r := git.Log(git.LogParams{}); println(r)",
		"x := strings.Splt(\"a\")\nprintln(x)",
		"_, _ = wide.Do(wide.Params{Naem0001: 1})",
	} {
		o := testOptions()
		o.Units = append(o.Units, Unit{Path: "servers/wide", Source: "package wide\ntype Params struct{ " + numbered("Name%04d map[string]any;", 80) + "}\nfunc Do(p Params) (Params, error) { return p, nil }"})
		_, bad := parse(t, src).Check(o)
		if len(bad) != 1 {
			t.Errorf("%s: got %v", src, bad)
			continue
		}
		size := len(bad[0].String() + strings.Join(strings.Fields(bad[0].Snippet), " ") + strings.Join(bad[0].Signatures, "\n"))
		if size > 600 {
			t.Errorf("%s: %d bytes: %v", src, size, bad[0])
		}
		if strings.Contains(src, "wide") && !strings.Contains(strings.Join(bad[0].Signatures, ""), "Name0001 map[string]any") {
			t.Errorf("%s: the right field is missing: %q", src, bad[0].Signatures)
		}
	}
}

func TestTextThatIsNoSourceIsNamed(t *testing.T) {
	for src, want := range map[string]string{
		"println(\"a\x00\")":           "1:11: the script contains a NUL byte",
		"x\n\xff := 1":                 "2:1: the script is not UTF-8: byte 0xff",
		"\xff\xfex\x00":                "1:1: the script is UTF-16",
		"":                             "the script is empty",
		"\ufeff":                       "the script is empty",
		"```go\n```":                   "the script is empty",
		strings.Repeat("a", MaxSize+1): "the script has 262145 bytes, at most 262144 are accepted",
		"\ufeffx := y":                 "1:9: undefined: y",
		"println(1)\r\nprintln(y)\r\n": "2:9: undefined: y",
		"package main\r\nfunc main() {\r\n\ty()}": "3:2: undefined: y",
	} {
		got := diagnose(src)
		if len(got) != 1 || !strings.HasPrefix(got[0].String(), want) {
			t.Errorf("%.20q: got %v, want %s", src, got, want)
		}
	}
}
