package wrappers

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Signature returns the function's declaration on one line, as a script sees it: func git.Log(p
// git.LogParams) (git.LogResult, error).
func (t *Tool) Signature() string { return t.funcLine(t.server.Package + ".") }

// ParamsType returns the name of the type of the function's argument, in its package. It returns
// "" if the function takes no argument.
func (t *Tool) ParamsType() string { t.server.load(); return t.params }

// ResultType returns the name of the type of the function's result, in its package.
func (t *Tool) ResultType() string { t.server.load(); return t.result }

// Detail says how much of a tool [Tool.Show] writes.
type Detail int

// The details, in ascending order.
const (
	// Line is one line: the function, its parameters with their types, and its result; see
	// [Tool.Line].
	Line Detail = iota
	// Types has the signature and all fields with their types, whether they are required, their
	// allowed values, limits and defaults.
	Types
	// Brief is Types with a summary of the tool and a few words on each parameter.
	Brief
	// Full has at most two lines for each field, including those of results.
	Full
)

// Doc returns Show(Full).
func (t *Tool) Doc() string { return t.Show(Full) }

// Limits of the texts of a tool and of a field, in characters. A field of Full takes about two
// lines of an editor.
const (
	maxSummary = 160
	maxWhole   = 320
	maxRemark  = 140
	maxBrief   = 48
)

// Limits of the fields of a result, like those of Line.
const (
	maxWide      = 60
	maxWideDepth = 6
	maxWideAll   = 200
)

// Show returns a description of how to call the tool and of its result. The types of p and r
// follow the signature, then nested types of arguments under the names that a script writes.
// [Tool.Mark] follows the signature. A wide result that is shortened keeps the used fields,
// except in Full.
func (t *Tool) Show(d Detail, used ...string) string {
	t.server.load()
	if d == Line {
		return t.Line(used...) + "\n"
	}
	var b strings.Builder
	most := maxSummary
	if d == Full {
		most = maxWhole
	}
	if text := cutText(oneLine(t.summary), most); d > Types && text != "" {
		fmt.Fprintf(&b, "// %s\n", text)
	}
	b.WriteString(t.Signature() + t.Mark() + "\n")
	r := renderer{b: &b, lines: d == Full, done: map[*decl]bool{}, required: "required", pkg: t.server.Package + "."}
	switch d {
	case Types:
		r.remark = -1
	case Brief:
		r.remark = maxBrief
	default:
		r.remark = maxRemark
	}
	if t.params != "" {
		r.object("p", t.input.fields)
	}
	r.required = ""
	fields := t.resultFields()
	switch {
	case fields == nil:
		fmt.Fprintf(&b, "r: %s\n", t.untyped())
	case d == Full:
		r.after = t.resultMark()
		r.object("r", fields)
	default:
		fmt.Fprintf(&b, "r {%s}%s\n", (&outline{most: maxWide, depth: maxWideDepth, left: maxWideAll, used: used}).fields(fields, maxWide), t.resultMark())
	}
	return b.String()
}

// resultFields returns the fields of a typed result, or nil if it has none.
func (t *Tool) resultFields() []*field {
	switch {
	case t.output != nil && len(t.output.fields) > 0:
		return t.output.fields
	case t.single != nil:
		return []*field{{name: "Result", property: "Result", typ: t.single}}
	}
	return nil
}

// resultMark returns the remark on a result type that the server does not guarantee.
func (t *Tool) resultMark() string {
	if t.observed {
		return " // result type observed, not promised by the server"
	}
	return ""
}

// untyped describes a result without fields.
func (t *Tool) untyped() string {
	outline, n, ok := t.Seen()
	switch {
	case ok && outline == "text":
		return "text, " + times(n) + ": Text()"
	case ok:
		return "no fields; JSON(&v) or Text(), " + times(n) + ": " + outline
	case t.output != nil:
		return "no fields; JSON of unknown shape: JSON(&v), Text()"
	}
	return "text or JSON, shape unknown: Text(), JSON(&v)"
}

// times returns how often a result was seen, in words.
func times(n int) string {
	if n == 1 {
		return "seen once"
	}
	return fmt.Sprintf("seen %d times", n)
}

// renderer writes struct types for a reader.
type renderer struct {
	b        *strings.Builder
	pkg      string // qualifier of type names: "git."
	lines    bool   // each field with a comment has its own line
	remark   int    // most characters of a field's meaning; if negative, it is omitted
	done     map[*decl]bool
	queue    []*decl
	required string // the remark on required fields, "" in results
	after    string // text after the next struct
}

