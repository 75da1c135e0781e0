package wrappers

import (
	"slices"
	"strings"
)

// Bounds of Line: the fields of the arguments and of the result each, those of
// a struct in them, how deep structs are written, and the fields of all of them
// (twice as many with the used ones).
const (
	maxLineFields = 8
	maxLineInner  = 6
	maxLineDepth  = 2
	maxLineAll    = 24
)

// Line returns the tool on one short line, for lists that must cost few tokens:
// the function, its parameters with a question mark behind the optional ones,
// and its result. Structs are written as their fields: the first ones, and those
// with the used names, wherever they are.
//
//	git.Log(RepoPath string, MaxCount? int) → Commits []{Hash string, Author string, …}, Total int
func (t *Tool) Line(used ...string) string {
	t.server.load()
	var b strings.Builder
	b.WriteString(t.Go() + "(")
	o := &outline{most: maxLineInner, depth: maxLineDepth, left: maxLineAll, used: used}
	if t.input != nil {
		var fields []*field // the required ones first
		for _, required := range []bool{true, false} {
			for _, f := range t.input.fields {
				if f.required == required && f.fixed == "" {
					fields = append(fields, f)
				}
			}
		}
		o.argument = true
		b.WriteString(o.fields(fields, maxLineFields))
		o.argument = false
	}
	b.WriteString(") → ")
	if fields := t.resultFields(); fields != nil {
		b.WriteString(o.fields(fields, maxLineFields))
	} else {
		b.WriteString(t.untypedShort())
	}
	b.WriteString(t.Mark())
	return b.String()
}

// maxLineOutline bounds what Line says of a result that was seen, in characters.
const maxLineOutline = 120

// untypedShort is untyped for a line.
func (t *Tool) untypedShort() string {
	outline, n, ok := t.Seen()
	switch {
	case ok:
		return cutText(outline, maxLineOutline) + " (" + times(n) + ")"
	case t.output != nil:
		return "JSON"
	}
	return "text or JSON"
}

// outline writes types for readers: structs as their fields, so that nobody
// has to look for their names.
type outline struct {
	most, depth int      // fields of a struct, and structs in structs, that are written
	left        int      // fields of all structs that may still be written
	argument    bool     // with the names of structs, which a script has to write
	used        []string // names of fields that are written beyond these bounds
	stack       []*object
}

func (o *outline) typ(t *typ) string {
	return t.text(func(s *object) string {
		name := ""
		if o.argument {
			name = s.decl.name
		}
		for _, outer := range o.stack {
			if outer == s {
				return s.decl.name
			}
		}
		most := o.most
		if len(o.stack) >= o.depth || o.left <= 0 {
			if o.argument {
				return name
			}
			most = 0
		}
		o.stack = append(o.stack, s)
		defer func() { o.stack = o.stack[:len(o.stack)-1] }()
		return name + "{" + o.fields(s.decl.fields, most) + "}"
	})
}

// fields lists the first fields, and those that are used.
func (o *outline) fields(fs []*field, most int) string {
	var parts []string
	for i, f := range fs {
		if i >= most && (o.left < -maxLineAll || !slices.Contains(o.used, f.name)) {
			continue
		}
		o.left--
		name := f.name
		if o.argument && !f.required {
			name += "?"
		}
		parts = append(parts, name+" "+o.typ(f.typ))
	}
	if len(parts) < len(fs) {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// Params returns the Go names of the tool's parameters, in the order of its
// schema.
func (t *Tool) Params() []string {
	t.server.load()
	var out []string
	if t.input != nil {
		for _, f := range t.input.fields {
			out = append(out, f.name)
		}
	}
	return out
}
