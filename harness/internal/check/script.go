package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"sort"
	"strings"
)

// fileName is the script's file name in positions.
const fileName = "script.go"

// A Script is a parsed script: its syntax, and the tools that it needs.
type Script struct {
	text     []byte // as sent; the parsed text has the same length
	lines    []int  // offsets of line starts in text
	parts    []Part // the files of an archive, or nil
	fset     *token.FileSet
	files    []*file // sorted by name, like the go command's
	bare     bool    // without a package line: imports are added without a warning
	refs     []reference
	fields   map[*ast.Ident][]string // fields in literals of a reference's type
	phrases  []Phrase
	used     []Name
	faults   []Diagnostic // found by syntax; reported by Check
	misused  bool         // some faults are about UseTools
	warnings []Diagnostic
	notes    []Diagnostic // warnings that are not about faults
}

// A file is one file of a script.
type file struct {
	*ast.File
	source *token.File
	pieces []piece
	// failed are the identifiers that refused imports would have declared. "." stands for the
	// unknown names of a dot-import.
	failed map[string]bool
}

// Parse parses a script: a Go file of package main, bare statements mixed with declarations, or
// several files, each behind a line "-- NAME.go --"; all of them optionally in a Markdown
// fence. It returns at most 20 faults that prevent parsing, sorted by position; if there are
// any, the script is nil. Check reports the faults of a script that parses.
//
// A script has at most [MaxSize] bytes of UTF-8. Parse refuses a script that is nested too
// deeply for an ordinary stack.
func Parse(src []byte) (*Script, []Diagnostic) {
	text, bad := clean(src)
	if bad != nil {
		return nil, tidy([]Diagnostic{*bad}, src)
	}
	s := &Script{text: src, lines: lineStarts(src), fset: token.NewFileSet()}
	var list []Diagnostic
	if s.parts = partsOf(text); s.parts != nil {
		list = s.unpack(text)
	} else {
		list = s.single(text)
	}
	if len(list) > 0 {
		return nil, tidy(list, src)
	}
	s.faults = append(s.checkPackage(), s.checkImports()...)
	names := s.findNames()
	s.faults, s.misused = append(s.faults, names...), len(names) > 0
	return s, nil
}

// single parses a script that is one text.
func (s *Script) single(text []byte) []Diagnostic {
	o := scan(text)
	switch {
	case len(o.refused) > 0:
		return o.refused
	case len(o.segments) == 0:
		return []Diagnostic{{Kind: Compile, Message: "the script is empty",
			Hint: "send Go statements, or a file with func main; declare tools with UseTools(\"what they should do\")"}}
	}
	s.warnings = o.warnings
	assembled, pieces, bad := assemble(text, o)
	if bad != nil {
		return []Diagnostic{*bad}
	}
	if s.bare = !o.hasPackage; s.bare && o.release {
		s.warnings = append(s.warnings, Diagnostic{Kind: Warning, Line: 1, Column: 1, Message: "the build constraint is ignored; statements are in the newest Go"})
	}
	return s.add(assembled, pieces, o, len(bytes.TrimRight(text, " \t\r\n")))
}

// add parses a file whose text ends at offset end of the script as sent.
func (s *Script) add(text []byte, pieces []piece, o outline, end int) []Diagnostic {
	f := &file{pieces: pieces}
	var err error
	if f.File, err = parser.ParseFile(s.fset, fileName, text, 0); err != nil {
		return s.syntaxErrors(f, err, o, end)
	}
	f.source = s.fset.File(f.FileStart)
	s.mapPositions(f)
	s.files = append(s.files, f)
	return nil
}

func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// mapPositions makes the file set return positions in the script as sent.
func (s *Script) mapPositions(f *file) {
	for _, p := range f.pieces {
		if p.at != p.from {
			line, column := s.place(p.from)
			f.source.AddLineColumnInfo(p.at, fileName, line, column)
		}
	}
}

// place returns the line and column of an offset in the text as sent.
func (s *Script) place(offset int) (line, column int) {
	line = sort.SearchInts(s.lines, offset+1)
	return line, offset - s.lines[line-1] + 1
}

// origin converts an offset in the parsed text to one in the text as sent.
func (f *file) origin(offset int) int {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].at > offset })
	if i == 0 {
		return 0
	}
	p := f.pieces[i-1]
	return p.from + min(offset-p.at, p.n)
}

// at returns the line and column of a syntax node, or 0 for one that is not in the script.
func (s *Script) at(pos token.Pos) (line, column int) {
	f := s.fileOf(pos)
	if f == nil {
		return 0, 0
	}
	return s.place(f.origin(f.source.Offset(pos)))
}

// fileOf returns the file that contains a position, or nil.
func (s *Script) fileOf(pos token.Pos) *file {
	for _, f := range s.files {
		if pos.IsValid() && int(pos) >= f.source.Base() && int(pos) <= f.source.Base()+f.source.Size() {
			return f
		}
	}
	return nil
}

func (s *Script) holds(pos token.Pos) bool { return s.fileOf(pos) != nil }

// inspect visits the syntax of all files.
func (s *Script) inspect(visit func(ast.Node) bool) {
	for _, f := range s.files {
		ast.Inspect(f.File, visit)
	}
}

