package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
)

// Limits of a line: the entries of each of its lists, the characters of a name or
// phrase, and the bytes of all its values.
const (
	auditEntries = 50
	auditName    = 100
	auditValues  = 16 << 10
)

// entry collects the lines of one run.
type entry struct {
	a     *Audit
	tools *registry.Registry
	run   string
	head  runLine

	mu    sync.Mutex
	calls []callLine
}

// beginLine is the line of a run that is about to begin. It is written if the
// audit is required.
type beginLine struct {
	Type    string         `json:"type"` // "begin"; "run" in a runLine
	Time    time.Time      `json:"time"`
	Run     string         `json:"run"`
	Session string         `json:"session"`
	Token   string         `json:"token,omitempty"` // its name, if there are several
	Script  string         `json:"script"`          // its SHA-256
	Bytes   int            `json:"bytes"`
	Inputs  map[string]any `json:"inputs,omitempty"` // bytes by name
	// More has the number of omitted entries by the name of their list.
	More map[string]int `json:"more,omitempty"`
}

// runLine is the line of a run that has ended.
type runLine struct {
	beginLine
	Status    string            `json:"status"`
	Ms        float64           `json:"ms"`
	Tools     []toolLine        `json:"tools,omitempty"`
	Decisions []policy.Decision `json:"decisions,omitempty"`
	Calls     int               `json:"calls"`
	Error     string            `json:"error,omitempty"`
	Record    string            `json:"record,omitempty"` // the ID of the run's record
	DryRun    bool              `json:"dry_run,omitempty"`
}

// toolLine is a tool that a script uses.
type toolLine struct {
	Phrase string `json:"phrase,omitempty"`
	Tool   string `json:"tool,omitempty"`
	By     string `json:"by,omitempty"`
}

// callLine is the line of a call.
type callLine struct {
	Type string    `json:"type"` // "call"
	Time time.Time `json:"time"`
	Run  string    `json:"run"`
	Tool string    `json:"tool"`
	// Args has the size in bytes of each declared argument by name; with AuditArgs
	// it has the values of all arguments.
	Args map[string]any `json:"args,omitempty"`
	More map[string]int `json:"more,omitempty"`
	Ms   float64        `json:"ms"`
	Size int            `json:"bytes"` // of the result
	OK   bool           `json:"ok"`
}

// scriptLine is the line of a saved script that a run, or a script in it, ran.
type scriptLine struct {
	Type   string         `json:"type"` // "script"
	Time   time.Time      `json:"time"`
	Run    string         `json:"run"`
	Name   string         `json:"name"`
	Script string         `json:"script"` // its SHA-256
	Depth  int            `json:"depth"`  // 1: the run's own script ran it
	Status outcome.Status `json:"status"`
	Ms     float64        `json:"ms"`
}

// Request is what the audit says of what a client sent.
type Request struct {
	Session string
	Token   string // its name, "" if tokens do not tell clients apart
	Script  string
	Inputs  map[string]json.RawMessage
	Tools   *registry.Registry // their schemas name the arguments that lines may name
}

func (a *Audit) begin(r *Request) *entry {
	if a == nil {
		return nil
	}
	now := time.Now().UTC()
	sum := sha256.Sum256([]byte(r.Script))
	hash := hex.EncodeToString(sum[:])
	more := map[string]int{}
	run := fmt.Sprintf("%x-%s", now.UnixNano(), hash[:8])
	return &entry{a: a, tools: r.Tools, run: run, head: runLine{
		beginLine: beginLine{Type: "run", Time: now, Run: run, Session: r.Session, Token: r.Token, Script: hash,
			Bytes: len(r.Script), Inputs: recorded(r.Inputs, "inputs", false, more), More: more},
	}}
}

// ready records that the run is about to begin, if the audit is required. On an
// error the run must not begin.
func (r *entry) ready() error {
	if r == nil || !r.a.Required {
		return nil
	}
	line := r.head.beginLine
	line.Type = "begin"
	if err := r.a.write(appendLine(nil, line)); err != nil {
		return errors.New("the server's audit is required and cannot be written; nothing has run. " +
			"Retry when the operator has fixed it")
	}
	return nil
}

// keeps adds the run's record.
func (r *entry) keeps(b *record.Begin) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head.Record, r.head.DryRun = b.ID, b.Dry
}

// ended adds a finished call.
func (r *entry) ended(c *record.Call, d *record.Done) {
	if r == nil {
		return
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if t, ok := r.tools.Tool(c.Tool); ok {
		json.Unmarshal(t.Input, &schema)
	}
	args, more := map[string]json.RawMessage{}, map[string]int{}
	jsontree.Members(c.Args.JSON, func(name string, v *jsontree.Value) bool {
		// Names that the script made are values.
		if (r.a.Args || schema.Properties[name] != nil) && len(args) < auditEntries {
			args[name] = v.Raw
		} else {
			more["args"]++
		}
		return true
	})
	line := callLine{Type: "call", Time: d.Time.UTC(), Run: r.run, Tool: c.Tool,
		Args: recorded(args, "args", r.a.Args, more),
		More: more, Ms: d.Ms, Size: d.Bytes, OK: d.Message == ""}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, line)
}

// end writes the lines of a finished run.
func (r *entry) end(status string, res *outcome.Result, d time.Duration) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &r.head
	h.Status, h.Ms, h.Calls = status, float64(d.Microseconds())/1000, len(r.calls)
	if res != nil {
		refused, allowed := []policy.Decision{}, []policy.Decision{}
		for _, d := range res.Decisions {
			if d.Verdict == policy.IsAllowed {
				allowed = append(allowed, d)
			} else {
				refused = append(refused, d)
			}
		}
		h.Decisions = atMost(append(refused, allowed...), "decisions", h.More)
		for _, u := range atMost(res.Tools, "tools", h.More) {
			h.Tools = append(h.Tools, toolLine{shorten.Text(u.Phrase, auditName), u.Tool, string(u.By)})
		}
		if res.Error != nil {
			h.Error = string(res.Error.Kind)
		}
	}
	var lines []byte
	for _, c := range r.calls {
		lines = appendLine(lines, c)
	}
	if res != nil {
		for _, n := range res.Scripts {
			lines = appendLine(lines, scriptLine{"script", n.Time, r.run, n.Name, n.Hash, n.Depth, n.Status, n.Ms})
		}
	}
	r.a.write(appendLine(lines, h))
}

// atMost returns the first auditEntries entries of a list and counts the others in
// more.
func atMost[T any](all []T, list string, more map[string]int) []T {
	if len(all) > auditEntries {
		more[list] += len(all) - auditEntries
		all = all[:auditEntries]
	}
	return all
}

// recorded returns the sizes of fields by name, or their values. Of a value that
// exceeds auditValues it returns the size and the SHA-256.
func recorded(fields map[string]json.RawMessage, list string, values bool, more map[string]int) map[string]any {
	out, room := map[string]any{}, auditValues
	for _, name := range atMost(slices.Sorted(maps.Keys(fields)), list, more) {
		v := fields[name]
		as := any(len(v))
		if values && len(v) <= room {
			as, room = slices.Clone(v), room-len(v) // not all of the arguments
		} else if values {
			as = map[string]any{"bytes": len(v), "sha256": fmt.Sprintf("%x", sha256.Sum256(v))}
		}
		out[shorten.Text(name, auditName)] = as
	}
	return out
}

func appendLine(lines []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"type": "error", "error": err.Error()})
	}
	return append(append(lines, b...), '\n')
}
