package generate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"maps"
	"slices"
	"strings"
)

// fileNames are the files among which declarations are distributed. Go's order of these names
// is not a reader's.
var fileNames = []string{"main.go", "a.go", "util.go", "Types.go", "main_2.go", "z-last.go"}

// archive writes a program in several files, each with its own imports, some renamed, and with
// files that Go ignores.
func (g *program) archive(src string, f *ast.File) (string, error) {
	names := slices.Clone(fileNames)
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:2+g.IntN(3)]
	decls := map[string][]ast.Decl{}
	for _, d := range f.Decls {
		name := pick(g, names)
		decls[name] = append(decls[name], d)
	}
	var b strings.Builder
	if g.chance(30) {
		b.WriteString(pick(g, leftOut))
	}
	for _, name := range names {
		file := &ast.File{Name: f.Name, Decls: decls[name]}
		text := "package main\n\n" + g.declarations(src, f, file)
		tidy, err := format.Source([]byte(text))
		if err != nil {
			return "", fmt.Errorf("%w\n%s", err, text)
		}
		fmt.Fprintf(&b, "-- %s --\n%s", name, tidy)
	}
	return b.String(), nil
}

var leftOut = []string{
	"-- gen.go --\n//go:build ignore\n\npackage main\n\nfunc main() { panic(\"left out\") }\n",
	"-- main_test.go --\npackage main\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { panic(\"left out\") }\n",
	"-- main_windows.go --\npackage main\n\nvar fuel = 0\n",
	"-- b.go --\n// A comment.\n\n//go:build !linux || go1.99\n\npackage main\n\nfunc step() {}\n",
	"-- go.mod --\nmodule script\n\ngo 1.26\n",
}

// declarations returns the text of some declarations behind their imports.
func (g *program) declarations(src string, f, file *ast.File) string {
	used := usedPackages(f, file)
	type change struct {
		at, n int
		text  string
	}
	offset := func(n ast.Node) int { return int(n.Pos() - f.FileStart) }
	var changes []change
	var head strings.Builder
	head.WriteString("import (\n")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		as := name
		if g.chance(20) {
			as = "pkg" + name
		}
		head.WriteString(importSpec(name, as))
		for _, id := range used[name] {
			changes = append(changes, change{offset(id), len(name), as})
		}
	}
	if g.chance(20) {
		head.WriteString("_ \"strings\"\n")
	}
	head.WriteString(")\n")
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	for _, d := range file.Decls {
		at, end := offset(d), int(d.End()-f.FileStart)
		for len(changes) > 0 && changes[0].at < end {
			head.WriteString(src[at:changes[0].at] + changes[0].text)
			at = changes[0].at + changes[0].n
			changes = changes[1:]
		}
		head.WriteString(src[at:end] + "\n\n")
	}
	return head.String()
}
