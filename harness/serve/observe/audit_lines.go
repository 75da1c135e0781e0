package observe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
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

// newLines returns a handler that writes log records as lines of the audit. The message
// of a record is the type of its line. Empty texts and lists are omitted, and so is the
// level.
func newLines(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch {
		case a.Key == slog.MessageKey:
			a.Key = "type"
		case a.Key == slog.LevelKey,
			a.Value.Kind() == slog.KindString && a.Value.String() == "",
			a.Value.Kind() == slog.KindAny && reflect.ValueOf(a.Value.Any()).Len() == 0:
			return slog.Attr{}
		}
		return a
	}})
}

// entry collects the lines of one run: one of type "begin" if the audit is required, one
// of type "call" for each call, one of type "script" for each saved script, and one of
// type "run" at the end.
type entry struct {
	a     *Audit
	tools *registry.Registry
	run   string
	about []slog.Attr    // of the lines "begin" and "run"
	more  map[string]int // their omitted entries, by the name of the list

	mu     sync.Mutex
	lines  bytes.Buffer // not written yet
	to     slog.Handler // writes to lines
	calls  int
	record string // the ID of the run's record
	dry    bool
}

// toolLine is a tool that a script uses.
type toolLine struct {
	Phrase string `json:"phrase,omitempty"`
	Tool   string `json:"tool,omitempty"`
	By     string `json:"by,omitempty"`
}

// Request is the part of a client's request that the audit records.
type Request struct {
	Session string
	Token   string // its name; empty if tokens do not tell clients apart
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
	e := &entry{a: a, tools: r.Tools, run: fmt.Sprintf("%x-%s", now.UnixNano(), hash[:8]), more: map[string]int{}}
	e.to = newLines(&e.lines)
	e.about = []slog.Attr{slog.Time("time", now), slog.String("run", e.run), slog.String("session", r.Session),
		slog.String("token", r.Token), slog.String("script", hash), slog.Int("bytes", len(r.Script)),
		slog.Any("inputs", recorded(r.Inputs, "inputs", false, e.more)), slog.Any("more", e.more)}
	return e
}

// add adds a line. The caller holds the lock, or is alone.
func (e *entry) add(kind string, attrs ...slog.Attr) {
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, kind, 0)
	r.AddAttrs(attrs...)
	e.to.Handle(context.Background(), r) // to memory, which does not fail
}

// write writes the lines to the file.
func (e *entry) write() error {
	err := e.a.write(e.lines.Bytes())
	e.lines.Reset()
	return err
}

// ready records that the run is about to begin, if the audit is required. On an
// error the run must not begin.
func (e *entry) ready() error {
	if e == nil || !e.a.Required {
		return nil
	}
	e.add("begin", e.about...)
	if e.write() != nil {
		return errors.New("the server's audit is required and cannot be written; nothing has run. " +
			"Retry when the operator has fixed it")
	}
	return nil
}

// progress takes an event of the run.
func (e *entry) progress(p record.Progress) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case p.Begin != nil:
		e.record, e.dry = p.Begin.ID, p.Begin.Dry
	case p.Done != nil:
		e.call(p.Call, p.Done)
	}
}

// call adds the line of a finished call. It has the size in bytes of each declared
// argument by name or, if the audit records arguments, the values of all of them.
func (e *entry) call(c *record.Call, d *record.Done) {
	var schema struct{ Properties map[string]json.RawMessage }
	if t, ok := e.tools.Tool(c.Tool); ok {
		json.Unmarshal(t.Input, &schema)
	}
	args, more := map[string]json.RawMessage{}, map[string]int{}
	jsontree.Members(c.Args.JSON, func(name string, v *jsontree.Value) bool {
		// Names that the script invented are values.
		if (e.a.Args || schema.Properties[name] != nil) && len(args) < auditEntries {
			args[name] = v.Raw
		} else {
			more["args"]++
		}
		return true
	})
	e.add("call", slog.Time("time", d.Time.UTC()), slog.String("run", e.run), slog.String("tool", c.Tool),
		slog.Any("args", recorded(args, "args", e.a.Args, more)), slog.Any("more", more), slog.Float64("ms", d.Ms),
		slog.Int("bytes", d.Bytes), slog.Bool("ok", d.Message == ""))
	e.calls++
}

// end writes the lines of a finished run. Refused tools come first in its decisions.
func (e *entry) end(status string, res *outcome.Result, took time.Duration) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	attrs := append(e.about, slog.String("status", status), slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int("calls", e.calls), slog.String("record", e.record))
	if e.dry {
		attrs = append(attrs, slog.Bool("dry_run", true))
	}
	if res != nil {
		for _, n := range res.Scripts {
			e.add("script", slog.Time("time", n.Time), slog.String("run", e.run), slog.String("name", n.Name),
				slog.String("script", n.Hash), slog.Int("depth", n.Depth), slog.String("status", string(n.Status)), slog.Float64("ms", n.Ms))
		}
		decisions := slices.Clone(res.Decisions)
		slices.SortStableFunc(decisions, func(a, b policy.Decision) int { // "allowed" comes last
			return -cmp.Compare(a.Verdict, b.Verdict)
		})
		var tools []toolLine
		for _, u := range atMost(res.Tools, "tools", e.more) {
			tools = append(tools, toolLine{shorten.Text(u.Phrase, auditName), u.Tool, string(u.By)})
		}
		attrs = append(attrs, slog.Any("tools", tools), slog.Any("decisions", atMost(decisions, "decisions", e.more)))
		if res.Error != nil {
			attrs = append(attrs, slog.String("error", string(res.Error.Kind)))
		}
	}
	e.add("run", attrs...)
	e.write() // reports the error itself
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
