package record

import (
	"encoding/json"
	"time"

	"github.com/usetools/usetools/harness/flow"
)

// Version is the version of the record format that this package writes.
const Version = 1

// A Line is one line of a record: a pointer to one of the types below.
type Line interface{ head() *Head }

// Head has the fields of all lines.
type Head struct {
	Type string    `json:"type"` // the name of the line's Go type in lower case
	Time time.Time `json:"time"`
}

func (h *Head) head() *Head { return h }

// When returns the time of a line.
func When(l Line) time.Time { return l.head().Time }

// Begin is the first line: the script, who started it, and where it runs.
type Begin struct {
	Head
	V       int    `json:"v"`
	ID      string `json:"id"`
	Script  Data   `json:"script"`         // JSON string: the source as sent
	Name    string `json:"name,omitempty"` // of the file or saved script
	Inputs  Values `json:"inputs,omitempty"`
	Stored  Values `json:"stored,omitzero"`   // values of the session; null without a session
	Session string `json:"session,omitempty"` // of the MCP client
	// Subject names the token whose run it is. It is empty if there is only one user.
	Subject string `json:"subject,omitempty"`
	// Request identifies equal requests: a keyed digest of subject, script, inputs and whether it
	// is a dry run. Once is the client's idempotency key of the request.
	Request  string          `json:"request,omitempty"`
	Once     string          `json:"once,omitempty"`
	Front    string          `json:"front,omitempty"`  // the process that accepted the request, if another one
	Policy   json.RawMessage `json:"policy,omitempty"` // as configured
	Limits   json.RawMessage `json:"limits,omitempty"`
	Strict   bool            `json:"strict,omitempty"`
	ReadOnly bool            `json:"readOnly,omitempty"`
	Dry      bool            `json:"dry,omitempty"` // a dry run: effect calls are not sent
	Seed     []byte          `json:"seed"`          // of random functions, 32 bytes
	CPUs     int             `json:"cpus"`
	Harness  string          `json:"harness"` // its version
	Go       string          `json:"go"`
	OS       string          `json:"os"`
	Arch     string          `json:"arch"`
	Process
}

