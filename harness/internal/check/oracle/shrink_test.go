package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// maxShrinking bounds the time spent on one program.
const maxShrinking = 90 * time.Second

// shrunk returns a smaller program that still differs in the same way, with the
// outcomes of both sides.
//
// It takes away declarations, statements and clauses, puts bodies in the place
// of their statements and expressions in the place of those around them, always
// many at a time: a batch costs Go as much as one program does.
func shrunk(t testing.TB, s *subject, src string) (string, outcome, outcome) {
	t.Helper()
	want, got := compareAll(t, s, []string{src})
	best := candidate{src: src, want: want[0], got: got[0]}
	kind := best.kind()
	for end := time.Now().Add(maxShrinking); time.Now().Before(end); {
		smaller := pass(t, s, best, kind, end)
		if len(smaller.src) >= len(best.src) {
			break
		}
		best = smaller
	}
	best.src = eachFile(best.src, func(text string) string {
		text = blankLines.ReplaceAllString(text, "\n")
		if tidy, err := format.Source([]byte(text)); err == nil {
			return string(tidy)
		}
		return text
	})
	return best.src, best.want, best.got
}

var blankLines = regexp.MustCompile(`\n(\s*\n)+`)

// A candidate is a program on the way to a smaller one.
type candidate struct {
	src       string
	want, got outcome
	cut       []cut // that made it of the one before
}

// kind is what shrinking must preserve of a difference: all but the numbers,
// so that one difference does not turn into another on the way.
func (c candidate) kind() string {
	return digits.ReplaceAllString(firstLine(difference(c.want, c.got)), "N")
}

// pass tries every cut of a program once and returns the smallest that came of it.
func pass(t testing.TB, s *subject, from candidate, kind string, end time.Time) candidate {
	best := from
	cuts := cutsOf(from.src)
	for len(cuts) > 0 && time.Now().Before(end) {
		var tried []candidate
		for len(cuts) > 0 && len(tried) < batch {
			if src, ok := apply(from.src, cuts[0]...); ok {
				tried = append(tried, candidate{src: src, cut: cuts[0]})
			}
			cuts = cuts[1:]
		}
		var works [][]cut
		for _, c := range keepers(t, s, tried, kind) {
			works = append(works, c.cut)
			if len(c.src) < len(best.src) {
				best = c
			}
		}
		// What works alone mostly works together.
		var together []candidate
		for n := len(works); n > 1; n = n * 3 / 4 {
			if src, ok := apply(from.src, slices.Concat(works[:n]...)...); ok {
				together = append(together, candidate{src: src})
			}
		}
		for _, c := range keepers(t, s, together, kind) {
			if len(c.src) < len(best.src) {
				best = c
			}
		}
		if len(best.src) < len(from.src)*9/10 {
			return best
		}
	}
	return best
}

// keepers runs candidates and returns those that still differ in the same way.
// What breaks a script needs no comparison with Go, since it is Go.
func keepers(t testing.TB, s *subject, list []candidate, kind string) []candidate {
	t.Helper()
	if len(list) == 0 {
		return nil
	}
	var srcs []string
	for _, c := range list {
		srcs = append(srcs, c.src)
	}
	var want, got []outcome
	if strings.HasPrefix(kind, "broken") {
		want = make([]outcome, len(list))
		for _, src := range srcs {
			o, err := s.run(src)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, o)
		}
	} else {
		want, got = compareAll(t, s, srcs)
	}
	var out []candidate
	for i, c := range list {
		c.want, c.got = want[i], got[i]
		if want[i].Refused == "" && want[i].Broken == "" && c.kind() == kind {
			out = append(out, c)
		}
	}
	return out
}

// A cut replaces a part of a program by a smaller text.
type cut struct {
	from, to int
	text     string
}

