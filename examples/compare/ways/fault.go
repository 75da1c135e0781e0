package ways

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// faulty are scripts that go wrong.
var faulty = []Fault{
	{What: "a script takes all memory", Script: "var all [][]byte\nfor { all = append(all, make([]byte, 1<<22)) }",
		Deadline: 20 * time.Second},
	{What: "a script never ends", Script: "for n := 0; ; n++ { }", Deadline: time.Second},
	{What: "a script panics in a goroutine", Script: "go func() { panic(\"lost\") }()\nselect {}",
		Deadline: 20 * time.Second},
}

// faults runs each of the faulty scripts.
func (c *compare) faults() ([]Fault, error) {
	var out []Fault
	for _, f := range faulty {
		c.Progress(f.What)
		var err error
		if f.UseTools, err = c.fault(&f); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// fault returns how the harness ends a script, and whether it runs the next one.
func (c *compare) fault(f *Fault) (string, error) {
	begin := time.Now()
	res, err := c.scripts.CallTool(c.ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{
		"script": f.Script, "timeout_ms": f.Deadline.Milliseconds(),
	}})
	if err != nil {
		return "", err
	}
	took := time.Since(begin)
	var a struct{ Status string }
	b, err := json.Marshal(res.StructuredContent)
	if err != nil || json.Unmarshal(b, &a) != nil || !res.IsError {
		return "", fmt.Errorf("a faulty script gave no status: %s", textOf(res))
	}
	said := fmt.Sprintf("`%s` after %s", a.Status, brief(took))
	if _, err := c.execute("Return(1)"); err != nil {
		return said + "; the next script fails", nil
	}
	return said + "; the next script runs", nil
}

// brief returns a duration in ms as the table shows it.
func brief(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
