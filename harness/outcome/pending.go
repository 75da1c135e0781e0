package outcome

import (
	"encoding/json"
	"fmt"
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

func Where(script, file string, line int) string {
	at := fmt.Sprintf("line %d", line)
	if file != "" {
		at = file + " " + at
	}
	if script != "" {
		at = script + ", " + at
	}
	return at
}

// Where is the place of the call in words.
func (u *Unmade) Where() string { return Where(u.Script, u.File, u.Line) }