// Process is the process that writes the record.
type Process struct {
	Host   string `json:"host,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Device uint64 `json:"device,omitempty"` // of the file; a copy has another one
	Inode  uint64 `json:"inode,omitempty"`
}

// Attempt begins another execution of the script by the same record.
type Attempt struct {
	Head
	Number int `json:"number"` // 2 for the first after Begin
	// Live says that a dry run continues as a real run.
	Live    bool   `json:"live,omitempty"`
	Harness string `json:"harness,omitempty"` // its version
	Who     string `json:"who,omitempty"`     // the person who resumed it
	Process
}

// Tools has the tools that the phrases resolved to, and what the script was compiled against. A
// record has none if the script uses no tool.
type Tools struct {
	Head
	Path    string          `json:"path,omitempty"` // of RunScript's script
	Phrases json.RawMessage `json:"phrases"`        // as "tools" of the harness's result
	Tools   []Tool          `json:"tools"`
	Units   []Unit          `json:"units"`
	// Unresolved are phrases without a tool whose error the script handles, as the worker receives
	// them.
	Unresolved json.RawMessage `json:"unresolved,omitempty"`
	Own        []string        `json:"own,omitempty"` // parts of the harness itself that the script may use
	// Sent says whether untrusted text may have gone back to the client before it sent the script:
	// SentClean or SentLate. If empty, the config had no labels of untrusted data.
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
	Why    string          `json:"why"` // the reason for its class
}

// Unit is a generated package: its import path and source.
type Unit struct {
	Path   string `json:"path"`
	Name   string `json:"name,omitempty"`
	Source Data   `json:"source"` // JSON string
}

// Class says whether a call of a tool changes anything.
type Class string

// The classes of tools.
const (
	Read       Class = "read"   // changes nothing
	Idempotent Class = "again"  // idempotent: may be repeated
	Effect     Class = "effect" // may change something each time
)

// Call says that a call is about to be sent. It is written before the first byte of the request is
// sent.
type Call struct {
	Head
	N     int    `json:"n"` // 1 for the run's first call
	Path  string `json:"path,omitempty"`
	Place string `json:"place"`
	Class Class  `json:"class"`
	Tool  string `json:"tool"`
	Args  Data   `json:"args"`
	Ask   string `json:"ask,omitempty"` // the A of the approval that it uses
	Key   string `json:"key,omitempty"` // Idempotency-Key
	// Attempt is the execution that sent it. If zero, it is 1.
	Attempt int `json:"attempt,omitempty"`
}

// Done says how a call ended.
type Done struct {
	Head
	N      int    `json:"n"`
	Kind   Kind   `json:"kind"`
	Result Data   `json:"result,omitzero"` // MCP result; none if there is an Error
	Error  string `json:"error,omitempty"` // the error that the script got
	// Message is a short reason for a failure: Error, or the tool's own words.
	Message string `json:"message,omitempty"`
	// Denied says that the call was refused and ended the run.
	Denied bool `json:"denied,omitempty"`
	// Cut says that the run had ended before, so that the script did not get the result.
	Cut     bool    `json:"cut,omitempty"`
	Failed  bool    `json:"failed,omitempty"` // the tool reported a failure: the result has isError
	Ms      float64 `json:"ms"`
	Start   float64 `json:"start_ms,omitempty"` // ms that its server took to start; not in Ms
	Bytes   int     `json:"bytes"`              // of the result
	Suspect string  `json:"suspect,omitempty"`
}

// Kind says how much is known about a call that has ended.
type Kind string

// The kinds of Done lines.
const (
	Answered  Kind = "answered"  // by a result, a tool's own error or a refusal
	NotSent   Kind = "not_sent"  // no byte of it was sent
	Unread    Kind = "unread"    // it was executed; its answer is too large or invalid
	Uncertain Kind = "uncertain" // it was sent; its outcome is unknown
)

// Settle is a person's report on a call whose outcome was unknown.
type Settle struct {
	Head
	N        int    `json:"n"`
	Happened bool   `json:"happened"`
	Result   Data   `json:"result,omitzero"` // MCP result; if none, it is unknown and the run cannot resume
	Who      string `json:"who,omitempty"`
	How      string `json:"how,omitempty"` // how that is known: "said", or the tool that verified it
}

// Ask says that a run waits for a person: for approval of a call or of all effect calls of a dry
// run, or for input that a server requests during a call.
type Ask struct {
	Head
	// A is "1" for the run's first ask. It is Ledger for the effect calls of a dry run.
	A string `json:"a"`
	// N is the call whose server asks. If zero, the call has not been sent.
	N      int       `json:"n,omitempty"`
	Path   string    `json:"path,omitempty"`
	Place  string    `json:"place,omitempty"`
	Class  Class     `json:"class,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Args   Data      `json:"args,omitzero"`
	Why    string    `json:"why,omitempty"`    // the reason for asking
	Hash   string    `json:"hash,omitempty"`   // of the tool's definition
	Server string    `json:"server,omitempty"` // digest of its entry in the config, without secrets
	Digest string    `json:"digest"`           // AskDigest; the Writer sets it
	Until  time.Time `json:"until"`
	// AllCalls says that an approval may be for all calls of the tool in this run.
	AllCalls bool `json:"whole,omitempty"`
	// Flow says that a rule about the origins of values raised the question, which is then about
	// this call alone. Late says that the script was sent after untrusted text may have gone back
	// to its client. Origins are the origins of the values of Args, the first flow.MaxShown.
	Flow    bool          `json:"flow,omitempty"`
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
	// Question has the questions of the server of call N: MCP's inputRequests.
	Question json.RawMessage `json:"question,omitempty"`
}

// Answer is a person's answer to an Ask.
type Answer struct {
	Head
	A        string    `json:"a"`
	Yes      bool      `json:"yes"`
	AllCalls bool      `json:"whole,omitempty"` // for all calls of the tool in this run
	Who      string    `json:"who,omitempty"`
	How      string    `json:"how,omitempty"`  // terminal, elicitation, approvals, console
	Word     string    `json:"word,omitempty"` // message to the script, with a rejection
	Digest   string    `json:"digest"`         // of the Ask
	Until    time.Time `json:"until"`          // when the approval expires
	// Input is the input that the server of a call requested: MCP's inputResponses.
	Input json.RawMessage `json:"input,omitempty"`
}

// Progress is an event of a run under way: its record begins, or a call begins or ends.
type Progress struct {
	Begin *Begin // the first line of the record; nil for a call
	Call  *Call
	Done  *Done // how Call ended; nil if it begins
}

