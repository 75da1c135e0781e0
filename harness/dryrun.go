package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// Unmade is a call that a dry run did not make.
type Unmade struct {
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	// Script is the saved script that makes the call, "" for the one that was sent;
	// Line is the line of it, or of its File where it is several.
	Script string `json:"script,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Args are as they would be sent. Bytes, where it is not 0, is how many these are:
	// there was no room for all of them, or for any (null).
	Args  json.RawMessage `json:"args"`
	Bytes int             `json:"bytes,omitempty"`
	// Approval says why a person must approve of the call before it is made; "":
	// nobody must.
	Approval string `json:"approval,omitempty"`
	// After is how many calls before it were not made either: what the script read
	// since then does not show what they would have done.
	After int `json:"after,omitempty"`
	// Guess says that an answer before it was made up, so that its arguments, and
	// whether it is made at all, may come from that.
	Guess bool `json:"guess"`
	// From is the run whose answer the script got; "": it was made up.
	From string `json:"from,omitempty"`
}

// guesser answers the calls that a dry run does not make.
type guesser struct {
	records *store.Store
	subject string

	mu      sync.Mutex
	unmade  []Unmade
	bytes   int // of their arguments
	guessed bool
	earlier map[string]earlier // by tool and arguments; nil: not looked for yet
}

// earlier is what a run before got for a call.
type earlier struct {
	raw json.RawMessage
	run string
}

// Bounds of a dry run: the bytes of arguments in its ledger, how many runs before
// it are looked at for their answers, and the bytes of answers that are kept.
const (
	maxLedger       = 16 << 20
	mostEarlier     = 200
	maxEarlierBytes = 32 << 20
)

// unsent reports whether calls of a class are not sent, as this is a dry run.
func (r *run) unsent(class record.Class) bool { return r.journal.dry != nil && class != record.Read }

// answerDry answers a call that is not made, whose arguments are right.
func (r *run) answerDry(t *wrappers.Tool, line *record.Call, given registry.Args) (*backend.Result, error) {
	args := given.JSON()
	g := r.journal.dry
	g.mu.Lock()
	defer g.mu.Unlock()
	found, ok := g.find(r.ctx, t.ID, args)
	if !ok {
		found.raw = madeUp(r.output(t))
	}
	u := Unmade{Tool: t.ID, Class: line.Class, After: len(g.unmade), Guess: g.guessed, From: found.run}
	u.Script, u.File, u.Line = r.placed(line.Place)
	if d := r.bound.Catalog.DecideCall(r.bound.Rules(), t.Tool, given, r.script.Approved); d.Verdict == policy.NeedsApproval {
		u.Approval = d.Rule
	}
	if g.bytes += len(args); g.bytes <= maxLedger {
		u.Args = bytes.Clone(args)
	} else {
		u.Bytes = len(args)
	}
	g.unmade = append(g.unmade, u)
	g.guessed = g.guessed || !ok
	guess := &record.Guess{N: line.N, Path: line.Path, Place: line.Place, Class: line.Class, Tool: t.ID, Args: line.Args,
		Result: record.Raw(found.raw), From: found.run}
	guess.Time = time.Now()
	if err := r.journal.add(guess); err != nil {
		return nil, err
	}
	return backend.DecodeResult(found.raw)
}

// find returns the latest answer that a run of the same subject got for a call.
// The caller holds the lock.
func (g *guesser) find(ctx context.Context, tool string, args json.RawMessage) (earlier, bool) {
	if g.earlier == nil {
		g.earlier = map[string]earlier{}
		if g.records != nil {
			g.look(ctx)
		}
	}
	e, ok := g.earlier[tool+"\x00"+string(args)]
	return e, ok
}

func (g *guesser) look(ctx context.Context) {
	size := 0
	for s, err := range g.records.List(ctx, &store.Filter{Subject: &g.subject, Limit: mostEarlier}) {
		if err != nil || s.Dry || s.Damaged || s.Calls == 0 {
			continue
		}
		run, err := g.records.Load(s.ID)
		if err != nil {
			continue
		}
		for _, m := range run.Calls {
			if m.Call == nil || m.Done == nil || m.Call.Class == record.Read || m.Done.Error != "" || m.Done.Failed ||
				m.Call.Args.Redacted || m.Done.Result.Redacted { // what is left of a value is not the value
				continue
			}
			args, err := run.Value(m.Call.Args)
			key := m.Call.Tool + "\x00" + string(args)
			if _, have := g.earlier[key]; err != nil || have {
				continue
			}
			if size += len(args) + m.Done.Bytes; size > maxEarlierBytes {
				return
			}
			if raw, err := run.Value(m.Done.Result); err == nil && raw != nil {
				g.earlier[key] = earlier{bytes.Clone(raw), s.ID}
			}
		}
	}
}

// output is what is known of a tool's structured results, a JSON Schema; nil:
// nothing.
func (r *run) output(t *wrappers.Tool) json.RawMessage {
	if len(t.Output) > 0 {
		return t.Output
	}
	if r.bound.Catalog.Shapes != nil {
		if s, ok := r.bound.Catalog.Shapes.Schema(t.ID); ok {
			return s
		}
	}
	return nil
}

// madeUp is a result with a structured part that a JSON Schema describes.
func madeUp(output json.RawMessage) json.RawMessage {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	res := struct {
		Content    []text          `json:"content"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
	}{Content: []text{{"text", "made up: this is a dry run, and the call was not made"}}}
	if res.Structured = schema.Example(output); res.Structured != nil {
		res.Content[0].Text = string(res.Structured)
	}
	raw, _ := json.Marshal(&res)
	return raw
}

