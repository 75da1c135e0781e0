package ways

import (
	"fmt"
	"strconv"

	"github.com/usetools/usetools/registry/text"
)

// Rows returns the comparison as a table, its head first.
func (c *Comparison) Rows() [][]string {
	head := append([]string{""}, Ways[:]...)
	list := []string{fmt.Sprintf("before any task: %d tools of %d servers", c.Tools, c.Servers)}
	for _, n := range c.Lists {
		list = append(list, thousands(n)+" tokens")
	}
	rows := [][]string{head, list}
	for _, t := range c.Tasks {
		row := []string{t.Name + ": " + text.Count(t.Calls, "call")}
		for _, cost := range t.Costs {
			row = append(row, fmt.Sprintf("%s tokens, %d turns, %.0f ms", thousands(cost.Tokens), cost.Turns, cost.Ms))
		}
		rows = append(rows, row)
	}
	for _, f := range c.Faults {
		rows = append(rows, []string{f.What, "no scripts", "no scripts", f.UseTools})
	}
	return rows
}

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