// object writes a struct with the given text before its fields: "type git.Commit struct", "p" or "r".
// It queues the structs that it contains.
func (r *renderer) object(head string, fs []*field) {
	r.b.WriteString(head + " {")
	if len(fs) > 0 && fs[0].variant {
		r.b.WriteString(" /* exactly one of */")
	}
	n := 0
	lines := r.lines && !r.plain(fs)
	for _, f := range fs {
		if f.fixed != "" && r.required != "" {
			continue // sent by itself
		}
		remark := f.comment(r.required, r.remark)
		if n++; lines {
			fmt.Fprintf(r.b, "\n\t%s %s", f.name, r.typ(f.typ))
			if remark != "" {
				fmt.Fprintf(r.b, " // %s", remark)
			}
			continue
		}
		if n > 1 {
			r.b.WriteByte(';')
		}
		fmt.Fprintf(r.b, " %s %s", f.name, r.typ(f.typ))
		if remark != "" && r.required != "" {
			fmt.Fprintf(r.b, " /*%s*/", strings.ReplaceAll(remark, "*/", "* /"))
		}
	}
	if lines && n > 0 {
		r.b.WriteString("\n}")
	} else {
		r.b.WriteString(" }")
	}
	r.b.WriteString(r.after + "\n")
	r.after = ""
	r.flush()
}

// plain reports whether fields fit on one line: there are few, and they need no comments.
func (r *renderer) plain(fs []*field) bool {
	return len(fs) <= 4 && !slices.ContainsFunc(fs,
		func(f *field) bool { return f.variant || f.comment(r.required, r.remark) != "" })
}

func (r *renderer) flush() {
	for len(r.queue) > 0 {
		d := r.queue[0]
		r.queue = r.queue[1:]
		if !r.done[d] {
			r.done[d] = true
			r.object("type "+r.pkg+d.name+" struct", d.fields)
		}
	}
}

func (r *renderer) typ(t *typ) string {
	for x := t; x != nil; x = x.elem {
		if x.kind == kindStruct && !r.done[x.object.decl] {
			r.queue = append(r.queue, x.object.decl)
		}
	}
	return t.text(func(o *object) string { return r.pkg + o.decl.name })
}

// comment returns a field's comment on one line: whether it is required, its meaning, allowed
// values, limits and default. If max is positive, the meaning has at most max characters and the
// comment omits what the description already says. If max is zero, the comment is complete. If
// max is negative, it omits the meaning.
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
	switch {
	case max < 0:
		doc = ""
	case max > 0:
		doc = withoutPresence(doc)
		full := doc
		if doc = cutText(doc, max); doc == full && strings.Contains(strings.ToLower(doc), "default") {
			def = ""
		}
		if doc == full && namesAll(doc, f.enum) {
			enum = ""
		}
	}
	if !f.extra && !f.variant && Fold(strings.TrimPrefix(f.name, "X")) != Fold(strings.TrimPrefix(f.property, "x")) &&
		Fold(f.name) != Fold(f.property) {
		add(fmt.Sprintf("%.60q in JSON", f.property))
	}
	add(doc)
	add(enum)
	add(f.typ.note)
	add(f.limits)
	add(def)
	return registry.Printable(strings.Join(parts, "; "), maxField)
}

// maxField bounds the description of a field, in characters.
const maxField = 4000

// withoutPresence removes words that repeat whether the field is required.
func withoutPresence(doc string) string {
	for _, p := range []string{"Optional. ", "Optional: ", "(Optional) ", "(optional) ", "[optional] ", "Required. ",
		"(required) ", "(Required) "} {
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
		if !strings.Contains(doc, "'"+word+"'") && !strings.Contains(doc, `"`+word+`"`) &&
			!strings.Contains(doc, "`"+word+"`") {
			return false
		}
	}
	return true
}

// width is the width of comment lines, in characters.
const width = 96

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// doc returns the function's doc comment for generated source.
func (t *Tool) doc() string {
	d := t.summary
	if strings.Contains(d, "\n") || utf8.RuneCountInString(d) > width {
		d = "The server says:\n\n" + d
	}
	if t.observed {
		d += "\n\nThe type of the result was inferred from earlier results; the server does not promise it."
	}
	return t.Func + " calls the tool " + t.Name + ".\n\n" + strings.TrimSpace(d)
}

// cutText cuts s to at most max characters and marks the cut: after a sentence if one ends late
// enough, otherwise after a word.
func cutText(s string, max int) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	out := text.First(s, max-1)
	if i := strings.LastIndex(out, ". "); i > len(out)/2 && !strings.HasSuffix(out[:i], "e.g") &&
		!strings.HasSuffix(out[:i], "i.e") {
		return out[:i+1] + " …"
	}
	return text.CutWord(s, max)
}

// wrap breaks text into lines of about width characters and keeps its line breaks. It defuses
// text that could end a comment or start a directive.
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

// splitArgs extracts the section of a description in which Python servers document the arguments
// ("Args:", one "name: meaning" each, with continuation lines). It returns the description of
// each property, and the rest. The rest still has the section unless all of it was understood.
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
