package check

import (
	"bytes"
	"go/token"
	"slices"
)

// A piece maps a part of the parsed text to the script: the n bytes at offset at are those at
// offset from of the script.
type piece struct{ at, from, n int }

// assemble makes a Go file of the script. It returns a text with a package clause unchanged. Of
// bare statements, it puts declarations at package level and the rest into main.
func assemble(text []byte, o outline) ([]byte, []piece, *Diagnostic) {
	if o.hasPackage {
		return text, []piece{{0, 0, len(text)}}, nil
	}
	if o.stray >= 0 {
		d := badByte(text, o.stray, "syntax error: unexpected "+string(text[o.stray]))
		d.Hint = "no bracket is open here"
		return nil, nil, d
	}
	top, body := split(o.segments)
	hasMain := slices.ContainsFunc(top, func(s segment) bool { return s.isFunction() && s.head[1].lit == "main" })
	if hasMain && len(body) > 0 {
		d := badByte(text, body[0].from, "syntax error: non-declaration statement outside function body")
		d.Hint = "move it into func main, or leave out func main: bare statements are a script too"
		return nil, nil, d
	}
	var out bytes.Buffer
	var pieces []piece
	add := func(s segment) {
		pieces = append(pieces, piece{out.Len(), s.from, s.to - s.from})
		out.Write(text[s.from:s.to])
		out.WriteByte('\n')
	}
	out.WriteString("package main\n")
	for _, s := range top {
		add(s)
	}
	if !hasMain {
		out.WriteString("func main() {\n")
		for _, s := range body {
			add(s)
		}
		out.WriteString("}\n")
	}
	return out.Bytes(), pieces, nil
}

// split divides segments into those at package level, imports first, and those of main. A
// variable that a function mentions goes to package level if that does not change the order of
// execution: it precedes all statements, or its value calls nothing.
func split(segments []segment) (top, body []segment) {
	hoisted := make([]bool, len(segments))
	mentioned := map[string]bool{}
	for _, s := range segments {
		if s.isFunction() {
			for name := range s.mentions {
				mentioned[name] = true
			}
		}
	}
	for again := true; again; {
		again = false
		started := false
		for i, s := range segments {
			started = started || !s.isDeclaration() && !s.isVar() && s.head[0].lit != "UseTools"
			if hoisted[i] || !s.isVar() || started && s.calls {
				continue
			}
			if slices.ContainsFunc(s.names, func(n string) bool { return mentioned[n] }) {
				hoisted[i], again = true, true
				for name := range s.mentions {
					mentioned[name] = true
				}
			}
		}
	}
	var imports []segment
	for i, s := range segments {
		switch {
		case s.head[0].tok == token.IMPORT:
			imports = append(imports, s)
		case hoisted[i] || s.isDeclaration():
			top = append(top, s)
		default:
			body = append(body, s)
		}
	}
	return append(imports, top...), body
}
