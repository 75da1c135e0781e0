package check

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// maxNesting limits the brackets, operators and type prefixes inside or behind each other
// before a comma or a new statement. It keeps the recursion of later stages shallow; real code
// stays below 200.
const maxNesting = 4000

// A segment is a piece of the text at the outermost level, between two semicolons (written or implied).
type segment struct {
	from, to int
	head     []lexeme        // its first tokens outside brackets
	names    []string        // names that a var declaration declares
	mentions map[string]bool // all its identifiers
	calls    bool            // it calls something other than a conversion or a builtin
	block    bool            // it opens a brace outside other brackets
}

type lexeme struct {
	tok token.Token
	lit string
}

// An outline is the result of one pass over the tokens, before any recursive parsing.
type outline struct {
	segments   []segment
	hasPackage bool
	stray      int // offset of the first unmatched closing bracket, or -1
	unclosed   int // offset of the innermost unclosed bracket, or -1
	refused    []Diagnostic
	warnings   []Diagnostic
	lexical    bool // the text has tokens that Go does not know
	release    bool // a build constraint requires a release of Go
}

// scan outlines the text. It overwrites the beginning of //line comments, so that a script
// cannot change the positions of its faults.
func scan(text []byte) outline {
	w := walker{text: text, out: outline{stray: -1, unclosed: -1}, counts: []int{0}}
	fset := token.NewFileSet()
	w.file = fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(w.file, text, func(token.Position, string) { w.out.lexical = true }, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		offset := w.file.Offset(pos)
		if tok == token.COMMENT {
			w.comment(offset, lit)
			continue
		}
		if tok == token.EOF {
			w.close(len(text))
			break
		}
		if !w.token(offset, tok, lit) {
			break
		}
	}
	if n := len(w.open); n > 0 {
		w.out.unclosed = w.open[n-1]
	}
	return w.out
}

type walker struct {
	text        []byte
	file        *token.File
	out         outline
	open        []int // offsets of the open brackets
	counts      []int // tokens since the last separator, for each open bracket
	total       int   // sum of counts
	current     *segment
	last        lexeme
	begun       bool // a token other than a comment was read
	constrained bool // a //go:build line was read
}

// token processes the next token and reports whether to continue.
func (w *walker) token(offset int, tok token.Token, lit string) bool {
	top := len(w.counts) - 1
	outermost := len(w.open) == 0
	switch tok {
	case token.SEMICOLON, token.COMMA, token.CASE, token.DEFAULT:
		w.total -= w.counts[top]
		w.counts[top] = 0
		if tok == token.SEMICOLON && outermost && !w.inHeader(lit) {
			end := offset
			if lit == ";" {
				end++
			}
			w.close(end)
			w.last = lexeme{tok, lit}
			return true
		}
	case token.RPAREN, token.RBRACE, token.RBRACK:
		if outermost {
			if w.out.stray < 0 {
				w.out.stray = offset
			}
			break
		}
		w.total -= w.counts[top]
		w.open, w.counts = w.open[:top-1], w.counts[:top]
		outermost = len(w.open) == 0
	}
	if !w.begun {
		w.begun = true
		w.out.hasPackage = tok == token.PACKAGE
	}
	w.collect(offset, tok, lit, outermost)
	w.last = lexeme{tok, lit}
	w.counts[len(w.counts)-1]++
	if w.total++; w.total > maxNesting {
		line, column := w.place(offset)
		w.out.refused = append(w.out.refused, Diagnostic{Kind: Refused, Line: line, Column: column,
			Message: fmt.Sprintf("nested too deeply: more than %d brackets, operators and types inside each other", maxNesting),
			Hint:    "split the expression into statements; write long texts as one raw string"})
		return false
	}
	if tok == token.LBRACE && outermost {
		w.current.block = true
	}
	if tok == token.LPAREN || tok == token.LBRACE || tok == token.LBRACK {
		w.open, w.counts = append(w.open, offset), append(w.counts, 0)
	}
	return true
}

// inHeader reports whether a semicolon is in the header of a for, if or switch statement, as in
// for i := 0; ; i++ {.
func (w *walker) inHeader(lit string) bool {
	if lit != ";" || w.current == nil || w.current.block || len(w.current.head) == 0 {
		return false
	}
	switch w.current.head[0].tok {
	case token.FOR, token.IF, token.SWITCH:
		return true
	}
	return false
}

// collect adds the token to the current segment, or starts one.
func (w *walker) collect(offset int, tok token.Token, lit string, outermost bool) {
	if w.current == nil {
		if tok == token.SEMICOLON {
			return
		}
		w.current = &segment{from: offset, mentions: map[string]bool{}}
	}
	s := w.current
	if tok == token.IDENT {
		s.mentions[lit] = true
		if s.isVar() && w.isDeclared() {
			s.names = append(s.names, lit)
		}
	}
	if tok == token.LPAREN && (w.last.tok == token.IDENT && !plain[w.last.lit] || w.last.tok == token.RPAREN || w.last.tok == token.RBRACK || w.last.tok == token.RBRACE) {
		s.calls = true
	}
	if outermost && len(s.head) < 5 {
		s.head = append(s.head, lexeme{tok, lit})
	}
}

