package present

import (
	"fmt"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Model returns a Document as text for a model, in few tokens. It cuts lists and tables that would
// exceed the given number of tokens in total, and counts the omitted rows. If tokens is
// zero, the size is unlimited. No line begins with text of a script or a server, except after "| ".
func (d Document) Model(tokens int) string {
	m := &modelWriter{tokens: tokens}
	for _, b := range d {
		b.model(m)
	}
	return m.b.String()
}

// modelWriter writes for a model.
type modelWriter struct {
	b      strings.Builder
	tokens int
}

func (m *modelWriter) line(format string, args ...any) {
	m.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// isFull reports whether the limit is reached.
func (m *modelWriter) isFull() bool { return m.tokens > 0 && text.Tokens(m.b.String()) >= m.tokens }

// plain returns a Text on one line.
func (m *modelWriter) plain(t Text) string { return oneLine(t.String()) }

func oneLine(s string) string { return registry.Printable(strings.ReplaceAll(s, "\n", " "), len(s)) }

func (h *Heading) model(m *modelWriter) { m.line("%s:", strings.TrimSuffix(m.plain(h.Text), ":")) }

func (x *Paragraph) model(m *modelWriter) { m.line("%s", m.plain(x.Text)) }

func (all Facts) model(m *modelWriter) {
	for _, f := range all {
		if v := m.plain(f.Value); v != "" {
			m.line("%s: %s", f.Name, v)
		}
	}
}

func (l *List) model(m *modelWriter) {
	for i, item := range l.Items {
		if i > 0 && (m.isFull() || l.Most > 0 && i >= l.Most) {
			m.line("  … %s", l.more(len(l.Items)-i))
			return
		}
		m.line("  %s", m.plain(item))
	}
}

func (t *Table) model(m *modelWriter) {
	for i, r := range t.Rows {
		if i > 0 && m.isFull() {
			m.line("  … and %s", text.Count(len(t.Rows)-i, "more row"))
			return
		}
		var cells []string
		for _, c := range r.Cells {
			if s := m.plain(c); s != "" {
				cells = append(cells, s)
			}
		}
		m.line("%s", strings.Join(cells, "  "))
		for _, below := range r.Below {
			m.line("  %s", m.plain(below))
		}
		if r.Quote != nil {
			(&Quote{string(r.Quote), true}).model(m)
		}
	}
}

func (c *Callout) model(m *modelWriter) {
	if c.Title != "" {
		m.b.WriteString(c.Title + ": ")
	}
	m.line("%s", m.plain(c.Text))
}

func (c *Code) model(m *modelWriter) {
	for i, l := range c.Lines {
		if c.Mark == 0 || c.First+i == c.Mark {
			m.line("%d: %s", c.First+i, oneLine(string(registry.PrintableGo([]byte(strings.TrimSpace(l))))))
		}
	}
}

func (q *Quote) model(m *modelWriter) {
	all := q.Text
	if q.JSON {
		all = string(registry.PrintableJSON([]byte(compact([]byte(q.Text)))))
	}
	for l := range strings.SplitSeq(strings.TrimRight(all, "\n"), "\n") {
		m.line("| %s", registry.PrintableText(l, len(l)))
	}
}

func (c *Command) model(m *modelWriter) { m.line("  %s", c.Line) }

func (c *Contrast) model(m *modelWriter) {
	m.line("%s: %s → %s", oneLine(c.Name), oneLine(c.A), oneLine(c.B))
}

func (d *UnifiedDiff) model(m *modelWriter) { (&Quote{Text: d.Text}).model(m) }
