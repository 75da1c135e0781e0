package present

import (
	"fmt"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry/text"
)

// ToolList returns the tools of a catalog: a section for each server, and the totals at the end.
func ToolList(o *catalog.Overview) Document {
	var d Document
	kinds := map[string]int{}
	for _, s := range o.Servers {
		kinds[s.Kind]++
		kind := s.Kind
		if s.Transport != "" {
			kind += ", " + s.Transport
		}
		head := Words(Accent, s.Name).Add(Plain, fmt.Sprintf(" (%s, %s)", kind, text.Count(len(s.Tools), "tool")))
		if s.At != "" {
			head = head.Add(Dim, "  "+s.At)
		}
		d = append(d, &Heading{Level: 2, Text: head})
		if s.Error != nil {
			first, rest := firstLine(catalog.OfServer(s.Name, *s.Error))
			d = append(d, &Callout{Style: Bad, Title: "failed", Text: Words(Plain, first)})
			if rest != "" {
				d = append(d, &Quote{Text: rest})
			}
		}
		if len(s.Tools) > 0 {
			d = append(d, toolTable(s.Tools))
		}
	}
	total := fmt.Sprintf("%s of %s: %d in process, %d external", text.Count(o.Total, "tool"),
		text.Count(len(o.Servers), "server"), kinds["in process"], kinds["external"])
	return append(d, &Heading{Level: 2, Text: Words(Plain, total)})
}

// Categories returns a section for each category of tools.
func Categories(branches []discovery.Branch) (d Document) {
	for _, b := range branches {
		d = append(d, &Heading{Level: 2, Text: Words(Accent, b.Name).Add(Plain, fmt.Sprintf(" (%d)", len(b.Tools)))}, toolTable(b.Tools))
	}
	return d
}

// toolTable returns a row for each tool: ID, Go name, class and description.
func toolTable(tools []discovery.Entry) *Table {
	t := &Table{Inset: true, Columns: Columns("tool", "Go name", "class", "description")}
	for _, x := range tools {
		class := Words(Plain, x.Class)
		if x.Stale {
			class = class.Add(Warn, " (stale)")
		}
		switch policy.Verdict(x.Verdict) {
		case policy.NeedsApproval:
			class = class.Add(Warn, " (needs approval)")
		case policy.IsDenied:
			class = class.Add(Warn, " (denied)")
		}
		t.Rows = append(t.Rows, Row{Cells: []Text{Words(Tool, x.ID), Words(Plain, x.Go), class, Words(Plain, x.Short)}})
	}
	return t
}

// firstLine splits a text after its first line.
func firstLine(s string) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return first, rest
}
