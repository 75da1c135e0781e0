package front

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// A Part is one file of a script that is several: an archive in the form of
// txtar, with a line "-- NAME --" before each.
type Part struct {
	Name     string
	Line     int // of its marker, from 1; its first line is the one behind
	from, to int
}

// Parts returns the files of a script, in the order in which it holds them;
// nil for a script that is one text.
func Parts(src []byte) []Part {
	text, bad := clean(src)
	if bad != nil {
		return nil
	}
	return partsOf(text)
}

// Place finds the file of a line of the script as sent, and the line in it; an
// empty name for a script that is one text.
func Place(parts []Part, line int) (name string, at int) {
	for _, p := range parts {
		if p.Line <= line {
			name, at = p.Name, max(line-p.Line, 1) // what is said of a marker is of the whole file
		}
	}
	return name, at
}

func partsOf(text []byte) []Part {
	var parts []Part
	offset, number := 0, 0
	for line := range bytes.Lines(text) {
		number++
		start := offset
		offset += len(line)
		name, ok := marker(line)
		if !ok {
			if parts == nil && len(bytes.TrimSpace(line)) > 0 {
				return nil
			}
			continue
		}
		if n := len(parts); n > 0 {
			parts[n-1].to = start
		}
		parts = append(parts, Part{Name: name, Line: number, from: offset, to: len(text)})
	}
	return parts
}

func marker(line []byte) (name string, ok bool) {
	s, ok := strings.CutPrefix(strings.TrimRight(string(line), " \t\r\n"), "-- ")
	if !ok {
		return "", false
	}
	s, ok = strings.CutSuffix(s, " --")
	s = strings.TrimSpace(s)
	return s, ok && s != ""
}

var goFile = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*\.go$`)

// otherSystem matches the names of files that Go leaves out on linux/amd64.
var otherSystem = regexp.MustCompile(`_(windows|darwin|freebsd|netbsd|openbsd|dragonfly|solaris|illumos|aix|android|ios|js|wasip1|plan9|386|arm|arm64|wasm|riscv64|ppc64|ppc64le|s390x|loong64|mips|mipsle|mips64|mips64le)(_amd64)?\.go$`)

// misfit says why a script cannot have a file of that name.
func misfit(name string) (message, hint string) {
	switch {
	case strings.Contains(name, "/"):
		return fmt.Sprintf("%s: a script is one package", name), "put all files beside each other, as package main"
	case strings.HasSuffix(name, "_test.go"):
		return fmt.Sprintf("%s: tests do not run in scripts", name), "leave it out; call what is to be tried from main"
	case otherSystem.MatchString(name):
		return fmt.Sprintf("%s: by its name a file of another system", name), "scripts run as on linux/amd64: rename it"
	case !goFile.MatchString(name):
		return fmt.Sprintf("%s: a script holds Go files alone", name), "put a text into a constant, or send it as an input and read it with Input"
	}
	return "", ""
}

// unpack makes one file of the files of an archive, which stand in it as the
// go command takes them: sorted by name. Package main is written once, each
// import once, and then what each of them declares.
func (s *Script) unpack(text []byte, parts []Part) ([]byte, []Diagnostic) {
	var list []Diagnostic
	seen := map[string]bool{}
	files := parts[:0:0]
	for _, p := range parts {
		fault := func(message, hint string) {
			list = append(list, Diagnostic{Kind: Refused, Line: p.Line, Column: 1, Message: message, Hint: hint})
		}
		if p.Name == "go.mod" {
			s.warnings = append(s.warnings, Diagnostic{Kind: Warning, Line: p.Line, Column: 1, Message: "go.mod: ignored; a script has the standard library and its tools"})
			continue
		}
		if message, hint := misfit(p.Name); message != "" {
			fault(message, hint)
		} else if seen[p.Name] {
			fault(p.Name+": there are two files of this name", "rename one of them")
		}
		seen[p.Name] = true
		files = append(files, p)
	}
	if list != nil {
		return nil, list
	}
	slices.SortStableFunc(files, func(a, b Part) int { return cmp.Compare(a.Name, b.Name) })
	var imports []importSpec
	var bodies []piece
	for _, p := range files {
		specs, body, bad := s.part(text, p)
		list = append(list, bad...)
		imports = append(imports, specs...)
		bodies = append(bodies, body)
	}
	if len(list) > 0 {
		return nil, list
	}
	var out bytes.Buffer
	s.pieces = nil
	add := func(from, n int) {
		s.pieces = append(s.pieces, piece{out.Len(), from, n})
		out.Write(text[from : from+n])
		out.WriteByte('\n')
	}
	out.WriteString("package main\n")
	first := map[string]importSpec{} // by name, and those without one by name and path
	for _, spec := range imports {
		key := spec.name
		if key == "." || key == "_" {
			key += spec.path
		}
		before, ok := first[key]
		if !ok {
			first[key] = spec
			out.WriteString("import ")
			add(spec.from, spec.n)
		} else if before.path != spec.path {
			line, column := s.place(spec.from)
			list = append(list, Diagnostic{Kind: Refused, Line: line, Column: column,
				Message: fmt.Sprintf("%s is package %q here and %q in %s", spec.name, spec.path, before.path, before.file),
				Hint:    "import one of them under another name"})
		}
	}
	for _, b := range bodies {
		add(b.from, b.n)
	}
	return out.Bytes(), list
}

type importSpec struct {
	name, path, file string
	from, n          int
}

// part reads one file: its imports, and the rest. A file that does not parse by
// itself is reported by itself, so that a bracket left open does no harm to the
// next.
func (s *Script) part(text []byte, p Part) ([]importSpec, piece, []Diagnostic) {
	src := text[p.from:p.to]
	s.pieces = []piece{{0, p.from, max(len(src)-1, 0)}} // its end is not on the next marker
	o := scan(src)
	for _, list := range []*[]Diagnostic{&o.refused, &o.warnings} {
		for i := range *list {
			(*list)[i].Line += p.Line
		}
	}
	s.warnings = append(s.warnings, o.warnings...)
	if o.unclosed >= 0 {
		o.unclosed += p.from
	}
	switch {
	case len(o.refused) > 0:
		return nil, piece{}, o.refused
	case !o.hasPackage:
		return nil, piece{}, []Diagnostic{{Kind: Compile, Line: p.Line, Column: 1, Message: p.Name + " does not begin with package main",
			Hint: "each file of a script with several is a whole Go file: package main, its imports, declarations"}}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, p.Name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, piece{}, s.syntaxErrors(err, o, p.from+len(bytes.TrimRight(src, " \t\r\n")))
	}
	tf := fset.File(file.FileStart)
	at := func(pos token.Pos) int { return p.from + tf.Offset(pos) }
	if file.Name.Name != "main" {
		line, column := s.place(at(file.Name.Pos()))
		return nil, piece{}, []Diagnostic{{Kind: Compile, Line: line, Column: column, Message: fmt.Sprintf("package %s: a script is package main", file.Name.Name),
			Hint: "write package main in each file"}}
	}
	var specs []importSpec
	end := at(file.Name.End())
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			break
		}
		for _, spec := range g.Specs {
			i := spec.(*ast.ImportSpec)
			specs = append(specs, importSpec{importedName(i), importedPath(i), p.Name, at(i.Pos()), int(i.End() - i.Pos())})
		}
		end = at(g.End())
	}
	for end < p.to && (text[end] == ';' || text[end] == ' ') {
		end++
	}
	return specs, piece{0, end, p.to - end}, nil
}