// ledger is what a dry run did not do; nil for another one.
func (j *journal) ledger() []Unmade {
	if j.dry == nil {
		return nil
	}
	j.dry.mu.Lock()
	defer j.dry.mu.Unlock()
	return j.dry.unmade
}

// placeLine is the line of a place, 0 where it has none.
func placeLine(place string) int {
	line, _, _ := strings.Cut(place, ":")
	n, _ := strconv.Atoi(line)
	return n
}

// LedgerText says in words which calls a dry run did not make, a line for each, and
// how firm that is; "" for another run, and for a script that did not begin.
func (r *Result) LedgerText() string {
	if !r.Dry || len(r.Ledger) == 0 && neverBegan(r.Status) {
		return ""
	}
	var b strings.Builder
	if len(r.Ledger) == 0 {
		b.WriteString("dry run: no call that changes anything was asked for\n")
	}
	for i, u := range r.Ledger {
		switch {
		case i == 0:
			b.WriteString("dry run: nothing was changed; these calls were not made:\n")
		case u.Guess && !r.Ledger[i-1].Guess:
			b.WriteString("after effects that were not made; may depend on a made-up answer:\n")
		case u.After > 0 && r.Ledger[i-1].After == 0:
			b.WriteString("after effects that were not made:\n")
		}
		fmt.Fprintf(&b, "  %d. %s: %s(%s)", i+1, u.where(), u.Tool, u.args())
		if u.Approval != "" {
			fmt.Fprintf(&b, " [%s]", u.Approval)
		}
		b.WriteByte('\n')
	}
	if r.Status != OK && slices.ContainsFunc(r.Ledger, func(u Unmade) bool { return u.From == "" }) {
		b.WriteString("answers of these calls were made up, which may be why the script did not end well:\n")
	}
	if r.Approval != "" {
		fmt.Fprintf(&b, "the same script, not as a dry run, makes these once a person has approved all of them at once, %s",
			r.Next.approve(r.Approval))
	}
	return b.String()
}

// where is the place of the call in words.
func (u *Unmade) where() string { return where(u.Script, u.File, u.Line) }

func where(script, file string, line int) string {
	at := fmt.Sprintf("line %d", line)
	if file != "" {
		at = file + " " + at
	}
	if script != "" {
		at = script + ", " + at
	}
	return at
}

func (u *Unmade) args() string {
	if u.Args == nil {
		return fmt.Sprintf("%d bytes", u.Bytes)
	}
	return string(registry.PrintableJSON(u.Args))
}
