package library

import (
	"cmp"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

const (
	maxInputs  = 50  // that Inputs returns
	maxLiteral = 200 // bytes of Input.Else; a skill has it for each input
)

// Input is a value that a script reads with Input.
type Input struct {
	Name string
	Kind string // the Go type of its variable, "" if unknown
	Else string // the literal the variable keeps if no value is sent
}

// lexeme is a token of a script.
type lexeme struct {
	token.Token
	text       string
	start, end int // offsets
}

// Inputs returns the inputs that a script reads by constant names, in source order. It
// returns nil if the script has more than MaxSource bytes.
func Inputs(source string) []Input {
	if len(source) > MaxSource {
		return nil
	}
	all := lexemes(source)
	var out []Input
	for i := 1; i+2 < len(all); i++ {
		if all[i].text != "Input" || all[i-1].Token == token.PERIOD || all[i+1].Token != token.LPAREN || all[i+2].Token != token.STRING {
			continue
		}
		name, err := strconv.Unquote(all[i+2].text)
		if err != nil || name == "" || len(name) > 200 || slices.ContainsFunc(out, func(in Input) bool { return in.Name == name }) {
			continue
		}
		in := Input{Name: name}
		if rest := all[i+3:]; len(rest) > 3 && rest[0].Token == token.COMMA && rest[1].Token == token.AND &&
			rest[2].Token == token.IDENT && rest[3].Token == token.RPAREN {
			if in.Kind, in.Else = declared(source, all[:i], rest[2].text); len(in.Else) > maxLiteral {
				in.Else = ""
			}
		}
		if out = append(out, in); len(out) == maxInputs {
			break
		}
	}
	return out
}

// lexemes returns the tokens of a script, with an empty token before the first and after the last.
// Each statement ends with a semicolon.
func lexemes(source string) []lexeme {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	out := []lexeme{{}}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return append(out, lexeme{})
		}
		start := file.Offset(pos)
		out = append(out, lexeme{tok, lit, start, start + len(cmp.Or(lit, tok.String()))})
	}
}

// declared returns the type of a variable and its initial literal. It understands
// limit := 200, var limit int and var limit int = 200; otherwise it returns "".
func declared(source string, before []lexeme, name string) (kind, literal string) {
	at := func(i int) token.Token {
		if i >= len(before) {
			return token.SEMICOLON
		}
		return before[i].Token
	}
	value := func(i int) (kind, literal string) {
		if at(i) == token.SEMICOLON || at(i+1) != token.SEMICOLON {
			return "", ""
		}
		switch v := before[i]; {
		case v.Token == token.INT:
			return "int", v.text
		case v.Token == token.FLOAT:
			return "float64", v.text
		case v.Token == token.STRING:
			return "string", v.text
		case v.text == "true", v.text == "false":
			return "bool", v.text
		}
		return "", ""
	}
	for i := len(before) - 1; i > 0; i-- {
		isVar := at(i-1) == token.VAR
		switch {
		case before[i].text != name || at(i-1) == token.PERIOD:
		case at(i+1) == token.DEFINE, isVar && at(i+1) == token.ASSIGN:
			return value(i + 2)
		case isVar:
			k := i + 1
			for ; at(k) != token.SEMICOLON && at(k) != token.ASSIGN; k++ {
			}
			if k > i+1 {
				kind = text.Cut(strings.TrimSpace(source[before[i+1].start:before[k-1].end]), 60)
			}
			if at(k) == token.ASSIGN {
				_, literal = value(k + 1)
			}
			return kind, literal
		}
	}
	return "", ""
}
