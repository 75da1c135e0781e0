package present

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/usetools/usetools/harness/record"
)

// WriteFullRecord writes the JSON of FullRecord, indented by two spaces. It holds one call at a time in
// memory.
func WriteFullRecord(w io.Writer, r *record.Run) error {
	head := recordHead(r)
	out := &pieces{w: w, sep: "{\n  "}
	out.field("begin", head.Begin)
	out.field("status", head.Status)
	if len(head.Attempts) > 0 {
		out.field("attempts", head.Attempts)
	}
	if head.Tools != nil {
		out.field("tools", head.Tools)
	}
	out.list("calls", len(r.Calls), func(i int) any { return fullCall(r, r.Calls[i]) })
	out.list("notes", len(r.Notes), func(i int) any { return r.Notes[i] })
	if n := len(r.Children); n > 0 {
		out.list("children", n, func(i int) any { return fullChild(r, r.Children[i]) })
	}
	if head.End != nil {
		out.field("end", head.End)
	}
	if n := len(head.Lines); n > 0 {
		out.list("lines", n, func(i int) any { return head.Lines[i] })
	}
	if head.Damaged != "" {
		out.field("damaged", head.Damaged)
	}
	out.text("\n}\n")
	return out.err
}

// pieces writes the fields of a JSON object one by one, until the first error.
type pieces struct {
	w   io.Writer
	sep string // before the next field
	err error
}

func (p *pieces) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

func (p *pieces) value(v any, indent string) {
	if p.err != nil {
		return
	}
	b, err := json.MarshalIndent(v, indent, "  ")
	if err != nil {
		p.err = err
		return
	}
	_, p.err = p.w.Write(b)
}

func (p *pieces) field(name string, v any) {
	p.text(fmt.Sprintf("%s%q: ", p.sep, name))
	p.value(v, "  ")
	p.sep = ",\n  "
}

// list writes a field whose value has n elements.
func (p *pieces) list(name string, n int, at func(i int) any) {
	p.text(fmt.Sprintf("%s%q: [", p.sep, name))
	sep := "\n    "
	for i := 0; i < n && p.err == nil; i++ {
		p.text(sep)
		p.value(at(i), "    ")
		sep = ",\n    "
	}
	if n > 0 {
		p.text("\n  ")
	}
	p.text("]")
	p.sep = ",\n  "
}
