package wrappers

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of Line: the fields of the arguments and of the result each, those of a struct in them,
// the depth of structs, and the sum of all fields (twice as many with the used ones).
const (
	maxLineFields = 8
	maxLineInner  = 6
	maxLineDepth  = 2
	maxLineAll    = 24
)

// Line returns the tool on one short line, for lists with few tokens: the function, its
// parameters with a question mark after the optional ones, and its result. Structs are written as
// their fields: the first ones, and those with the used names at any depth.
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

// Sketch returns the tool on one line of Go identifiers and types, without texts of the server.
// It has all required parameters, up to limit optional ones, with a question mark, and twice as
// many fields of the result. It omits a result that has no fields or only a text, which scripts
// read with Text.
//
//	git.Log(RepoPath string, MaxCount?, Skip? int) → {Commits []{Hash, Author string, …}, Total int}
func (t *Tool) Sketch(limit int) string {
	t.server.load()
	o := &outline{most: limit, depth: 1 + limit/4, left: 4 * limit, grouped: true, argument: true}
	args := ""
	if t.input != nil {
		args = o.fields(t.input.fields, limit)
	}
	if t.params != "" && t.params != t.Func+"Params" {
		args = t.params + "{" + args + "}"
	}
	line := t.Go() + "(" + args + ")"
	o.argument, o.most = false, 2*limit
	if fields := t.resultFields(); fields != nil && !t.isText() {
		line += " → {" + o.fields(fields, o.most) + "}"
	}
	return line
}

// isText reports whether the result is a single text, possibly in an SDK's envelope.
func (t *Tool) isText() bool {
	return t.single != nil && t.single.kind == kindString || t.unwrap && t.output.fields[0].typ.kind == kindString
}

// Example returns a call with the required parameters, as a script writes it, and the part of its
// result r that the script returns. It returns "" if it cannot invent a value.
func (t *Tool) Example() (call, result string) {
	t.server.load()
	var args []string
	if t.input != nil {
		for _, f := range t.input.fields {
			if !f.required || f.fixed != "" || f.unset != "" {
				continue
			}
			value := f.typ.example()
			if value == "" || f.variant || len(f.enum) > 0 || f.limits != "" {
				return "", ""
			}
			args = append(args, f.name+": "+value)
		}
	}
	call = t.Go() + "()"
	if t.params != "" {
		call = fmt.Sprintf("%s(%s.%s{%s})", t.Go(), t.server.Package, t.params, strings.Join(args, ", "))
	}
	if fields := t.resultFields(); fields != nil && !t.isText() {
		return call, "r." + fields[0].name
	}
	return call, "r.Text()"
}

// example returns a short literal of the type, or "".
func (t *typ) example() string {
	switch {
	case t.pointer:
	case t.kind == kindString:
		return `"x"`
	case t.kind == kindInt, t.kind == kindFloat:
		return "1"
	case t.kind == kindBool:
		return "true"
	case t.kind == kindList && t.elem.kind < kindList && t.elem.example() != "":
		return t.text(nil) + "{" + t.elem.example() + "}"
	}
	return ""
}

// maxLineOutline bounds the observed result shape in Line, in characters.
const maxLineOutline = 120

// untypedShort is the form of untyped for Line.
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

// outline writes types for readers. It writes structs as their fields, so that readers need not
// look up their names.
type outline struct {
	most, depth int      // limits of the fields of a struct, and of structs in structs
	left        int      // fields of all structs that may still be written
	argument    bool     // with the names of structs, which a script needs to write
	used        []string // names of fields that are never omitted
	grouped     bool     // names of the same type share it; required fields of arguments come first and are complete
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

// fields lists the first fields and the used ones.
func (o *outline) fields(fs []*field, most int) string {
	if o.grouped {
		return o.groups(fs, most)
	}
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

// groups lists fields as Go does, grouping names of the same type.
func (o *outline) groups(fs []*field, most int) string {
	var out, last string
	n := 0
	for _, f := range fs {
		if o.argument && f.fixed != "" {
			continue
		}
		required := o.argument && f.required
		if n >= most && !required || n >= maxLineAll {
			return strings.TrimPrefix(out+last+", …", ", ")
		}
		name := f.name
		if o.argument && !required {
			name += "?"
		}
		o.left--
		typ := " " + o.typ(f.typ)
		if n++; n > 1 && typ != last {
			out += last
		}
		if n > 1 {
			out += ", "
		}
		out, last = out+name, typ
	}
	return out + last
}

// Params returns the Go names of the tool's parameters, in the order of its schema.
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
