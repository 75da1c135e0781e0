package record

import (
	"encoding/json"
	"time"

	"github.com/usetools/usetools/harness/flow"
)

// Version is the version of the format that this package writes.
const Version = 1

// A Line is one line of a record: a pointer to one of the types below.
type Line interface{ head() *Head }

// Head is what all lines have.
type Head struct {
	Type string    `json:"type"` // the name of the line's Go type in lower case
	Time time.Time `json:"time"`
}

func (h *Head) head() *Head { return h }

// When is the time of a line.
func When(l Line) time.Time { return l.head().Time }

// Begin is the first line: what runs, for whom, and where.
type Begin struct {
	Head
	V       int    `json:"v"`
	ID      string `json:"id"`
	Script  Data   `json:"script"`         // JSON string: the source as it was sent
	Name    string `json:"name,omitempty"` // of the file or saved script
	Inputs  Values `json:"inputs,omitempty"`
	Stored  Values `json:"stored,omitzero"`   // what Stored returns; null: there is no session
	Session string `json:"session,omitempty"` // of the MCP client
	// Subject is whose run it is: the name of a token, or "" where there is one
	// user only.
	Subject string `json:"subject,omitempty"`
	// Request tells the same request from others: a keyed digest of subject, script,
	// inputs and whether it is a dry run. Once is the key of a request that is not
	// to begin twice.
	Request  string          `json:"request,omitempty"`
	Once     string          `json:"once,omitempty"`
	Front    string          `json:"front,omitempty"`  // the process that the request was sent to, if another one
	Policy   json.RawMessage `json:"policy,omitempty"` // as it was set
	Limits   json.RawMessage `json:"limits,omitempty"`
	Strict   bool            `json:"strict,omitempty"`
	ReadOnly bool            `json:"readOnly,omitempty"`
	Dry      bool            `json:"dry,omitempty"` // a dry run: effects are not sent
	Seed     []byte          `json:"seed"`          // of random functions, 32 bytes
	CPUs     int             `json:"cpus"`
	Harness  string          `json:"harness"` // its version
	Go       string          `json:"go"`
	OS       string          `json:"os"`
	Arch     string          `json:"arch"`
	Process
}

