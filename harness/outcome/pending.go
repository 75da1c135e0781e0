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
	// AllCalls is true if one approval may cover all calls of the tool in this run.
	AllCalls bool `json:"whole,omitempty"`
	// Flow, Late and Origins describe where the values of Args come from; see record.Ask.
	Flow    bool          `json:"flow,omitempty"`
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// Question is the question that the server asks during the call: MCP's inputRequests.
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
	Why     string          `json:"why"` // why the outcome is unknown, or the server's error
	Key     string          `json:"key,omitempty"`
	Ask     string          `json:"ask,omitempty"` // the approval that it used
}

// PendingCall returns a pending call of a run, without its place.
func PendingCall(run string, x *record.Ask, args json.RawMessage) Pending {
	return Pending{ID: record.ApprovalID(run, x.A), Tool: x.Tool, Class: x.Class, Why: x.Why, Args: args, Until: x.Until,
		AllCalls: x.AllCalls, Flow: x.Flow, Late: x.Late, Origins: x.Origins, Question: x.Question}
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
	// Args are the arguments as they would be sent. If they did not fit, they are cut or
	// null, and Bytes is their full size.
	Args  json.RawMessage `json:"args"`
	Bytes int             `json:"bytes,omitempty"`
	// Approval says why the call needs approval. If empty, it needs none.
	Approval string `json:"approval,omitempty"`
	// Late and Origins describe where the values of Args come from; see record.Ask.
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// After is the number of earlier calls that were not sent either: later results of read calls
	// do not show their effects.
	After int `json:"after,omitempty"`
	// Guess is true if an earlier answer was made up. The arguments, and whether the call is made
	// at all, may depend on it.
	Guess bool `json:"guess"`
	// From is the run that the script's answer comes from. If empty, the answer was made up.
	From string `json:"from,omitempty"`
}

// Facts returns the tool, its class, the reason for the approval, and the place.
func (p *Pending) Facts() present.Facts {
	w := present.Words
	return present.Facts{{Name: "tool", Value: w(present.Tool, p.Tool), Wrap: true}, {Name: "class", Value: w(present.Plain, string(p.Class)), Wrap: true},
		{Name: "why", Value: w(present.Plain, p.Why), Wrap: true}, {Name: "at", Value: w(present.Plain, p.At()), Wrap: true}}
}

// Document returns Facts and all arguments, for the person who decides about the call.
func (p *Pending) Document() present.Document {
	return slices.Concat(present.Document{p.Facts()}, present.ArgsJSON(ArgsTitle(p.Question), p.Args),
		present.Origins(p.Args, p.Origins, p.Late))
}

// ArgsTitle returns the heading of the arguments. They have been sent if the server has a question.
func ArgsTitle(question json.RawMessage) string {
	if question != nil {
		return "arguments, as they were sent"
	}
	return "arguments, as they will be sent"
}
