package wrappers

import "strings"

// maxLineFields bounds the fields that Line names, of the arguments and of the
// result each.
const maxLineFields = 8

// Line is the tool on one short line, for lists that must cost little: the
// function, its fields with a question mark behind the optional ones, and what
// comes back where that has fields.
//
//	git.Log(RepoPath, MaxCount?) → Commits[]
func (t *Tool) Line() string {
	t.server.load()
	var b strings.Builder
	b.WriteString(t.Go() + "(")
	if t.input != nil {
		n := 0
		for _, required := range []bool{true, false} {
			for _, f := range t.input.fields {
				if f.required != required || f.fixed != "" {
					continue
				}
				if n++; n > maxLineFields {
					continue
				}
				if n > 1 {
					b.WriteString(", ")
				}
				b.WriteString(f.name)
				if !required {
					b.WriteByte('?')
				}
			}
		}
		if n > maxLineFields {
			b.WriteString(", …")
		}
	}
	b.WriteByte(')')
	switch {
	case t.output != nil && len(t.output.fields) > 0:
		b.WriteString(" → ")
		for i, f := range t.output.fields {
			if i == 3 {
				b.WriteString(", …")
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.name)
			if f.typ.kind == kindList {
				b.WriteString("[]")
			}
		}
	case t.single != nil && t.single.kind == kindList:
		b.WriteString(" → Result[]")
	case t.single != nil:
		b.WriteString(" → Result")
	}
	return b.String()
}