// Process is who writes the record.
type Process struct {
	Host   string `json:"host,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Device uint64 `json:"device,omitempty"` // of the file; another one means that it is a copy
	Inode  uint64 `json:"inode,omitempty"`
}

// Attempt begins another execution of the script by the same record.
type Attempt struct {
	Head
	Number int `json:"number"` // 2 for the first that is not Begin's
	// Live says that a dry run goes on as one that is not.
	Live    bool   `json:"live,omitempty"`
	Harness string `json:"harness,omitempty"` // its version
	Who     string `json:"who,omitempty"`     // had it go on
	Process
}

// Tools is what the phrases came to, and what of the tools the script was
// compiled against. A record has none where the script uses no tool.
type Tools struct {
	Head
	Path    string          `json:"path,omitempty"` // of RunScript's script
	Phrases json.RawMessage `json:"phrases"`        // as "tools" of the harness's result
	Tools   []Tool          `json:"tools"`
	Units   []Unit          `json:"units"`
	// Unresolved are phrases without a tool whose error the script handles, as
	// the worker gets them.
	Unresolved json.RawMessage `json:"unresolved,omitempty"`
	Own        []string        `json:"own,omitempty"` // parts of the harness itself that the script may use
	// Sent says whether untrusted text may have gone back to the client before it sent the
	// script: SentClean or SentLate. If empty, the config did not say what is untrusted.
	Sent string `json:"sent,omitempty"`
}

// The values of Tools.Sent.
const (
	SentClean = "clean"
	SentLate  = "late"
)

// Tool is a tool that the script may call.
type Tool struct {
	ID     string          `json:"id"`
	Go     string          `json:"go"`   // git.Log
	Hash   string          `json:"hash"` // of its definition
	Input  json.RawMessage `json:"inputSchema,omitempty"`
	Output json.RawMessage `json:"outputSchema,omitempty"`
	Class  Class           `json:"class"`
	Why    string          `json:"why"` // it has that class
}

// Unit is a generated package: its import path and source.
type Unit struct {
	Path   string `json:"path"`
	Name   string `json:"name,omitempty"`
	Source Data   `json:"source"` // JSON string
}

// Class is what a call of a tool does to the world.
type Class string

// The classes of tools.
const (
	Read   Class = "read"   // nothing
	Again  Class = "again"  // the same, however often it is made
	Effect Class = "effect" // something, each time
)

// Call says that a call is about to be sent; the first byte follows the line.
type Call struct {
	Head
	N     int    `json:"n"` // 1 for the run's first call
	Path  string `json:"path,omitempty"`
	Place string `json:"place"`
	Class Class  `json:"class"`
	Tool  string `json:"tool"`
	Args  Data   `json:"args"`
	Ask   string `json:"ask,omitempty"` // the approval that it uses up
	Key   string `json:"key,omitempty"` // Idempotency-Key
	// Attempt is the execution that sent it, 1 where it is not given.
	Attempt int `json:"attempt,omitempty"`
}

// Done says how a call ended.
type Done struct {
	Head
	N      int    `json:"n"`
	Kind   Kind   `json:"kind"`
	Result Data   `json:"result,omitzero"` // MCP result; none where Error has it
	Error  string `json:"error,omitempty"` // what the script got in the result's place
	// Message says in short why it failed: Error, or the tool's own words.
	Message string `json:"message,omitempty"`
	// Denied: the call was refused and ended the run.
	Denied bool `json:"denied,omitempty"`
	// Cut: the run had ended before, and the script did not get it.
	Cut     bool    `json:"cut,omitempty"`
	Failed  bool    `json:"failed,omitempty"` // the tool reported a failure: the result has isError
	Ms      float64 `json:"ms"`
	Start   float64 `json:"start_ms,omitempty"` // that its server took to start, not in Ms
	Bytes   int     `json:"bytes"`              // of the result
	Suspect string  `json:"suspect,omitempty"`
}

// Kind is what is known of a call that has ended.
type Kind string

// What is known of a call.
const (
	Answered  Kind = "answered"  // by a result, a tool's own error or a refusal
	NotSent   Kind = "not_sent"  // no byte of it left
	Unread    Kind = "unread"    // it was done; its answer is too large or no answer
	Uncertain Kind = "uncertain" // it was sent, and nobody knows what became of it
)

// Settle is a person's word on a call of which nothing was known.
type Settle struct {
	Head
	N        int    `json:"n"`
	Happened bool   `json:"happened"`
	Result   Data   `json:"result,omitzero"` // MCP result; none: nobody knows it, and the run cannot go on
	Who      string `json:"who,omitempty"`
	How      string `json:"how,omitempty"` // how that is known: "said", or the tool that verified it
}

// Ask says that a run waits for a person: for a yes to a call that is not sent
// yet, to all effects of a dry run, or for what a server asks in the middle of a
// call.
type Ask struct {
	Head
	// A is "1" for the run's first; "ledger" is for the effects of a dry run.
	A string `json:"a"`
	// N is the call whose server asks; 0: the call is not sent yet.
	N      int       `json:"n,omitempty"`
	Path   string    `json:"path,omitempty"`
	Place  string    `json:"place,omitempty"`
	Class  Class     `json:"class,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Args   Data      `json:"args,omitzero"`
	Why    string    `json:"why,omitempty"`    // a person is asked
	Hash   string    `json:"hash,omitempty"`   // of the tool's definition
	Server string    `json:"server,omitempty"` // digest of its entry in the config, without secrets
	Digest string    `json:"digest"`           // AskDigest; the Writer sets it
	Until  time.Time `json:"until"`
	// Whole says that a yes may be for all calls of the tool in this run.
	Whole bool `json:"whole,omitempty"`
	// Flow says that a rule which asks where values come from raised the question: it is about
	// this call alone. Late says that the script was sent after untrusted text may have gone back to
	// its client, and Origins where the values of Args come from, the first flow.MaxShown.
	Flow    bool          `json:"flow,omitempty"`
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// Question is what the server of call N asks: MCP's inputRequests.
	Question json.RawMessage `json:"question,omitempty"`
}

// Answer is what a person said to an Ask; its type is "answer".
type Answer struct {
	Head
	A      string    `json:"a"`
	Yes    bool      `json:"yes"`
	Whole  bool      `json:"whole,omitempty"` // for all calls of the tool in this run
	Who    string    `json:"who,omitempty"`
	How    string    `json:"how,omitempty"`  // terminal, elicitation, approvals, console
	Word   string    `json:"word,omitempty"` // to the script, with a no
	Digest string    `json:"digest"`         // of the Ask
	Until  time.Time `json:"until"`          // the grant is good until then
	// Input is what was filled in to a server's question: MCP's inputResponses.
	Input json.RawMessage `json:"input,omitempty"`
}

// Progress is an event of a run under way, for listeners: its record begins, or a call
// begins or ends.
type Progress struct {
	Begin *Begin // the first line of the record; nil for a call
	Call  *Call
	Done  *Done // how Call ended; nil if it begins
}

// Round says that the server of a call asks something before it answers the call.
// A Round of the same call with Sent is our answer.
type Round struct {
	Head
	N int `json:"n"`
	// State is the server's requestState, which it must get back. Task is the ID of
	// the task that it made of the call, in records of earlier versions.
	State string `json:"state,omitempty"`
	Task  string `json:"task,omitempty"`
	Sent  bool   `json:"sent,omitempty"`
	// Attempt is the execution that sent it.
	Attempt int `json:"attempt,omitempty"`
}

