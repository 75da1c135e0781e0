package present

import "github.com/usetools/usetools/registry"

// The statuses of a Finding.
const (
	Fine    = "ok"
	Warning = "warning"
	Broken  = "failed"
)

// Finding is the result of one health check.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warning or failed
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // the suggested fix
}

// Health returns a row for each finding. Documents with parts of one list align when written one
// after the other.
func Health(findings ...Finding) Document {
	t := &Table{Columns: []Column{{Title: "status", Least: len(Warning)}, {Title: "finding", Wrap: true}}}
	for _, f := range findings {
		style := map[string]Style{Fine: Good, Warning: Warn, Broken: Bad}[f.Status]
		first, rest := firstLine(f.Detail)
		row := Row{Cells: []Text{Words(style, f.Status), Words(Strong, f.Check).Add(Plain, ": "+first)}}
		if rest != "" {
			row.Below = append(row.Below, Words(Plain, "| "+registry.Quoted(rest)))
		}
		if f.Do != "" {
			row.Below = append(row.Below, Words(Plain, "→ "+f.Do))
		}
		t.Rows = append(t.Rows, row)
	}
	return Document{t}
}
