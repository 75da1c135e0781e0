package wrappers

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Signature is the function on one line, as a script sees it:
// func git.Log(p git.LogParams) (git.LogResult, error).
func (t *Tool) Signature() string { return t.funcLine(t.server.Package + ".") }

// ParamsType is the name of the type that the function takes, in its package;
// "" where it takes nothing.
func (t *Tool) ParamsType() string { t.server.load(); return t.params }

// ResultType is the name of the result's type.
func (t *Tool) ResultType() string { t.server.load(); return t.result }

// API is the shortest text that says how to call the tool and what comes
// back: the signature and the fields of its structs, required ones marked,
// without comments.
func (t *Tool) API() string { return t.render(false) }

// Doc is API with what the tool does and what each field means, at most two
// lines a field. The types of the signature's line stand below it as p and r.
func (t *Tool) Doc() string { return t.render(true) }

// Bounds of what Doc says of a tool and of a field, in characters: about two
// lines of an editor for a field.
const (
	maxSummary = 160
	maxRemark  = 140
)

func (t *Tool) render(doc bool) string {
	t.server.load()
	var b strings.Builder
	if doc {
		if d := cutText(oneLine(t.summary), maxSummary); d != "" {
			fmt.Fprintf(&b, "// %s\n", d)
		}
	}
	b.WriteString(t.Signature())
	switch {
	case doc && !t.typed():
		b.WriteString(" // Text(), JSON(&v)")
	case t.observed:
		b.WriteString(observedMark)
	}
	b.WriteByte('\n')
	r := renderer{b: &b, doc: doc, done: map[*decl]bool{}, required: "required"}
	if t.params != "" {
		r.object(head(t.params, "p", doc), t.input.fields)
	}
	r.required = ""
	switch {
	case t.output != nil:
		r.object(head(t.result, "r", doc), t.output.fields)
	case t.single != nil:
		fmt.Fprintf(&b, "%s { Result %s }\n", head(t.result, "r", doc), r.typ(t.single))
		r.flush()
	}
	return b.String()
}

// observedMark says of a result's type what it is worth.
const observedMark = " // result type observed, not promised by the server"

// head begins a struct: with its variable where the signature stands above.
func head(typ, variable string, short bool) string {
	if short {
		return variable
	}
	return "type " + typ + " struct"
}

// Tokens estimates how many tokens of a language model a text of this package
// takes: 4.3 bytes each, the mean over the tools of 48 servers (cl100k).
func Tokens(text string) int { return (len(text)*10 + 42) / 43 }

// Declaration is the struct declaration of one of the package's types on one
// line of at most max characters, as a reader needs it; "" for an unknown name.
// Where there is no room for all fields, the required ones come first and the
// types of the others are left out.
func (s *Server) Declaration(name string, max int) string {
	ts := s.Type(name)
	if len(ts) == 0 {
		return ""
	}
	t := ts[0]
	r := renderer{done: map[*decl]bool{}}
	var fields []*field
	mark := ""
	switch {
	case name == t.params:
		fields, r.required = t.input.fields, "required"
	case name == t.result && t.output != nil:
		fields = t.output.fields
	case name == t.result && t.single != nil:
		fields = []*field{{name: "Result", typ: t.single}}
	case name == t.result:
		return fmt.Sprintf("type %s struct{} // text: Text(), JSON(&v)", name)
	default:
		i := slices.IndexFunc(t.nested, func(o *object) bool { return o.decl.name == name || slices.Contains(o.decl.aliases, name) })
		d := t.nested[i].decl
		if fields = d.fields; d.argument {
			r.required = "required"
		}
	}
	if name == t.result && t.observed {
		mark = observedMark
	}
	head := "type " + name + " struct"
	var b strings.Builder
	r.b = &b
	r.object(head, fields)
	line, _, _ := strings.Cut(b.String(), "\n")
	if len(line)+len(mark) <= max {
		return line + mark
	}
	return r.short(head, fields, max-len(mark)) + mark
}

// short is object within a length: required fields first, then the others'
// names without types, then how many are left.
func (r *renderer) short(head string, fs []*field, max int) string {
	var b strings.Builder
	b.WriteString(head + " {")
	left, names := 0, 0
	for _, f := range fs {
		part, first := ";", names == 0
		switch {
		case f.fixed != "" && r.required != "":
			continue
		case f.required && r.required != "":
			part += fmt.Sprintf(" %s %s /*required*/", f.name, r.typ(f.typ))
		case first:
			part += " … " + f.name
			names++
		default:
			part = ", " + f.name
			names++
		}
		if b.Len()+len(part) > max-20 {
			left++
			continue
		}
		if strings.HasSuffix(b.String(), "{") {
			part = part[1:]
		}
		b.WriteString(part)
	}
	if left > 0 {
		fmt.Fprintf(&b, " … %d more", left)
	}
	return b.String() + " }"
}

