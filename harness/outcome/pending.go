package outcome

import (
	"encoding/json"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Pending is a call that waits for a person.
type Pending struct {
	ID    string       `json:"id"` // of the approval
	Tool  string       `json:"tool"`
	Class record.Class `json:"class"`
	Why   string       `json:"why"` // a person is asked
	// Script is the saved script that makes the call, "" for the one that was sent;
	// Line is the line of it, or of its File where it is several.
	Script string          `json:"script,omitempty"`
	File   string          `json:"file,omitempty"`
	Line   int             `json:"line,omitempty"`
	Args   json.RawMessage `json:"args"` // as they will be sent
	Until  time.Time       `json:"until"`
	// Whole says that a yes may be for all calls of the tool in this run.
	Whole bool `json:"whole,omitempty"`
	// Question is what the server asks in the middle of the call: MCP's inputRequests.
	Question json.RawMessage `json:"question,omitempty"`
}

// Unresolved is a call that was sent, and of which nobody knows what became of it.
type Unresolved struct {
	N       int             `json:"n"` // as runs settle names it
	Tool    string          `json:"tool"`
	Class   record.Class    `json:"class"`
	Script  string          `json:"script,omitempty"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Args    json.RawMessage `json:"args"`
	Sent    time.Time       `json:"sent"`
	Attempt int             `json:"attempt"`
	Why     string          `json:"why"` // nobody knows; the server's last words
	Key     string          `json:"key,omitempty"`
	Ask     string          `json:"ask,omitempty"` // the approval that it used
}

// PendingCall is what a run waits for, without its place.
func PendingCall(run string, x *record.Ask, args json.RawMessage) Pending {
	return Pending{ID: record.ApprovalID(run, x.A), Tool: x.Tool, Class: x.Class, Why: x.Why, Args: args, Until: x.Until,
		Whole: x.Whole, Question: x.Question}
}

// UnresolvedCall is a call of which nobody knows what became, without its place.
func UnresolvedCall(c *record.Call, args json.RawMessage, why string) Unresolved {
	return Unresolved{N: c.N, Tool: c.Tool, Class: c.Class, Args: args, Sent: c.Time, Attempt: max(c.Attempt, 1),
		Why: registry.PrintableText(why, 1000), Key: c.Key, Ask: c.Ask}
}
