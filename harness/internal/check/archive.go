package check

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Part is one file of a script in several files: an archive in txtar format, with a line "--
// NAME --" before each file.
type Part struct {
	Name     string
	Line     int // of its marker, from 1; the file's first line is the next
	from, to int
}

// Parts returns the files of a script in their order, or nil if the script is one text.
func Parts(src []byte) []Part {
	text, bad := clean(src)
	if bad != nil {
		return nil
	}
	return partsOf(text)
}

// Place returns the file of a line of the script as sent, and the line in that file. For a
// script that is one text, the name is empty and the line is unchanged.
func Place(parts []Part, line int) (name string, at int) {
	at = line
	for _, p := range parts {
		if p.Line <= line {
			name, at = p.Name, max(line-p.Line, 1) // a fault at a marker concerns the whole file
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

// maxFiles limits the files of a script.
const maxFiles = 100

// here returns the build context that selects the files of a script.
func here(open func(string) (io.ReadCloser, error)) *build.Context {
	c := &build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", OpenFile: open}
	for i := range newestGo {
		c.ReleaseTags = append(c.ReleaseTags, fmt.Sprintf("go1.%d", i+1))
	}
	return c
}

const newestGo = 26

// leftOut returns why go run would ignore a file, or "" if it would not.
func leftOut(name string, src []byte) string {
	if strings.HasSuffix(name, "_test.go") {
		return "tests do not run in scripts"
	}
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	if taken, err := here(open).MatchFile("", name); taken || err != nil {
		return "" // the parser reports its faults
	}
	open = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package main\n")), nil }
	if taken, _ := here(open).MatchFile("", name); taken {
		return "its build constraint is false; scripts run as on linux/amd64"
	}
	return "Go leaves out files of that name on linux/amd64"
}

// misfit returns why a script cannot have a file of that name, and a hint.
func misfit(name string) (message, hint string) {
	switch {
	case strings.Contains(name, "/"):
		return fmt.Sprintf("%s: a script is one package", name), "put all files beside each other, as package main"
	case !goFile().MatchString(name):
		return fmt.Sprintf("%s: a script contains only Go files", name), "put a text into a constant, or send it as an input and read it with Input"
	}
	return "", ""
}

var goFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\.go$`) })

// unpack parses the files of an archive that the go command would build, in its order.
func (s *Script) unpack(text []byte) []Diagnostic {
	if len(s.parts) > maxFiles {
		return []Diagnostic{{Kind: Refused, Message: fmt.Sprintf("the script has %d files, at most %d are accepted", len(s.parts), maxFiles),
			Hint: "put more into each; files are one package in any case"}}
	}
	var list []Diagnostic
	seen := map[string]bool{}
	var files []Part
	for _, p := range s.parts {
		ignored := func(format string, args ...any) {
			s.notes = append(s.notes, Diagnostic{Kind: Warning, Line: p.Line, Column: 1, Message: p.Name + ": " + fmt.Sprintf(format, args...)})
		}
		if p.Name == "go.mod" || p.Name == "go.sum" {
			ignored("ignored; a script is Go 1.%d, and has the standard library and its tools", newestGo)
			continue
		}
		message, hint := misfit(p.Name)
		if message == "" && seen[p.Name] {
			message, hint = p.Name+": two files have this name", "rename one of them"
		}
		seen[p.Name] = true
		if message != "" {
			list = append(list, Diagnostic{Kind: Refused, Line: p.Line, Column: 1, Message: message, Hint: hint})
			continue
		}
		if why := leftOut(p.Name, text[p.from:p.to]); why != "" {
			ignored("left out: %s", why)
			continue
		}
		files = append(files, p)
	}
	if list == nil && files == nil {
		return []Diagnostic{{Kind: Compile, Message: "the script has no Go files that would be built", Hint: "put func main into a file main.go without a build constraint"}}
	}
	if list != nil {
		return list
	}
	slices.SortStableFunc(files, func(a, b Part) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range files {
		list = append(list, s.part(text[p.from:p.to], p)...)
	}
	if list == nil {
		s.link()
	}
	return list
}

// part parses one file.
func (s *Script) part(src []byte, p Part) []Diagnostic {
	o := scan(src)
	for i := range o.refused { // warnings only concern build constraints, which are followed here
		o.refused[i].Line += p.Line
	}
	if o.unclosed >= 0 {
		o.unclosed += p.from
	}
	switch {
	case len(o.refused) > 0:
		return o.refused
	case !o.hasPackage:
		return []Diagnostic{{Kind: Compile, Line: p.Line, Column: 1, Message: p.Name + " does not begin with package main",
			Hint: "each of several files must be a complete Go file: package main, imports, declarations"}}
	}
	pieces := []piece{{0, p.from, max(len(src)-1, 0)}} // its end is not on the next marker
	return s.add(src, pieces, o, p.from+len(bytes.TrimRight(src, " \t\r\n")))
}

// link resolves uses of other files' declarations, as the parser does within one file.
func (s *Script) link() {
	for _, f := range s.files {
		f.Unresolved = slices.DeleteFunc(f.Unresolved, func(id *ast.Ident) bool {
			for _, other := range s.files {
				if o := other.Scope.Lookup(id.Name); o != nil {
					id.Obj = o
				}
			}
			return id.Obj != nil
		})
	}
}
