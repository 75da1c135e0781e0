package outcome

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Pending is a call that needs approval, or whose server asks a person a question.
type Pending struct {
	ID    string       `json:"id"` // of the approval
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	Why   string       `json:"why"` // approval is required
	record.Where
	Args  json.RawMessage `json:"args"` // as they will be sent
	Until time.Time       `json:"until"`
	// Whole reports whether one approval may be for all calls of the tool in this run.
	Whole bool `json:"whole,omitempty"`
	// Flow, Late and Origins say where the values of Args come from; see record.Ask.
	Flow    bool          `json:"flow,omitempty"`
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// Question is the question of the server in the middle of the call: MCP's inputRequests.
	Question json.RawMessage `json:"question,omitempty"`
}

// Unresolved is an effect call that was sent and never answered.
type Unresolved struct {
	N     int          `json:"n"` // as runs settle names it
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	record.Where
	Args    json.RawMessage `json:"args"`
	Sent    time.Time       `json:"sent"`
	Attempt int             `json:"attempt"`
	Why     string          `json:"why"` // the outcome is unknown; the server's last words
	Key     string          `json:"key,omitempty"`
	Ask     string          `json:"ask,omitempty"` // the approval that it used
}

// PendingCall returns a pending call of a run, without its place.
func PendingCall(run string, x *record.Ask, args json.RawMessage) Pending {
	return Pending{ID: record.ApprovalID(run, x.A), Tool: x.Tool, Class: x.Class, Why: x.Why, Args: args, Until: x.Until,
		Whole: x.Whole, Flow: x.Flow, Late: x.Late, Origins: x.Origins, Question: x.Question}
}

// UnresolvedCall returns an effect call whose outcome is unknown, without its place.
func UnresolvedCall(c *record.Call, args json.RawMessage, why string) Unresolved {
	return Unresolved{N: c.N, Tool: c.Tool, Class: c.Class, Args: args, Sent: c.Time, Attempt: max(c.Attempt, 1),
		Why: registry.PrintableText(why, 1000), Key: c.Key, Ask: c.Ask}
}

// Unmade is an effect call that a dry run did not send.
type Unmade struct {
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	record.Where
	// Args are as they would be sent. Bytes, where it is not 0, is how many these are:
	// there was no room for all of them, or for any (null).
	Args  json.RawMessage `json:"args"`
	Bytes int             `json:"bytes,omitempty"`
	// Approval says why the call needs approval. If empty, it needs none.
	Approval string `json:"approval,omitempty"`
	// Late and Origins say where the values of Args come from; see record.Ask.
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// After is how many calls before it were not made either: what the script read
	// since then does not show what they would have done.
	After int `json:"after,omitempty"`
	// Guess says that an answer before it was made up, so that its arguments, and
	// whether it is made at all, may come from that.
	Guess bool `json:"guess"`
	// From is the run whose answer the script got; "": it was made up.
	From string `json:"from,omitempty"`
}

// Facts returns the tool, its class, why approval is required, and the place.
func (p *Pending) Facts() present.Facts {
	w := present.Words
	return present.Facts{{Name: "tool", Value: w(present.Tool, p.Tool), Whole: true}, {Name: "class", Value: w(present.Plain, string(p.Class)), Whole: true},
		{Name: "why", Value: w(present.Plain, p.Why), Whole: true}, {Name: "at", Value: w(present.Plain, p.At()), Whole: true}}
}

// Document returns Facts and all arguments, for a person who decides about the call.
func (p *Pending) Document() present.Document {
	return slices.Concat(present.Document{p.Facts()}, present.ArgsJSON(ArgsTitle(p.Question), p.Args),
		present.Origins(p.Args, p.Origins, p.Late))
}

// ArgsTitle returns the heading of arguments: they were sent if the server has a question.
func ArgsTitle(question json.RawMessage) string {
	if question != nil {
		return "arguments, as they were sent"
	}
	return "arguments, as they will be sent"
}
