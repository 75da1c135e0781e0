package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// Unmade is a call that a dry run did not make.
type Unmade struct {
	Tool  string          `json:"tool"`
	Class record.Class    `json:"class"`
	Line  int             `json:"line,omitempty"` // of the script
	Args  json.RawMessage `json:"args"`           // as they would be sent
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
	records *record.Store
	subject string

	mu      sync.Mutex
	unmade  []Unmade
	guessed bool
	earlier map[string]earlier // by tool and arguments; nil: not looked for yet
}

// earlier is what a run before got for a call.
type earlier struct {
	raw json.RawMessage
	run string
}

// mostEarlier is how many runs before a dry run are looked at for their answers.
const mostEarlier = 200

// answerDry answers a call that is not made.
func (r *run) answerDry(t *wrappers.Tool, line *record.Call, args json.RawMessage) (*backend.Result, error) {
	if err := r.cat.CheckArguments(t.Tool, args); err != nil {
		return nil, err
	}
	g := r.journal.dry
	g.mu.Lock()
	defer g.mu.Unlock()
	found, ok := g.find(r.ctx, t.ID, args)
	if !ok {
		found.raw = madeUp(r.output(t))
	}
	u := Unmade{Tool: t.ID, Class: line.Class, Line: placeLine(line.Place), Args: bytes.Clone(args), After: len(g.unmade),
		Guess: g.guessed, From: found.run}
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
	for s, err := range g.records.List(ctx, &record.Filter{Subject: &g.subject, Limit: mostEarlier}) {
		if err != nil || s.Dry || s.Damaged {
			continue
		}
		run, err := g.records.Load(s.ID)
		if err != nil {
			continue
		}
		for _, m := range run.Calls {
			if m.Call == nil || m.Done == nil || m.Call.Class == record.Read || m.Done.Error != "" || m.Done.Failed {
				continue
			}
			args, err := run.Value(m.Call.Args)
			key := m.Call.Tool + "\x00" + string(args)
			if _, have := g.earlier[key]; err != nil || have {
				continue
			}
			if raw, err := run.Value(m.Done.Result); err == nil && raw != nil {
				g.earlier[key] = earlier{raw, s.ID}
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
	if r.cat.Shapes != nil {
		if s, ok := r.cat.Shapes.Schema(t.ID); ok {
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

// LedgerText says in words which calls a dry run did not make, a line for each; ""
// for another run.
func (r *Result) LedgerText() string {
	if !r.Dry {
		return ""
	}
	if len(r.Ledger) == 0 {
		return "dry run: the script makes no call that changes anything\n"
	}
	var b strings.Builder
	what := "call that changes something was"
	if len(r.Ledger) > 1 {
		what = "calls that change something were"
	}
	fmt.Fprintf(&b, "dry run: %d %s not made:\n", len(r.Ledger), what)
	for i, u := range r.Ledger {
		if i == 1 {
			b.WriteString("what follows stands after effects that were not made:\n")
		}
		if u.Guess && !r.Ledger[i-1].Guess {
			b.WriteString("and what follows may depend on a made-up answer:\n")
		}
		fmt.Fprintf(&b, "  %d. line %d: %s(%s)\n", i+1, u.Line, u.Tool, registry.PrintableJSON(u.Args))
	}
	return b.String()
}
