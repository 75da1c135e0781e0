package present

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Runs returns a table of runs. Without a header, it continues a previous table.
func Runs(runs []*record.Summary, now time.Time, header bool) Document {
	t := &Table{Header: header, Columns: Columns("run", "when", "status", "took", "calls", "failed", "tools", "title")}
	for i, least := range []int{10, 10, 12, 7, 5, 6, 24} {
		t.Columns[i].Least = least
		t.Columns[i].Number = i >= 3 && i < 6
	}
	for _, s := range runs {
		failed := ""
		if s.Failed > 0 {
			failed = fmt.Sprint(s.Failed)
		}
		row := Cells(s.ID, when(s.Time, now), StatusWord(s.Status), Duration(s.Ms), fmt.Sprint(s.Calls), failed, toolsOf(s), "")
		row.Cells[0][0].Style, row.Cells[2][0].Style, row.Cells[5][0].Style = Warn, StatusStyle(s.Status), Bad
		if s.Status == "ok" {
			row.Cells[2][0].Style = Plain
		}
		row.Cells[7] = Words(Plain, text.Cut(titleOf(s), maxTitle))
		t.Rows = append(t.Rows, row)
	}
	return Document{t}
}

// maxTitle limits the title of a run in a list, in characters.
const maxTitle = 120

// StatusStyle returns the style of a run's status.
func StatusStyle(status string) Style {
	switch status {
	case "ok":
		return Good
	case record.Running, "canceled", "waiting", "uncertain":
		return Warn
	}
	return Bad
}

// when returns when a run began: its age within the last day, otherwise the date.
func when(t, now time.Time) string {
	local := t.In(now.Location())
	switch d := now.Sub(t); {
	case d >= 0 && d < 24*time.Hour:
		return Ago(t, now)
	case d >= 0 && d < 300*24*time.Hour:
		return local.Format("Jan _2 15:04")
	}
	return local.Format(time.DateOnly)
}

// toolsOf returns the first three tools of a run, and how many there are besides.
func toolsOf(s *record.Summary) string {
	names := s.Tools[:min(len(s.Tools), 3)]
	out := strings.Join(names, ", ")
	if n := len(s.Tools) - len(names); n > 0 {
		out += fmt.Sprintf(" +%d", n)
	}
	return out
}

// codeLike matches a line that is Go code rather than a phrase or a comment.
var codeLike = regexp.MustCompile(`:=|\w\(|[{;]$`)

// Title returns the title of a run: the name of its saved script or file, or else the title of its
// record. If that is code, it is returned as code.
func Title(s *record.Summary) (title, code string) {
	if HasName(s) {
		return s.Name, ""
	}
	title = strings.TrimSpace(strings.TrimLeft(s.Title, "/")) // old records include the slashes of a comment
	switch {
	case !codeLike.MatchString(title):
		return cmp.Or(title, "a script"), ""
	case len(s.Tools) > 0:
		return text.List(s.Tools, 3), title
	}
	return "a script", title
}

// HasName reports whether a run has a name. A script from standard input is named "-".
func HasName(s *record.Summary) bool { return s.Name != "" && s.Name != "-" }

// titleOf returns the marks of a run, its name, its first phrase or line, and its error.
func titleOf(s *record.Summary) string {
	var parts []string
	for _, p := range []struct {
		is   bool
		mark string
	}{{s.Damaged, "damaged"}, {s.Dry, "dry run"}, {s.Attempts > 1, text.Count(s.Attempts, "attempt")}} {
		if p.is {
			parts = append(parts, "["+p.mark+"]")
		}
	}
	if HasName(s) {
		parts = append(parts, s.Name+":")
	}
	parts = append(parts, strings.TrimSpace(strings.TrimLeft(s.Title, "/")))
	if s.Error != "" {
		parts = append(parts, "("+s.Error+")")
	}
	return strings.Join(parts, " ")
}