// diagnose returns a diagnostic at a node.
func (s *Script) diagnose(kind string, pos token.Pos, format string, args ...any) Diagnostic {
	line, column := s.at(pos)
	return Diagnostic{Kind: kind, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

// warn records something that was corrected or ignored.
func (s *Script) warn(pos token.Pos, format string, args ...any) {
	s.warnings = append(s.warnings, s.diagnose(Warning, pos, format, args...))
}

// syntaxErrors converts the parser's errors to diagnostics, with the Go compiler's words where
// these are clearer. It drops errors at end, where the text is over, unless they are the first:
// they follow from those before.
func (s *Script) syntaxErrors(f *file, err error, o outline, end int) []Diagnostic {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []Diagnostic{{Kind: Compile, Message: err.Error()}}
	}
	var out []Diagnostic
	for i, e := range list {
		offset := min(f.origin(e.Pos.Offset), len(s.text))
		if i > 0 && offset >= end {
			break
		}
		line, column := s.place(offset)
		d := Diagnostic{Kind: Compile, Line: line, Column: column, Message: "syntax error: " + e.Msg}
		switch {
		case strings.HasPrefix(e.Msg, "expected declaration"):
			d.Message = "syntax error: non-declaration statement outside function body"
			d.Hint = "put statements into func main, or leave the package line out; outside a function use var x = …, not x := …"
		case strings.HasSuffix(e.Msg, "found 'EOF'") && o.unclosed >= 0 && !o.lexical:
			opened, _ := s.place(o.unclosed)
			if _, in := Place(s.parts, opened); in > 0 {
				opened = in
			}
			d.Hint = fmt.Sprintf("the %c of line %d is never closed", s.text[o.unclosed], opened)
		case strings.HasPrefix(e.Msg, "expected selector or type assertion"):
			d.Hint = cmp.Or(otherLanguage(s.text, offset), "the names of a package's functions and types begin with a capital letter")
		case e.Msg == "expected operand, found '{'":
			d.Hint = "write a struct's fields after its type: git.LogParams{RepoPath: \".\"}"
		case e.Msg == "expected '==', found '='":
			d.Hint = "arguments have no names in Go; those of a tool are the fields of a struct: git.LogParams{RepoPath: \".\"}"
		case strings.HasPrefix(e.Msg, "expected ';', found ") && bytes.HasSuffix(bytes.TrimRight(s.text[:min(offset, len(s.text))], " \t"), []byte("await")):
			d.Hint = "leave out await: every call waits"
		case e.Msg == "exceeded max nesting depth":
			d.Kind = Refused
		default:
			d.Hint = otherLanguage(s.text, offset)
		}
		s.adviseIdiom(&d)
		out = append(out, d)
	}
	return out
}

// otherWords are words that begin a line in other languages, with their Go counterpart.
var otherWords = map[string]string{
	"async": "a script is Go: bare statements, or func main() { … }", "function": "a script is Go: func name(x int) string { … }",
	"def": "a script is Go: func name(x int) string { … }", "class": "a script is Go: type T struct { … }, and func (t T) name() { … }",
	"let": "a variable is declared with x := …", "const": "a variable is declared with x := …",
	"while": "a loop is for condition { … }", "try": "Go has no exceptions: x, err := f(), and then if err != nil { … }", "catch": "Go has no exceptions: x, err := f(), and then if err != nil { … }",
	"from": "a package is imported with import \"strings\"", "elif": "write } else if condition {",
}

// otherLanguage returns the hint for a construct of another language at a syntax error, or
// "" if it is not one.
func otherLanguage(text []byte, offset int) string {
	offset = min(offset, len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	if bytes.Contains(line, []byte("=>")) {
		return "a function literal is func(x int) int { return x + 1 }"
	}
	if hint := otherWords[firstWord(line)]; hint != "" {
		return hint
	}
	before := bytes.TrimSpace(text[:start]) // try { parses as a literal until its second line
	if bytes.HasSuffix(before, []byte("{")) {
		return otherWords[firstWord(before[bytes.LastIndexByte(before, '\n')+1:])]
	}
	return ""
}

func firstWord(line []byte) string {
	word, _, _ := bytes.Cut(bytes.TrimLeft(line, " \t}"), []byte(" "))
	return string(word)
}

// checkPackage refuses a script that is not a program by its form alone. It changes other
// package names to main, so that the rest can be checked.
func (s *Script) checkPackage() []Diagnostic {
	var list []Diagnostic
	for _, file := range s.files {
		if name := file.Name; name.Name != "main" {
			d := s.diagnose(Compile, name.Pos(), "package %s: a script is package main", name.Name)
			d.Hint = "write package main, or leave the line out"
			if s.parts != nil {
				d.Hint = "write package main in each file"
			}
			list = append(list, d)
			name.Name = "main"
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body == nil {
				list = append(list, s.diagnose(Compile, f.Pos(), "func %s: missing function body", f.Name.Name))
			}
		}
	}
	if s.mainFunc() == nil && len(list) == 0 {
		d := Diagnostic{Kind: Compile, Message: "function main is undeclared in the main package",
			Hint: "add func main() { … }, or send bare statements without a package line"}
		if len(s.notes) > 0 { // for files that are left out
			d.Hint = s.notes[0].Message
		}
		list = append(list, d)
	}
	return list
}