// renderer writes struct types for a reader.
type renderer struct {
	b        *strings.Builder
	doc      bool
	done     map[*decl]bool
	queue    []*decl
	required string // the remark on required fields, "" in results
}

// object writes a struct behind its head: "type T struct", or just p or r.
func (r *renderer) object(head string, fs []*field) {
	r.b.WriteString(head + " {")
	if len(fs) > 0 && fs[0].variant {
		r.b.WriteString(" /* exactly one of */")
	}
	n := 0
	lines := r.doc && !r.plain(fs)
	for _, f := range fs {
		if f.fixed != "" && r.required != "" {
			continue // sent by itself
		}
		if n++; lines {
			fmt.Fprintf(r.b, "\n\t%s %s", f.name, r.typ(f.typ))
			if c := f.brief(r.required); c != "" {
				fmt.Fprintf(r.b, " // %s", c)
			}
			continue
		}
		if n > 1 {
			r.b.WriteByte(';')
		}
		fmt.Fprintf(r.b, " %s %s", f.name, r.typ(f.typ))
		if f.required && r.required != "" {
			r.b.WriteString(" /*required*/")
		}
	}
	if lines && n > 0 {
		r.b.WriteString("\n}\n")
	} else {
		r.b.WriteString(" }\n")
	}
	r.flush()
}

// plain reports whether fields fit on one line: few, with nothing to say of
// them.
func (r *renderer) plain(fs []*field) bool {
	return len(fs) <= 4 && !slices.ContainsFunc(fs, func(f *field) bool { return f.variant || f.brief(r.required) != "" })
}

func (r *renderer) flush() {
	for len(r.queue) > 0 {
		d := r.queue[0]
		r.queue = r.queue[1:]
		if !r.done[d] {
			r.done[d] = true
			r.object("type "+d.name+" struct", d.fields)
		}
	}
}

func (r *renderer) typ(t *typ) string {
	g := generator{declared: map[string]bool{}}
	s := g.typ(t)
	for x := t; x != nil; x = x.elem {
		if x.kind == kindStruct && !r.done[x.object.decl] {
			r.queue = append(r.queue, x.object.decl)
		}
	}
	return s
}

// remark is a field's comment on one line: whether it must be given, its
// meaning, allowed values, limits and default.
func (f *field) remark(required string) string { return f.comment(required, 0) }

// brief is remark for a reader who pays for each word: cut, and without what
// the schema's author says in words already.
func (f *field) brief(required string) string { return f.comment(required, maxRemark) }

func (f *field) comment(required string, max int) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if f.required && required != "" && f.fixed == "" && !f.variant {
		add(required)
	}
	doc, enum, def := strings.TrimRight(oneLine(f.doc), "."), "", ""
	switch {
	case f.typ.kind == kindBool:
	case len(f.enum) > 40:
		enum = fmt.Sprintf("one of %s … (%d values)", strings.Join(f.enum[:12], ", "), len(f.enum))
	case len(f.enum) > 0:
		enum = "one of " + strings.Join(f.enum, ", ")
	}
	if f.fixed != "" && required != "" {
		enum = "always " + f.fixed + ", sent by itself"
	}
	if f.def != "" {
		def = "default " + f.def
	}
	if max > 0 {
		doc = withoutPresence(doc)
		full := doc
		if doc = cutText(doc, max); doc == full && strings.Contains(strings.ToLower(doc), "default") {
			def = ""
		}
		if doc == full && namesAll(doc, f.enum) {
			enum = ""
		}
	}
	if !f.extra && !f.variant && Fold(strings.TrimPrefix(f.name, "X")) != Fold(strings.TrimPrefix(f.property, "x")) && Fold(f.name) != Fold(f.property) {
		add(fmt.Sprintf("%.60q in JSON", f.property))
	}
	add(doc)
	add(enum)
	add(f.typ.note)
	add(f.limits)
	add(def)
	return strings.Join(parts, "; ")
}

