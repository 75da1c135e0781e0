// Package cmd holds the commands. Its test keeps the house rules of the whole
// module.
package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/usetools/usetools/"

// forbidden are the edges that imports may not have, with the reason.
var forbidden = []struct{ from, to, why string }{
	{"registry", "discovery", "the registry is plain data; finding tools comes after it"},
	{"registry", "wrappers", "the registry is plain data; naming tools comes after it"},
	{"registry", "harness", "servers are reached without knowing of scripts"},
	{"registry/config", "registry/backend", "reading a config starts nothing"},
	{"registry/backend", "registry/build", "a backend knows one server, a build all"},
	{"discovery", "wrappers", "search knows nothing of Go syntax"},
	{"discovery", "harness", "search knows nothing of scripts"},
	{"discovery", "registry/backend", "search works on what is known, it asks no server"},
	{"wrappers", "harness", "types are generated without running anything"},
	{"wrappers", "registry/backend", "types are generated without asking a server"},
	{"harness/internal/check", "registry", "the front end sees source text only"},
	{"harness/internal/check", "harness/internal/worker", "the worker drives the front end"},
	{"harness/internal/runtime", "harness/internal/lower", "lowered programs do not compile"},
	{"harness/internal", "harness/record", "what runs scripts is not believed, and knows nothing of records"},
	{"harness/internal/bind", "harness/record/store", "what a script means does not depend on what earlier runs did"},
	{"harness/internal/bind", "harness/internal/journal", "tools are found without knowing of the run"},
	{"harness/internal/bind", "harness/approval", "tools are found without knowing of the run"},
	{"harness/internal/bind", "registry/backend", "the catalog asks servers, binding asks the catalog"},
	{"harness/internal/journal", "harness/internal/bind", "lines are written without knowing what a script means"},
	{"harness/internal/journal", "harness/internal/rerun", "lines are written without knowing what a record answers"},
	{"harness/internal/journal", "harness/catalog", "lines are written without knowing of tools"},
	{"harness/internal/rerun", "harness/internal/bind", "a record answers without tools of today"},
	{"harness/internal/bind", "harness/internal/engine", "tools are found without knowing of the run"},
	{"harness/internal/journal", "harness/internal/engine", "lines are written without knowing what a script does"},
	{"harness/internal/engine", "harness/internal/rerun", "a run does not know where its answers come from"},
	{"harness/outcome", "harness/catalog", "a result is data"},
	{"harness/outcome", "harness/internal/worker", "a result is data"},
	{"harness/outcome", "harness/record/store", "a result is data"},
	{"harness/internal/rerun", "registry/backend", "a record answers without asking a server"},
	{"harness/record", "harness/internal", "a record is read without running anything"},
	{"harness/record", "harness/catalog", "a record has all that it needs"},
	{"harness/record", "registry/backend", "reading a record asks no server"},
	{"harness/approval", "harness/serve", "calls are answered by functions that all surfaces share"},
	{"harness/approval", "harness/console", "calls are answered by functions that all surfaces share"},
	{"harness/approval", "harness/internal", "a call is answered without running anything"},
	{"harness/serve", "harness/internal", "a server sees what any embedder sees"},
	{"harness/cluster", "harness/internal", "a cluster sees what any embedder sees"},
	{"cmd", "harness/internal", "a command sees what any embedder sees"},
	{"harness/console", "harness/internal/worker", "pages show results and records, and run nothing"},
	{"harness/console", "harness/internal/engine", "pages show results and records, and run nothing"},
	{"harness/console", "harness/internal/bind", "pages show results and records, and run nothing"},
	{"harness", "cmd", "commands are the outermost layer"},
	{"examples", "harness/internal", "examples show what anybody can write"},
}

// rooms are packages that import nothing of the module but what their rows name, with
// the reason.
var rooms = []struct{ room, may, why string }{
	{"harness/flow", "registry/jsontree", "results and arguments are read in the order of their members"},
	{"harness/serve/shorten", "registry/text", "a cut text ends as all cut texts do"},
	{"harness/serve/shorten", "registry/jsontree", "a cut document keeps the order of its members"},
	{"harness/serve/guard", "harness", "its limits of memory are shared out among runs"},
	{"harness/serve/guard", "registry/localfile", "an owner's key is that of its folders"},
	{"harness/serve/transport", "registry/text", "messages of clients are quoted in part"},
	{"harness/serve/observe", "harness/outcome", "a run ends with a result"},
	{"harness/serve/observe", "harness/policy", "the audit names decisions"},
	{"harness/serve/observe", "harness/record", "what a run does is read from its lines"},
	{"harness/serve/observe", "harness/telemetry", "an account ends the span of its run"},
	{"harness/serve/observe", "harness/serve/shorten", "names and arguments in the audit are bounded"},
	{"harness/serve/observe", "harness/serve/transport", "a monitor is served over HTTP"},
	{"harness/serve/observe", "registry/text", "texts in notifications are cut as all are"},
	{"harness/serve/observe", "registry", "the audit names only arguments that a schema declares"},
	{"harness/serve/observe", "registry/jsontree", "arguments are named in their order"},
	{"harness/serve/observe", "registry/backend", "a call without a script ends with a server's result"},
	{"harness/serve/remote", "harness/outcome", "a run on a server ends with a result, too"},
	{"harness/serve/remote", "harness/serve/transport", "client and server agree on the protocol"},
}