// apply makes cuts that do not overlap, and says whether Go accepts the rest.
func apply(src string, cuts ...cut) (string, bool) {
	cuts = slices.SortedFunc(slices.Values(cuts), func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var b strings.Builder
	at := 0
	for _, c := range cuts {
		if c.from < at {
			continue
		}
		b.WriteString(src[at:c.from] + c.text)
		at = c.to
	}
	b.WriteString(src[at:])
	out := withoutUnusedImports(b.String())
	_, _, err := checkSource(out)
	return out, err == nil
}

// eachFile changes the text of each file of a program, and drops those of which
// nothing is left.
func eachFile(src string, change func(string) string) string {
	files := filesOf(src)
	if len(files) == 1 && files[0].at == 0 {
		return change(src)
	}
	var b strings.Builder
	for _, f := range files {
		if text := change(f.text); strings.TrimSpace(text) != "package main" && strings.TrimSpace(text) != "" {
			fmt.Fprintf(&b, "-- %s --\n%s\n", f.name, strings.TrimRight(text, "\n"))
		}
	}
	return b.String()
}

var (
	importLine  = regexp.MustCompile(`(?m)^\s*(?:import )?(\w+ )?("[a-z0-9/]+")\n`)
	emptyImport = regexp.MustCompile(`import \(\s*\)\n`)
)

func withoutUnusedImports(src string) string {
	return eachFile(src, func(src string) string {
		used := importLine.ReplaceAllStringFunc(src, func(line string) string {
			m := importLine.FindStringSubmatch(line)
			name, _ := strconv.Unquote(m[2])
			if strings.Contains(src, cmp.Or(strings.TrimSpace(m[1]), path.Base(name))+".") || path.Base(name) == "v2" {
				return line
			}
			return ""
		})
		return emptyImport.ReplaceAllString(used, "")
	})
}

// checkSource type-checks a program. Of an archive it takes the files that Go
// takes.
func checkSource(src string) (map[*ast.File]sourceFile, *types.Info, error) {
	fset := token.NewFileSet()
	files := map[*ast.File]sourceFile{}
	var list []*ast.File
	for _, file := range filesOf(src) {
		if leftOut.MatchString(file.name) || strings.Contains(file.text, "//go:build ") {
			continue
		}
		f, err := parser.ParseFile(fset, file.name, file.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files[f], list = file, append(list, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: export.Importer(), GoVersion: "go1.26"}
	p, err := conf.Check("main", fset, list, info)
	if err == nil && p.Scope().Lookup("main") == nil {
		err = errors.New("no func main")
	}
	return files, info, err
}

// leftOut matches the names of files that the generator writes for Go to leave out.
var leftOut = regexp.MustCompile(`_test\.go$|_windows\.go$|\.mod$`)

// cutsOf returns what may be tried on a program, large cuts first.
func cutsOf(src string) [][]cut {
	files, info, err := checkSource(src)
	if err != nil {
		return nil
	}
	c := &cutter{src: src, info: info}
	for f, file := range files {
		c.start = f.FileStart - token.Pos(file.at)
		for _, d := range f.Decls {
			c.add(d, "")
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c.visit(n)
			return true
		})
	}
	size := func(list []cut) int {
		n := 0
		for _, c := range list {
			n += c.to - c.from - len(c.text)
		}
		return n
	}
	slices.SortStableFunc(c.cuts, func(a, b []cut) int { return cmp.Compare(size(b), size(a)) })
	return c.cuts
}

// A cutter collects the cuts of a program.
type cutter struct {
	src   string
	start token.Pos // of the file at hand, less where it stands in src
	info  *types.Info
	cuts  [][]cut
}

func (c *cutter) cut(from, to ast.Node, text string) cut {
	return cut{int(from.Pos() - c.start), int(to.End() - c.start), text}
}

func (c *cutter) add(n ast.Node, text string) { c.cuts = append(c.cuts, []cut{c.cut(n, n, text)}) }

func (c *cutter) text(n ast.Node) string { return c.src[n.Pos()-c.start : n.End()-c.start] }

func (c *cutter) body(list []ast.Stmt) string {
	if len(list) == 0 {
		return ""
	}
	return c.src[list[0].Pos()-c.start : list[len(list)-1].End()-c.start]
}

func (c *cutter) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		c.statements(n.List)
	case *ast.CaseClause:
		c.statements(n.Body)
		c.add(n, "")
	case *ast.CommClause:
		c.statements(n.Body)
		c.add(n, "")
	case *ast.SwitchStmt:
		c.clauses(n, n.Body)
	case *ast.TypeSwitchStmt:
		c.clauses(n, n.Body)
	case *ast.IfStmt:
		c.add(n, c.body(n.Body.List))
		if n.Else != nil {
			c.cuts = append(c.cuts, []cut{{int(n.Body.End() - c.start), int(n.Else.End() - c.start), ""}})
			c.add(n, c.text(n.Else))
		}
	case *ast.ForStmt:
		c.add(n, c.body(n.Body.List))
	case *ast.RangeStmt:
		c.add(n, c.body(n.Body.List))
	case *ast.LabeledStmt:
		c.add(n, c.text(n.Stmt))
	case *ast.DeferStmt:
		c.add(n, c.text(n.Call))
	case *ast.GoStmt:
		c.add(n, c.text(n.Call))
	case *ast.Field:
		c.add(n, "")
	case *ast.CompositeLit:
		if len(n.Elts) > 0 && n.Type != nil {
			c.add(n, c.text(n.Type)+"{}")
		}
	case *ast.CallExpr:
		for _, arg := range n.Args {
			if _, ok := arg.(*ast.Ident); ok {
				c.add(n, c.text(arg)+"()")
			}
		}
	}
	if e, ok := n.(ast.Expr); ok {
		c.hoist(e)
	}
}