// withoutPresence drops words that only say what the word required, or its
// absence, says.
func withoutPresence(doc string) string {
	for _, p := range []string{"Optional. ", "Optional: ", "(Optional) ", "(optional) ", "[optional] ", "Required. ", "(required) ", "(Required) "} {
		if rest, ok := strings.CutPrefix(doc, p); ok {
			return rest
		}
	}
	for _, p := range []string{" (optional)", " (required)", ". Optional"} {
		if rest, ok := strings.CutSuffix(doc, p); ok {
			return rest
		}
	}
	return doc
}

// namesAll reports whether a text quotes all the allowed values.
func namesAll(doc string, enum []string) bool {
	for _, e := range enum {
		word := strings.Trim(e, `"`)
		if !strings.Contains(doc, "'"+word+"'") && !strings.Contains(doc, `"`+word+`"`) && !strings.Contains(doc, "`"+word+"`") {
			return false
		}
	}
	return true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// doc is the function's doc comment in generated source.
func (t *Tool) doc() string {
	d := t.summary
	if t.observed {
		d += "\n\nThe type of the result was learnt from earlier results; the server does not promise it."
	}
	return t.Func + " calls the tool " + t.Name + ".\n\n" + strings.TrimSpace(d)
}

// cutText cuts s to at most max characters, behind a sentence where one ends
// late enough, else behind a word, and marks the cut.
func cutText(s string, max int) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	out := string([]rune(s)[:max-1])
	if i := strings.LastIndex(out, ". "); i > len(out)/2 && !strings.HasSuffix(out[:i], "e.g") && !strings.HasSuffix(out[:i], "i.e") {
		return out[:i+1] + " …"
	}
	if i := strings.LastIndexAny(out, " \n"); i > len(out)/2 {
		out = out[:i]
	}
	return strings.TrimRight(out, " \n,;:") + "…"
}

// wrap breaks text into lines of about width characters, keeping its own line
// breaks; what could end a comment or start a directive is defused.
func wrap(text string, width int) []string {
	var out []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		line = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == utf8.RuneError {
				return ' '
			}
			return r
		}, strings.TrimRight(line, " \t"))
		for utf8.RuneCountInString(line) > width {
			cut := strings.LastIndexByte(line[:len(string([]rune(line)[:width]))], ' ')
			if cut <= 0 {
				break
			}
			out = append(out, line[:cut])
			line = line[cut+1:]
		}
		out = append(out, line)
	}
	return out
}

// splitArgs takes the section out of a description in which Python servers
// document the arguments ("Args:", one "name: meaning" each, with continuation
// lines). It returns what is said of each property, and the description
// without the section if all of it was understood.
func splitArgs(description string, properties map[string]bool) (docs map[string]string, rest string) {
	lines := strings.Split(description, "\n")
	start := slices.IndexFunc(lines, func(l string) bool {
		return argsHeads[strings.ToLower(strings.Trim(l, " \t\r*#"))]
	})
	if start < 0 {
		return nil, description
	}
	docs = map[string]string{}
	indent := indentOf(lines[start])
	last, all, end := "", true, start+1
	for ; end < len(lines); end++ {
		line := lines[end]
		text := strings.TrimSpace(line)
		name, doc := argument(text)
		bullet := strings.HasPrefix(text, "-") || strings.HasPrefix(text, "*")
		switch {
		case text == "":
			continue
		case properties[name]:
			if docs[name] == "" {
				docs[name] = doc
			}
			last = name
		case indentOf(line) <= indent && !(bullet && last != ""):
			return docs, without(lines, start, end, all)
		case last != "":
			docs[last] += " " + text
		default:
			all = false
		}
	}
	return docs, without(lines, start, end, all)
}

var argsHeads = map[string]bool{"args:": true, "arguments:": true, "parameters:": true, "params:": true}

func without(lines []string, start, end int, all bool) string {
	if !all {
		return strings.Join(lines, "\n")
	}
	return strings.TrimSpace(strings.Join(append(slices.Clone(lines[:start]), lines[end:]...), "\n"))
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// argument splits "name (type, optional): meaning", with or without a bullet
// and Markdown around the name.
func argument(text string) (name, doc string) {
	head, doc, ok := strings.Cut(strings.TrimLeft(text, "-* "), ":")
	if !ok {
		return "", ""
	}
	name, _, _ = strings.Cut(strings.Trim(head, "`* "), " ")
	return strings.Trim(name, "`*"), strings.TrimSpace(strings.TrimLeft(doc, "*` "))
}