func (s *segment) isVar() bool { return len(s.head) > 0 && s.head[0].tok == token.VAR }

// isDeclared reports whether the current identifier may be a variable of a var declaration: it
// follows var, a comma, or begins a line of a group. False positives, such as types or values,
// do no harm.
func (w *walker) isDeclared() bool {
	group := len(w.current.head) > 1 && w.current.head[1].tok == token.LPAREN
	if len(w.open) > 1 || len(w.open) == 1 && !group {
		return false
	}
	switch w.last.tok {
	case token.VAR, token.COMMA, token.SEMICOLON, token.LPAREN:
		return true
	}
	return false
}

// plain are the functions and types that an initial value can call without effects.
var plain = map[string]bool{"make": true, "new": true, "len": true, "cap": true, "append": true, "min": true, "max": true, "complex": true, "real": true, "imag": true,
	"string": true, "byte": true, "rune": true, "bool": true, "any": true, "error": true, "uintptr": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true, "complex64": true, "complex128": true}

func (w *walker) close(end int) {
	if w.current == nil {
		return
	}
	w.current.to = end
	w.out.segments = append(w.out.segments, *w.current)
	w.current = nil
}

func (w *walker) comment(offset int, lit string) {
	if offset+6 <= len(w.text) && bytes.HasPrefix(w.text[offset+2:], []byte("line ")) {
		w.text[offset+2] = 'L'
	}
	reason := ""
	switch {
	case constraint.IsGoBuild(lit), !w.begun && constraint.IsPlusBuild(lit):
		w.constraint(offset, lit)
		return
	case !w.begun && strings.HasPrefix(lit, "//go:debug "):
		reason = "scripts run with the settings of the newest Go"
	case strings.HasPrefix(lit, "//go:linkname"), strings.HasPrefix(lit, "//go:cgo_"):
		reason = "scripts do not link to other code"
	case strings.HasPrefix(lit, "//go:embed"):
		reason = "a script has no files except its source; put the text into a constant"
	default:
		return
	}
	line, column := w.place(offset)
	w.out.refused = append(w.out.refused, Diagnostic{Kind: Refused, Line: line, Column: column,
		Message: fmt.Sprintf("directive %q is not available to scripts", directive(lit)), Hint: "remove the line: " + reason})
}

// constraint handles a build constraint. The go command runs a file given by name whatever its
// constraint says, and so do scripts; unpack has already selected among several files. Only the
// required release of Go still matters: the parser reads it as the file's language version.
func (w *walker) constraint(offset int, lit string) {
	fault := func(format string, args ...any) {
		line, column := w.place(offset)
		w.out.refused = append(w.out.refused, Diagnostic{Kind: Compile, Line: line, Column: column,
			Message: fmt.Sprintf(format, args...), Hint: "remove the line: scripts run as on linux/amd64, in the newest Go"})
	}
	x, err := constraint.Parse(lit)
	switch {
	case constraint.IsPlusBuild(lit):
	case w.begun:
		fault("misplaced compiler directive %s", directive(lit))
		return
	case w.constrained:
		fault("multiple //go:build comments")
		return
	case err != nil:
		fault("parsing //go:build line: %v", err)
		return
	case constraint.GoVersion(x) != "":
		w.constrained = true
		w.out.release = true
		return
	default:
		w.constrained = true
	}
	w.warn(offset, "%s: ignored", text.CutBytes(strings.TrimSpace(lit), 80))
}

func (w *walker) warn(offset int, format string, args ...any) {
	line, column := w.place(offset)
	w.out.warnings = append(w.out.warnings, Diagnostic{Kind: Warning, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

// directive returns the name of a directive: //go:build, // +build.
func directive(comment string) string {
	name, rest, _ := strings.Cut(comment, " ")
	if name == "//" {
		second, _, _ := strings.Cut(rest, " ")
		name += " " + second
	}
	return text.CutBytes(strings.TrimSpace(name), 40)
}

// place returns the line and column of an offset, ignoring //line comments.
func (w *walker) place(offset int) (line, column int) {
	p := w.file.PositionFor(w.file.Pos(offset), false)
	return p.Line, p.Column
}

// isDeclaration reports whether the segment belongs at package level in a script of bare
// statements: imports, types, constants, functions and methods.
func (s *segment) isDeclaration() bool {
	switch s.head[0].tok {
	case token.IMPORT, token.TYPE, token.CONST:
		return true
	}
	return s.isFunction()
}

// isFunction reports whether the segment declares a function or method, and is not a function
// literal that is called at once.
func (s *segment) isFunction() bool {
	if s.head[0].tok != token.FUNC || len(s.head) < 2 {
		return false
	}
	if s.head[1].tok == token.IDENT {
		return true
	}
	toks := make([]token.Token, 0, 5)
	for _, l := range s.head {
		toks = append(toks, l.tok)
	}
	return slices.Equal(toks, []token.Token{token.FUNC, token.LPAREN, token.RPAREN, token.IDENT, token.LPAREN})
}