// statements cuts each statement, alone and with those behind it that need it,
// and long lists in two.
func (c *cutter) statements(list []ast.Stmt) {
	for i, s := range list {
		c.add(s, "")
		if b, ok := s.(*ast.BlockStmt); ok {
			c.add(s, c.body(b.List))
		}
		names := declared(s)
		if len(names) == 0 {
			continue
		}
		cuts := []cut{c.cut(s, s, "")}
		for _, later := range list[i+1:] {
			if mentions(later, names) {
				cuts = append(cuts, c.cut(later, later, ""))
			}
		}
		c.cuts = append(c.cuts, cuts)
	}
	if n := len(list); n >= 4 {
		c.cuts = append(c.cuts, []cut{c.cut(list[0], list[n/2-1], "")}, []cut{c.cut(list[n/2], list[n-1], "")})
	}
}

func declared(s ast.Stmt) map[string]bool {
	names := map[string]bool{}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, e := range s.Lhs {
			if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
				names[id.Name] = true
			}
		}
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					names[id.Name] = true
				}
			}
			return true
		})
	}
	return names
}

func mentions(n ast.Node, names map[string]bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[id.Name] {
			found = true
		}
		return !found
	})
	return found
}

// clauses puts the statements of a clause in the place of a switch.
func (c *cutter) clauses(n ast.Node, body *ast.BlockStmt) {
	for _, s := range body.List {
		if clause, ok := s.(*ast.CaseClause); ok {
			c.add(n, c.body(clause.Body))
		}
	}
}

// hoist puts inner expressions of the same type in the place of e.
func (c *cutter) hoist(e ast.Expr) {
	tv, ok := c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return
	}
	n := 0
	ast.Inspect(e, func(inner ast.Node) bool {
		x, ok := inner.(ast.Expr)
		if !ok || x == e {
			return n < 6
		}
		if _, ok := x.(*ast.FuncLit); ok {
			return false
		}
		if it, ok := c.info.Types[x]; ok && it.IsValue() && types.Identical(it.Type, tv.Type) {
			c.add(e, c.text(x))
			n++
		}
		return n < 6
	})
}
