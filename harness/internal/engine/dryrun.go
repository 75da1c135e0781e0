package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// newGuesser returns the guesser of a dry run, or nil for any other run.
func newGuesser(s *Script) *guesser {
	if !s.Dry {
		return nil
	}
	return &guesser{records: s.Answers, subject: s.Subject}
}

// Limits of a dry run: the bytes of arguments in its ledger, the number of earlier runs
// that are searched for answers, and the bytes of answers that are kept.
const (
	MaxLedger       = 16 << 20
	maxSearchedRuns = 200
	maxEarlierBytes = 32 << 20
)

// unsent reports whether calls of a class are not sent because this is a dry run.
func (r *run) unsent(class record.Class) bool { return r.tree.dry != nil && class != record.Read }

// answerDry answers a call that is not made. Its arguments are valid.
func (r *run) answerDry(t *wrappers.Tool, line *record.Call, given registry.Args) (*backend.Result, error) {
	args := given.JSON()
	g := r.tree.dry
	g.mu.Lock()
	defer g.mu.Unlock()
	found, ok := g.find(r.ctx, t.ID, args)
	if !ok {
		found.raw = exampleResult(r.output(t))
	}
	u := outcome.Unmade{Tool: t.ID, Class: line.Class, After: len(g.unmade), Guess: g.guessed, From: found.run}
	u.Where = r.placed(line.Place)
	facts := r.facts(t, given)
	if facts != nil {
		u.Late, u.Origins = facts.IsLate(), flow.Shown(facts.Origins())
	}
	if d := r.bound.Catalog.DecideCall(r.bound.Policy, t.Tool, given, r.script.approved, facts); d.Verdict == policy.NeedsApproval {
		u.Approval = d.Rule
	}
	if g.bytes += len(args); g.bytes <= MaxLedger {
		u.Args = bytes.Clone(args)
	} else {
		u.Bytes = len(args)
	}
	g.unmade = append(g.unmade, u)
	g.guessed = g.guessed || !ok
	guess := &record.Guess{N: line.N, Path: line.Path, Place: line.Place, Class: line.Class, Tool: t.ID, Args: line.Args,
		Result: record.Raw(found.raw), From: found.run, Late: u.Late, Origins: u.Origins}
	guess.Time = time.Now()
	if err := r.journal.Add(guess); err != nil {
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
	for s, err := range g.records.List(ctx, &store.Filter{Subject: &g.subject, Limit: maxSearchedRuns}) {
		if err != nil || s.Dry || s.Damaged || s.Calls == 0 {
			continue
		}
		run, err := g.records.Load(s.ID)
		if err != nil {
			continue
		}
		for _, m := range run.Calls {
			if m.Call == nil || m.Done == nil || m.Call.Class == record.Read || m.Done.Error != "" || m.Done.Failed ||
				m.Call.Args.Redacted || m.Done.Result.Redacted { // a redacted value is not the value
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

// output returns the JSON Schema of a tool's structured results, or nil if it is unknown.
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

// exampleResult returns an example result whose structured part follows a JSON Schema.
func exampleResult(output json.RawMessage) json.RawMessage {
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

// ledger returns the calls that a dry run did not make. It returns nil for any other run.
func (g *guesser) ledger() []outcome.Unmade {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unmade
}
