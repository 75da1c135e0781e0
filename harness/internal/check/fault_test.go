package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCodesAreThoseOfGo compares the codes with the source of the Go at hand: a
// release that numbers them in another way fails it.
func TestCodesAreThoseOfGo(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	constants := func(file string) *types.Scope {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Error: func(error) {}} // of what other files declare
		pkg, _ := conf.Check("p", fset, []*ast.File{f}, nil)
		return pkg.Scope()
	}
	theirs := constants(filepath.Join(strings.TrimSpace(string(root)), "src/internal/types/errors/codes.go"))
	ours := constants("fault.go")
	n := 0
	for _, name := range ours.Names() {
		c, ok := ours.Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		n++
		r, size := utf8.DecodeRuneInString(name)
		want, ok := theirs.Lookup(strings.ToUpper(string(r)) + name[size:]).(*types.Const)
		if !ok || want.Val().ExactString() != c.Val().ExactString() {
			t.Errorf("%s is %v, Go has %v", name, c.Val(), want)
		}
	}
	if n < 20 {
		t.Errorf("only %d codes were compared", n)
	}
}

func TestFaultsHaveTheirCode(t *testing.T) {
	for src, want := range map[string]code{
		"x()":                               undeclaredName,
		"strings.Shout()":                   undeclaredImportedName,
		"var t time.Time; t.Foo()":          missingFieldOrMethod,
		"a := strconv.Atoi(\"1\"); _ = a":   wrongAssignCount,
		"var s string = 1; _ = s":           incompatibleAssign,
		"func f() int { return 1, 2 }; f()": wrongResultCount,
		"len()":                             wrongArgCount,
		"_ = struct{ A int }{B: 1}":         missingLitField,
	} {
		c := newChecker(parse(t, src), testOptions())
		if err := c.predeclare(); err != nil {
			t.Fatal(err)
		}
		c.bind()
		if faults := c.checkScript(); len(faults) != 1 || faults[0].code != want {
			t.Errorf("%s: got %v, want one fault with the code %d", src, faults, want)
		}
	}
}

func TestDiagnosticsOfALiarAreRefused(t *testing.T) {
	good := Diagnostic{Kind: Compile, Line: 1, Column: 2, Message: "undefined: x",
		Code: CodeUndefined, Name: "x", Near: []string{"y"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Diagnostic){
		"kind":         func(d *Diagnostic) { d.Kind = "fine" },
		"code":         func(d *Diagnostic) { d.Code = "made_up" },
		"line":         func(d *Diagnostic) { d.Line = -1 },
		"message":      func(d *Diagnostic) { d.Message = strings.Repeat("x", maxText+1) },
		"signature":    func(d *Diagnostic) { d.Signatures = []string{strings.Repeat("x", maxText+1)} },
		"signatures":   func(d *Diagnostic) { d.Signatures = make([]string, maxParts+1) },
		"name":         func(d *Diagnostic) { d.Name = strings.Repeat("x", maxName+1) },
		"nearest name": func(d *Diagnostic) { d.Near = []string{strings.Repeat("x", maxName+1)} },
		"many names":   func(d *Diagnostic) { d.Near = make([]string, maxParts+1) },
	} {
		d := good
		change(&d)
		if d.Validate() == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}

// TestLongNamesMakeNoCode: an honest diagnostic passes its own bounds.
func TestLongNamesMakeNoCode(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("x", 5000) + "()",
		"git." + strings.Repeat("X", 5000) + "()",
		"_ = git.LogParams{" + strings.Repeat("X", 5000) + ": 1}",
		"import \"servers/" + strings.Repeat("x", 5000) + "\"\n",
	} {
		for _, d := range diagnose(src) {
			if err := d.Validate(); err != nil {
				t.Errorf("%.20s…: %v", src, err)
			}
		}
	}
}
