package check

import (
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// maxMentioned limits the names of packages in a text that does not parse.
const maxMentioned = 200

// Mentions guesses the phrases and names that a script uses which Parse cannot read. It finds
// them by tokens alone: the strings in calls of UseTools, and the qualified names that are
// called or begin a literal. It returns at most 64 phrases and 200 names, and nothing for a
// text that is not Go source.
func Mentions(src []byte) ([]Phrase, []Name) {
	text, bad := clean(src)
	if bad != nil {
		return nil, nil
	}
	m := mentions{imports: map[string]string{}, declared: map[string]bool{}, seen: map[string]int{}}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		p := file.PositionFor(pos, false)
		m.token(mention{tok, lit, p.Line, p.Column})
	}
	var names []Name
	for _, n := range m.names {
		name, declared := n.Package, m.declared[n.Package]
		if server, ok := m.imports[name]; ok {
			n.Package, n.Imported = server, true
		} else if declared || name == discoveryPath || types.Universe.Lookup(name) != nil || isStd("", name, n.Name) {
			continue
		}
		if isServerName(n.Package) {
			names = append(names, n)
		}
	}
	return m.phrases, names
}

type mention struct {
	tok          token.Token
	lit          string
	line, column int
}

// mentions reads the tokens of a text.
type mentions struct {
	before   [4]mention // the last tokens, the latest first
	open     []bracket
	imports  map[string]string // servers by the identifiers of their packages
	declared map[string]bool   // variables
	names    []Name
	seen     map[string]int // indexes in names, plus 1
	phrases  []Phrase
}

// A bracket is an open bracket.
type bracket struct {
	tok  token.Token
	of   int  // the index in names, plus 1, of the literal or call that it belongs to
	list bool // its elements are literals of that name
	use  bool // it contains phrases
}

func (m *mentions) token(t mention) {
	last := m.before[0]
	inside := bracket{}
	if n := len(m.open); n > 0 {
		inside = m.open[n-1]
	}
	switch t.tok {
	case token.LPAREN, token.LBRACE, token.LBRACK:
		b := bracket{tok: t.tok}
		switch {
		case m.isSelector() && t.tok != token.LBRACK:
			b.of = m.name(m.before[2], last)
			b.list = m.before[3].tok == token.RBRACK && t.tok == token.LBRACE
		case last.tok == token.IDENT && last.lit == "UseTools" && t.tok == token.LPAREN:
			b.use = true
		case t.tok == token.LBRACE && inside.list && (last.tok == token.LBRACE || last.tok == token.COMMA || last.tok == token.COLON):
			b.of = inside.of
		case t.tok == token.LBRACE && inside.tok == token.LPAREN && inside.of > 0 && (last.lit == "any" || last.tok == token.RBRACE):
			b.of = inside.of // map[string]any{, map[string]interface{}{
		}
		m.open = append(m.open, b)
	case token.RPAREN, token.RBRACE, token.RBRACK:
		if n := len(m.open); n > 0 {
			m.open = m.open[:n-1]
		}
	case token.COLON:
		if inside.tok == token.LBRACE && inside.of > 0 && !inside.list && (m.before[1].tok == token.LBRACE || m.before[1].tok == token.COMMA) {
			field := last.lit
			if last.tok == token.STRING {
				field, _ = strconv.Unquote(field)
			}
			n := &m.names[inside.of-1]
			n.Fields = addField(n.Fields, field)
		}
	case token.DEFINE:
		m.declared[last.lit] = true
		if m.before[1].tok == token.COMMA {
			m.declared[m.before[2].lit] = true
		}
	case token.IDENT:
		if last.tok == token.VAR {
			m.declared[t.lit] = true
		}
	case token.STRING:
		m.text(t, inside)
	}
	copy(m.before[1:], m.before[:])
	m.before[0] = t
}

// isSelector reports whether the last tokens are a qualified name.
func (m *mentions) isSelector() bool {
	return m.before[0].tok == token.IDENT && m.before[1].tok == token.PERIOD && m.before[2].tok == token.IDENT && m.before[3].tok != token.PERIOD
}

// name records a qualified name and returns its index plus 1, or 0 if there are too many.
func (m *mentions) name(pkg, name mention) int {
	key := pkg.lit + "." + name.lit
	if m.seen[key] == 0 && len(m.names) < maxMentioned {
		m.names = append(m.names, Name{Package: pkg.lit, Name: name.lit, Line: pkg.line, Column: pkg.column})
		m.seen[key] = len(m.names)
	}
	return m.seen[key]
}

// text reads a string: a phrase, or an import path.
func (m *mentions) text(t mention, inside bracket) {
	text, err := strconv.Unquote(t.lit)
	if err != nil {
		return
	}
	if server, ok := strings.CutPrefix(text, serverPrefix); ok && isServerName(server) {
		name := server
		if m.before[0].tok == token.IDENT {
			name = m.before[0].lit
		}
		m.imports[name] = server
	}
	if inside.use && strings.TrimSpace(text) != "" && len(text) <= maxPhraseSize && len(m.phrases) < maxPhrases {
		m.phrases = append(m.phrases, Phrase{Text: text, Line: t.line, Column: t.column})
	}
}