// insideHarness are the packages of harness/internal that are a part of the harness, and not
// of the process that runs a script: they may know of records.
var insideHarness = []string{"harness/internal/bind", "harness/internal/journal", "harness/internal/engine",
	"harness/internal/rerun"}

// plainText has functions on strings and imports nothing: any package may use it.
const plainText = "registry/text"

// behindExec are the packages that run scripts. They import each other; of the
// others only harness/internal/exec does, so that no part of how a script runs
// is known outside, and another way to run one can take its place.
var behindExec = []string{"harness/internal/lower", "harness/internal/runtime", "harness/internal/yaegi",
	"harness/internal/stdlib/symbols"}

// within reports whether a package path is dir or below it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// goFiles calls f for every Go file of the module that is not testdata or part
// of a nested module, with its folder relative to the root.
func goFiles(t *testing.T, f func(dir, file string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if name != ".." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && p != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(p, ".go") {
			rel, err := filepath.Rel("..", filepath.Dir(p))
			if err != nil {
				return err
			}
			f(filepath.ToSlash(rel), p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// imports calls f for every package of the module that a file of it imports,
// both relative to the root. Tests may import what they like.
func imports(t *testing.T, f func(dir, file, to string)) {
	t.Helper()
	goFiles(t, func(dir, file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, imp := range parsed.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if to, ours := strings.CutPrefix(p, module); ours {
				f(dir, file, to)
			}
		}
	})
}

func TestImportsOnlyPointInward(t *testing.T) {
	imports(t, func(dir, file, to string) {
		for _, rule := range forbidden {
			if rule.from == "harness/internal" && slices.Contains(insideHarness, dir) {
				continue
			}
			if within(dir, rule.from) && within(to, rule.to) && !within(dir, rule.to) && to != plainText {
				t.Errorf("%s imports %s: %s", file, to, rule.why)
			}
		}
	})
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	may := map[string]map[string]bool{}
	for _, r := range rooms {
		if may[r.room] == nil {
			may[r.room] = map[string]bool{}
		}
		may[r.room][r.may] = false
	}
	imports(t, func(dir, file, to string) {
		if may[dir] == nil {
			return
		}
		if _, ok := may[dir][to]; !ok {
			t.Errorf("%s imports %s: no row of rooms says why", file, to)
			return
		}
		may[dir][to] = true
	})
	for _, r := range rooms {
		if !may[r.room][r.may] {
			t.Errorf("%s does not import %s (any more): remove its row", r.room, r.may)
		}
	}
}

func TestOnlyExecKnowsHowScriptsRun(t *testing.T) {
	inside := func(pkg string) bool {
		return slices.ContainsFunc(behindExec, func(dir string) bool { return within(pkg, dir) })
	}
	seen := false
	imports(t, func(dir, file, to string) {
		if !inside(to) || inside(dir) {
			return
		}
		seen = true
		if dir != "harness/internal/exec" {
			t.Errorf("%s imports %s: how a script runs is known to harness/internal/exec alone; "+
				"call exec.Compile and Program.Run", file, to)
		}
	})
	if !seen {
		t.Error("harness/internal/exec imports none of what it stands before: has a package moved?")
	}
}

func TestEveryPackageHasADocComment(t *testing.T) {
	documented := map[string]bool{}
	goFiles(t, func(dir, file string) {
		documented[dir] = documented[dir] || false
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		name := f.Name.Name
		want := "Package " + strings.TrimSuffix(name, "_test") + " "
		if name == "main" {
			want = "Command " + path.Base(dir) + " "
		}
		if doc := f.Doc.Text(); strings.HasPrefix(doc, want) {
			documented[dir] = true
		}
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no doc comment that begins with \"Package …\" or \"Command …\"", dir)
		}
	}
}

func TestTopLevelIsWhatTheDesignSays(t *testing.T) {
	want := []string{"LICENSE", "README.md", "cmd", "discovery", "examples", "go.mod", "go.sum", "harness", "registry",
		"wrappers"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// Of files only those count that belong to a module: a binary that
		// somebody built here harms nothing.
		ours := e.IsDir() || slices.Contains([]string{".go", ".md", ".mod", ".sum"}, filepath.Ext(e.Name()))
		if ours && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(want, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

// TestNoCodeSleepsInTests keeps tests fast and steady: a channel, synctest or a
// deadline serves better.
func TestNoCodeSleepsInTests(t *testing.T) {
	goFiles(t, func(_, file string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == `"testing/synctest"` { // its clock is not the wall's
				return
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Sleep" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
					t.Errorf("%s: a test sleeps", fset.Position(s.Pos()))
				}
			}
			return true
		})
	})
}