// Child is a saved script that the script runs through RunScript: its calls have
// paths that begin with Path.
type Child struct {
	Head
	N      int    `json:"n"` // of the call of RunScript
	Path   string `json:"path"`
	Name   string `json:"name"`
	Script Data   `json:"script,omitzero"`
	Inputs Values `json:"inputs,omitempty"`
	// Error is why there was no such script, or, in a second line with the same N,
	// why it did not begin.
	Error string `json:"error,omitempty"`
}

// Guess is an answer that a dry run made up, for a call that was not sent.
type Guess struct {
	Head
	N      int    `json:"n"`
	Path   string `json:"path,omitempty"`
	Place  string `json:"place"`
	Class  Class  `json:"class"`
	Tool   string `json:"tool"`
	Args   Data   `json:"args"`
	Result Data   `json:"result"`
	// From is the run whose record the answer is of; "": it was made up.
	From string `json:"from,omitempty"`
	// Late and Origins say where the values of Args come from, as those of an Ask.
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
}

// Note is what else a script did.
type Note struct {
	Head
	Path   string `json:"path,omitempty"`   // of RunScript's script
	Stdout string `json:"stdout,omitempty"` // at most MaxText bytes a line
	Stderr string `json:"stderr,omitempty"`
	// More is how many bytes the script printed more than the text has: those of secrets
	// that were hidden, and of what is not UTF-8; below zero: fewer.
	More int `json:"more,omitempty"`
	Line int `json:"line,omitempty"` // of the script, that printed it; 0: it is not known
	// Lines says of each part of what several lines, or one at several times, printed
	// its line, its bytes, and µs since Time. Such a note has Stdout or Stderr, not both.
	Lines   [][3]int  `json:"lines,omitempty"`
	Warning string    `json:"warning,omitempty"`
	Clock   []Reading `json:"clock,omitempty"`
	// Lost says that the script read its clock more than MaxReadings times, and
	// that those readings are not in the record.
	Lost bool `json:"lost,omitempty"`
	// Usage is what the run took of the machine since the last such Note of the attempt.
	Usage Usage `json:"usage,omitempty"`
}

// Usage is what a run, with the scripts that it runs, took of the machine at times: ms
// before Time of its line, ms of CPU time since the attempt began, and bytes of memory.
type Usage [][3]int64

// Reading is a script's reading of its clock.
type Reading struct {
	Path string `json:"path,omitempty"`
	At   int64  `json:"at"` // ns since 1970
}

// Bounds of notes.
const (
	MaxText     = 16 << 10 // bytes of printed text in one that is written
	MaxReadings = 4096     // of a run
	MaxPrints   = 10_000   // elements of Lines that the harness writes in a run
)

// End is the last line.
type End struct {
	Head
	Status    string          `json:"status"`
	Value     Data            `json:"value,omitzero"`
	ExitCode  int             `json:"exit_code"`
	Closed    bool            `json:"closed,omitempty"` // by a person: nothing goes on with it
	Truncated bool            `json:"truncated,omitempty"`
	Untrusted bool            `json:"untrusted,omitempty"` // what the client got may have text of third parties
	Warnings  []string        `json:"warnings,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`  // as in the harness's result
	Errors    json.RawMessage `json:"errors,omitempty"` // all of them
	Timing    json.RawMessage `json:"timing,omitempty"`
	Ms        float64         `json:"ms"` // of the whole run
	// Decisions are the policy's, as in the harness's result.
	Decisions json.RawMessage `json:"decisions,omitempty"`
	Usage     Usage           `json:"usage,omitempty"` // what no Note has
	// What a list says of the run, so that it need not read all of it. The Writer
	// sets these.
	Calls    int      `json:"calls"`            // those that a dry run did not send included
	Failed   int      `json:"failed,omitempty"` // calls
	Tools    []string `json:"tools,omitempty"`  // that were called, by ID, the first 1000
	Used     []Used   `json:"used,omitempty"`   // by tool, the first 1000
	Title    string   `json:"title,omitempty"`  // comment or first phrase of the script, or tools, or its first line
	Attempts int      `json:"attempts,omitempty"`
	Asks     int      `json:"asks,omitempty"` // of people
}

// Used counts the calls that a run sent to one tool.
type Used struct {
	Tool   string  `json:"tool"`
	Calls  int     `json:"calls"`
	Failed int     `json:"failed,omitempty"`
	Denied int     `json:"denied,omitempty"`
	Timed  int     `json:"timed,omitempty"` // calls that the tool answered
	Ms     float64 `json:"ms,omitempty"`    // of the timed calls together
	Max    float64 `json:"max,omitempty"`   // of the slowest of them
}
