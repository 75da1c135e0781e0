package main

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

type ItemType int

const (
	itemError ItemType = iota
	itemEOF
	itemText
	itemOpen
	itemClose
	itemIdent
	itemString
	itemNumber
	itemPipe
)

var itemNames = [...]string{itemError: "error", itemEOF: "EOF", itemText: "text", itemOpen: "open", itemClose: "close", itemIdent: "ident", itemString: "string", itemNumber: "number", itemPipe: "pipe"}

func (t ItemType) String() string { return itemNames[t] }

type Item struct {
	Type ItemType
	Val  string
	Pos
}
type Pos struct{ Line, Col int }

func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }
func (i Item) String() string {
	switch i.Type {
	case itemEOF:
		return "EOF"
	case itemError:
		return "ERR(" + i.Val + ")@" + i.Pos.String()
	}
	if len(i.Val) > 10 {
		return fmt.Sprintf("%v:%.10q...", i.Type, i.Val)
	}
	return fmt.Sprintf("%v:%q", i.Type, i.Val)
}

type stateFn func(*lexer) stateFn

type lexer struct {
	input      string
	start, pos int
	width      int
	emit       func(Item) bool
	stopped    bool
}

const eof = -1

func (l *lexer) next() (r rune) {
	if l.pos >= len(l.input) {
		l.width = 0
		return eof
	}
	r, l.width = utf8.DecodeRuneInString(l.input[l.pos:])
	l.pos += l.width
	return
}
func (l *lexer) backup() { l.pos -= l.width }
func (l *lexer) ignore() { l.start = l.pos }
func (l *lexer) accept(valid func(rune) bool) (n int) {
	for valid(l.next()) {
		n++
	}
	l.backup()
	return
}
func (l *lexer) at() Pos {
	before := l.input[:l.start]
	return Pos{1 + strings.Count(before, "\n"), l.start - strings.LastIndexByte(before, '\n')}
}
func (l *lexer) send(t ItemType) {
	if !l.emit(Item{t, l.input[l.start:l.pos], l.at()}) {
		l.stopped = true
	}
	l.start = l.pos
}
func (l *lexer) errorf(format string, args ...any) stateFn {
	l.emit(Item{itemError, fmt.Sprintf(format, args...), l.at()})
	return nil
}

func lexText(l *lexer) stateFn {
	if i := strings.Index(l.input[l.pos:], "{{"); i >= 0 {
		l.pos += i
		if l.pos > l.start {
			l.send(itemText)
		}
		l.pos += 2
		l.send(itemOpen)
		return lexAction
	}
	l.pos = len(l.input)
	if l.pos > l.start {
		l.send(itemText)
	}
	l.send(itemEOF)
	return nil
}

func lexAction(l *lexer) stateFn {
	for {
		if strings.HasPrefix(l.input[l.pos:], "}}") {
			l.pos += 2
			l.send(itemClose)
			return lexText
		}
		switch r := l.next(); {
		case r == eof:
			return l.errorf("unclosed action")
		case unicode.IsSpace(r):
			l.ignore()
		case r == '|':
			l.send(itemPipe)
		case r == '"':
			return lexQuote
		case r == '-' || '0' <= r && r <= '9':
			l.backup()
			return lexNumber
		case unicode.IsLetter(r), r == '_', r == '.':
			l.accept(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' })
			l.send(itemIdent)
		default:
			return l.errorf("unexpected %#U", r)
		}
	}
}

func lexQuote(l *lexer) stateFn {
loop:
	for {
		switch l.next() {
		case '\\':
			if r := l.next(); r != eof && r != '\n' {
				break
			}
			fallthrough
		case eof, '\n':
			return l.errorf("unterminated quoted string")
		case '"':
			break loop
		}
	}
	l.send(itemString)
	return lexAction
}

func lexNumber(l *lexer) stateFn {
	if l.next() != '-' {
		l.backup()
	}
	if l.accept(unicode.IsDigit) == 0 {
		return l.errorf("bad number syntax: %q", l.input[l.start:min(l.pos+1, len(l.input))])
	}
	l.send(itemNumber)
	return lexAction
}

func Lex(input string) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		l := &lexer{input: input, emit: yield}
		for state := stateFn(lexText); state != nil && !l.stopped; {
			state = state(l)
		}
	}
}

func main() {
	for _, in := range []string{
		"hello {{name | upper}}!", "{{", "x{{\"a\\\"b\" 12 -3}}", "{{\"oops}}", "line1\nline2 {{ .é.b _x }}\n{{ # }}", "{{-}}", "", "a very long text here {{ x }}",
	} {
		fmt.Printf("%-12.12q", in)
		for it := range Lex(in) {
			fmt.Print(" ", it)
		}
		fmt.Println()
	}
	n := 0
	for it := range Lex(strings.Repeat("{{a}}", 100)) {
		if it.Type == itemIdent {
			if n++; n == 5 {
				fmt.Println("stopped at", it.Pos, it.Line)
				break
			}
		}
	}
	counts := map[ItemType]int{}
	for it := range Lex("{{a|b|c 1 2 \"x\"}}") {
		counts[it.Type]++
	}
	fmt.Println(counts)
	fmt.Printf("%v %+v\n", Item{itemNumber, "1", Pos{1, 2}}, struct {
		I Item
		P Pos
	}{P: Pos{3, 4}})
}