// Round says that the server of a call requests input before it answers the call. A Round of the
// same call with Sent is our reply.
type Round struct {
	Head
	N int `json:"n"`
	// State is the server's requestState, which our reply must return. Task is the ID of the task
	// that the server made of the call, in records of earlier versions.
	State string `json:"state,omitempty"`
	Task  string `json:"task,omitempty"`
	Sent  bool   `json:"sent,omitempty"`
	// Attempt is the execution that sent it.
	Attempt int `json:"attempt,omitempty"`
}

// Child is a saved script that the script runs through RunScript. The paths of its calls begin with
// Path.
type Child struct {
	Head
	N      int    `json:"n"` // of the call of RunScript
	Path   string `json:"path"`
	Name   string `json:"name"`
	Script Data   `json:"script,omitzero"`
	Inputs Values `json:"inputs,omitempty"`
	// Error says why the script was not found. In a second line with the same N, it says why it did
	// not begin.
	Error string `json:"error,omitempty"`
}

// Guess is the answer that a dry run made up for a call that was not sent.
type Guess struct {
	Head
	N      int    `json:"n"`
	Path   string `json:"path,omitempty"`
	Place  string `json:"place"`
	Class  Class  `json:"class"`
	Tool   string `json:"tool"`
	Args   Data   `json:"args"`
	Result Data   `json:"result"`
	// From is the run whose record has the answer. If empty, it was made up.
	From string `json:"from,omitempty"`
	// Late and Origins are those of an Ask.
	Late    bool          `json:"late,omitempty"`
	Origins []flow.Origin `json:"origins,omitempty"`
}

// Note has the output of a script, its warnings, clock readings and resource usage.
type Note struct {
	Head
	Path   string `json:"path,omitempty"`   // of RunScript's script
	Stdout string `json:"stdout,omitempty"` // at most MaxText bytes a line
	Stderr string `json:"stderr,omitempty"`
	// More is how many bytes the script printed minus the bytes of the text. They differ if secrets
	// were hidden or bytes were not UTF-8. It can be negative.
	More int `json:"more,omitempty"`
	Line int `json:"line,omitempty"` // line of the script that printed it; if zero, it is unknown
	// Lines has, for each part of the text, the line that printed it, its bytes, and µs since Time.
	// Such a note has Stdout or Stderr, not both.
	Lines   [][3]int  `json:"lines,omitempty"`
	Warning string    `json:"warning,omitempty"`
	Clock   []Reading `json:"clock,omitempty"`
	// Lost says that the script read its clock more than MaxReadings times. The other readings are
	// not in the record.
	Lost bool `json:"lost,omitempty"`
	// Usage has the samples since the last such Note of the attempt.
	Usage Usage `json:"usage,omitempty"`
}

// Usage has samples of the resources that a run and the scripts that it runs used: ms before the
// Time of the line, ms of CPU time since the attempt began, and bytes of memory.
type Usage [][3]int64

// Reading is a script's reading of its clock.
type Reading struct {
	Path string `json:"path,omitempty"`
	At   int64  `json:"at"` // ns since 1970
}

// Bounds of notes.
const (
	MaxText     = 16 << 10 // bytes of printed text in a note that is written
	MaxReadings = 4096     // of a run
	MaxPrints   = 10_000   // elements of Lines that the harness writes in a run
)

// End is the last line.
type End struct {
	Head
	Status    string          `json:"status"`
	Value     Data            `json:"value,omitzero"`
	ExitCode  int             `json:"exit_code"`
	Closed    bool            `json:"closed,omitempty"` // by a person: it cannot be resumed
	Truncated bool            `json:"truncated,omitempty"`
	Untrusted bool            `json:"untrusted,omitempty"` // the result may have text of third parties
	Warnings  []string        `json:"warnings,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`  // as in the harness's result
	Errors    json.RawMessage `json:"errors,omitempty"` // all errors
	Timing    json.RawMessage `json:"timing,omitempty"`
	Ms        float64         `json:"ms"` // of all attempts
	// Decisions are the policy's, as in the harness's result.
	Decisions json.RawMessage `json:"decisions,omitempty"`
	Usage     Usage           `json:"usage,omitempty"` // samples that no Note has
	// The fields below are for lists, which then need not read the other lines. The Writer sets
	// them.
	Calls    int      `json:"calls"`            // including those that a dry run did not send
	Failed   int      `json:"failed,omitempty"` // calls
	Tools    []string `json:"tools,omitempty"`  // called, by ID, the first 1000
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
