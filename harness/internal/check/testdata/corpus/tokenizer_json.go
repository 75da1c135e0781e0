package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
)

type TokenType int

//go:generate stringer
const (
	LBrace TokenType = iota
	RBrace
	LBracket
	RBracket
	Colon
	Comma
	String
	Number
	Literal
)

func (t TokenType) String() string { return strings.Split("{ } [ ] : , String Number Literal", " ")[t] }

type Token struct {
	Type      TokenType
	Val       string
	Line, Col int
}

type Lexer struct {
	r         *strings.Reader
	line, col int
}

type LexError struct {
	Line, Col int
	Err       error
}

func (e *LexError) Error() string { return fmt.Sprintf("%d:%d: %v", e.Line, e.Col, e.Err) }
func (e *LexError) Unwrap() error { return e.Err }

func (l *Lexer) next() (rune, error) {
	r, _, err := l.r.ReadRune()
	if err != nil {
		return 0, err
	}
	if r == '\n' {
		l.line++
		l.col = 0
	} else {
		l.col++
	}
	return r, nil
}

func (l *Lexer) back() { l.r.UnreadRune(); l.col-- }

func (l *Lexer) str() (string, error) {
	var sb strings.Builder
	for {
		r, err := l.next()
		switch {
		case err != nil:
			return "", io.ErrUnexpectedEOF
		case r == '"':
			return sb.String(), nil
		case r != '\\':
			sb.WriteRune(r)
			continue
		}
		r, err = l.next()
		if err != nil {
			return "", io.ErrUnexpectedEOF
		}
		switch r {
		case 'n':
			sb.WriteByte('\n')
		case 't':
			sb.WriteByte('\t')
		case '"', '\\', '/':
			sb.WriteRune(r)
		case 'u':
			u, err := l.hex4()
			if err != nil {
				return "", err
			}
			if utf16.IsSurrogate(u) {
				l.next()
				l.next()
				lo, err := l.hex4()
				if err != nil {
					return "", err
				}
				u = utf16.DecodeRune(u, lo)
			}
			sb.WriteRune(u)
		default:
			return "", fmt.Errorf("bad escape %q", r)
		}
	}
}

func (l *Lexer) hex4() (rune, error) {
	var buf [4]byte
	for i := range buf {
		r, err := l.next()
		if err != nil {
			return 0, err
		}
		buf[i] = byte(r)
	}
	v, err := strconv.ParseUint(string(buf[:]), 16, 32)
	return rune(v), err
}

func (l *Lexer) Tokens() iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		punct := map[rune]TokenType{'{': LBrace, '}': RBrace, '[': LBracket, ']': RBracket, ':': Colon, ',': Comma}
		for {
			r, err := l.next()
			if err == io.EOF {
				return
			}
			tok := Token{Line: l.line, Col: l.col}
			if t, ok := punct[r]; ok {
				tok.Type, tok.Val = t, string(r)
			} else if r == '"' {
				tok.Type = String
				tok.Val, err = l.str()
			} else if strings.ContainsRune(" \n\t", r) {
				continue
			} else if r == '-' || '0' <= r && r <= '9' {
				s := []rune{r}
				for r, err = l.next(); err == nil && strings.ContainsRune("0123456789.eE+-", r); r, err = l.next() {
					s = append(s, r)
				}
				if err == nil {
					l.back()
				}
				tok.Type, tok.Val = Number, string(s)
				_, err = strconv.ParseFloat(tok.Val, 64)
			} else {
				s := string(r)
				for r, err = l.next(); err == nil && r >= 'a' && r <= 'z'; r, err = l.next() {
					s += string(r)
				}
				if err == nil {
					l.back()
				}
				if err = nil; s != "true" && s != "false" && s != "null" {
					err = fmt.Errorf("unknown literal %q", s)
				}
				tok.Type, tok.Val = Literal, s
			}
			if err != nil {
				yield(tok, &LexError{tok.Line, tok.Col, err})
				return
			}
			if !yield(tok, nil) {
				return
			}
		}
	}
}

var errParse = errors.New("parse error")

func parseValue(next func() (Token, error, bool)) (any, error) {
	t, err, ok := next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: %w", errParse, io.ErrUnexpectedEOF)
	}
	return parseTok(t, next)
}

func parseTok(t Token, next func() (Token, error, bool)) (any, error) {
	switch t.Type {
	case String:
		return t.Val, nil
	case Number:
		return strconv.ParseFloat(t.Val, 64)
	case Literal:
		return map[string]any{"true": true, "false": false, "null": nil}[t.Val], nil
	case LBracket:
		arr := []any{}
		for {
			t, err, ok := next()
			if err != nil || !ok {
				return nil, errors.Join(errParse, err)
			}
			if t.Type == RBracket {
				return arr, nil
			}
			if t.Type == Comma {
				continue
			}
			v, err := parseTok(t, next)
			if err != nil {
				return nil, err
			}
			arr = append(arr, v)
		}
	case LBrace:
		obj := map[string]any{}
		for {
			t, err, ok := next()
			if err != nil || !ok {
				return nil, errors.Join(errParse, err)
			}
			switch t.Type {
			case RBrace:
				return obj, nil
			case Comma:
			case String:
				if c, _, _ := next(); c.Type != Colon {
					return nil, fmt.Errorf("%w: %d:%d: want :, got %v", errParse, c.Line, c.Col, c.Type)
				}
				if obj[t.Val], err = parseValue(next); err != nil {
					return nil, fmt.Errorf("in %q: %w", t.Val, err)
				}
			}
		}
	}
	return nil, fmt.Errorf("%w: unexpected %v at %d:%d", errParse, t.Type, t.Line, t.Col)
}

func main() {
	docs := []string{
		`{"a": [1, 2.5, -3e2], "b": {"c": null, "d": true}, "s": "x\n\"\u00e9\ud83d\ude00"}`,
		"[1,\n  tru]", `{"k" 1}`, `["abc`, `{"a": {"b": }}`, "", `"\q"`, "[1, 2",
	}
	for _, d := range docs {
		l := &Lexer{r: strings.NewReader(d), line: 1}
		next, stop := iter.Pull2(l.Tokens())
		v, err := parseValue(func() (Token, error, bool) { return next() })
		stop()
		var le *LexError
		fmt.Printf("%v | %v | lex=%t eof=%t parse=%t\n", v, err, errors.As(err, &le), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errParse))
	}
	n := map[TokenType]int{}
	for t, err := range (&Lexer{r: strings.NewReader(docs[0])}).Tokens() {
		if err != nil {
			break
		}
		n[t.Type]++
	}
	fmt.Println(n)
}
