// Package outcome has the result of a run and its parts: status, errors, tools, calls, pending
// calls, and effect calls whose outcome is unknown. They are data: FromRecord rebuilds a Result
// from a record, Encode and Decode carry one between processes, and Text returns what a model
// reads.
package outcome

import (
	"encoding/json"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
)

// Status says how a script ended.
type Status string

// The statuses of a Result.
const (
	// OK means that main returned.
	OK Status = "ok"
	// CompileError means that the script does not type-check, or uses unsupported features.
	CompileError Status = "compile_error"
	// ToolNotFound means that a phrase fits no tool.
	ToolNotFound Status = "tool_not_found"
	// Ambiguous means that a phrase fits several tools.
	Ambiguous Status = "ambiguous"
	// ScriptError means that the script panicked or exited with a code.
	ScriptError Status = "script_error"
	// Timeout means that the run took longer than its time limit.
	Timeout Status = "timeout"
	// CPULimit means that the worker used more CPU time than the run may.
	CPULimit Status = "cpu_limit"
	// MemoryLimit means that the worker needed more memory than the run may use.
	MemoryLimit Status = "memory_limit"
	// OutputLimit means that the script printed or returned more than the run may.
	OutputLimit Status = "output_limit"
	// CallLimit means that the script made more calls than a run may.
	CallLimit Status = "call_limit"
	// Denied means that a rule or a flag denies a tool or a call of the script.
	Denied Status = "denied"
	// Canceled means that the client or a person ended the run.
	Canceled Status = "canceled"
	// SandboxError means that the worker could not be locked, so the script did not run.
	SandboxError Status = "sandbox_error"
	// InternalError means that the harness failed. Only records have it: Run returns an error.
	InternalError Status = "internal_error"
	// Diverged means that the resumed script took another path than its record.
	Diverged Status = "diverged"
	// Waiting means that calls need approval. The run resumes after a person has answered.
	Waiting Status = "waiting"
	// Uncertain means that the outcome of an effect call is unknown. The run resumes after a
	// person has settled the call.
	Uncertain Status = "uncertain"
	// Lost means that the process that ran the script died or was cut off from the cluster.
	// Effect calls may have been made; the script was not run again.
	Lost Status = record.Lost
)

// Statuses are all statuses that a run may end with, including InternalError.
var Statuses = []string{string(OK), string(CompileError), string(ToolNotFound), string(Ambiguous), string(ScriptError),
	string(Timeout), string(CPULimit), string(MemoryLimit), string(OutputLimit), string(CallLimit), string(Denied),
	string(Canceled), string(SandboxError), string(Diverged), string(InternalError), string(Waiting), string(Uncertain),
	string(Lost)}

// Result is the outcome of a script.
type Result struct {
	Status Status          `json:"status"`
	Value  json.RawMessage `json:"value,omitempty"` // of the last Return
	Stdout string          `json:"stdout"`
	// Stderr is the output of the script to os.Stderr and log.
	Stderr string `json:"stderr,omitempty"`
	// Truncated reports whether Stdout was cut at the limit.
	Truncated bool `json:"truncated"`
	// ExitCode is the exit code that the script's own process would have: 0, the code of os.Exit, 2
	// after a panic. For other statuses it is Status.ExitCode.
	ExitCode int       `json:"exit_code"`
	Tools    []ToolUse `json:"tools"`
	Calls    []Call    `json:"calls"`
	// Scripts are the saved scripts that ran through RunScript, directly or nested, in the order in
	// which they ended.
	Scripts []NestedScript `json:"-"`
	// Decisions are the policy's decisions on the tools of the script. It is empty without a
	// policy.
	Decisions []policy.Decision `json:"decisions,omitempty"`
	Warnings  []string          `json:"warnings"`
	// PlacedWarnings are the Warnings that have a place in the script.
	PlacedWarnings []Error `json:"-"`
	Error          *Error  `json:"error,omitempty"`
	// Errors are all errors of a script. The first one is Error.
	Errors []Error `json:"errors,omitempty"`
	// Types are, for a script that was refused, the signature and types of each tool that it means,
	// including best guesses for wrong names.
	Types []string `json:"types,omitempty"`
	// Down lists servers without tools that Errors may be about. They failed when the registry was
	// built.
	Down []string `json:"-"`
	// LookUp is true if the script only called UseTools. It was answered with the tools of its
	// phrases and did not run.
	LookUp bool `json:"-"`
	// Untrusted is true if the Result may have text that third parties wrote, according to the
	// labels of the config. Scripts that its client sends from now on are late; see package flow.
	Untrusted bool `json:"untrusted,omitempty"`
	// Run is the ID of the run's record. If empty, the run has no record.
	Run string `json:"run,omitempty"`
	// Waiting are the pending calls of the run. Unknown are its effect calls whose outcome is
	// unknown.
	Waiting []Pending    `json:"waiting,omitempty"`
	Unknown []Unresolved `json:"unknown,omitempty"`
	// Attempts is how many times the script has begun, if more than once.
	Attempts int `json:"attempts,omitempty"`
	// Dry reports whether it was a dry run.
	Dry bool `json:"dry,omitempty"`
	// Ledger has the effect calls that a dry run did not send, in order.
	Ledger []Unmade `json:"ledger,omitempty"`
	// Approval is the ID of the approval with which a dry run can be resumed as a real run. It is
	// empty if the Ledger needs no approval.
	Approval string `json:"approval,omitempty"`
	// NoResume says why the run cannot be resumed although its status permits it.
	NoResume string `json:"no_resume,omitempty"`
	// Next says how the reader can resume the run. The code that shows the Result sets it.
	Next     Next     `json:"-"`
	Parked   bool     `json:"-"` // it ended with pending calls
	Made     []string `json:"-"` // effect calls that were made, a line each, the first maxMade
	MoreMade int      `json:"-"`
	// Unwritten is the reason if the record of the run has no end.
	Unwritten error   `json:"-"`
	Lowered   string  `json:"lowered,omitempty"` // of a check: the lowered script
	Timing    Timing  `json:"timing"`            // milliseconds by phase
	Sandbox   Sandbox `json:"sandbox"`
}

// ToolUse is the tool of a phrase, or of a name in the script that no phrase declares.
type ToolUse struct {
	discovery.Resolution
	Go string `json:"go,omitempty"` // git.Log
	// Signature is, in a lookup, the tool's declaration with its documentation. For an unresolved
	// phrase it is that of the first candidate.
	Signature string `json:"signature,omitempty"`
	Tokens    int    `json:"tokens,omitempty"` // of Signature, about
	// Others has a line for each other tool that a phrase of a lookup may mean, or for each tool of
	// the server that it names.
	Others      []string `json:"others,omitempty"`
	NamesServer bool     `json:"-"` // the phrase of a lookup names a server
	Shown       bool     `json:"-"` // the reader sees the result of the phrase
}

// How a tool was found, besides the values of discovery.
const (
	ByName  discovery.By = "name"  // the script uses its Go name, and a phrase has it among its candidates
	ByAdded discovery.By = "added" // the script uses its Go name, and no phrase declares it
)

// Call is one tool call of a script.
type Call struct {
	Tool  string       `json:"tool"`
	Class record.Class `json:"class,omitempty"`
	Ms    float64      `json:"ms"`                 // without Start
	Start float64      `json:"start_ms,omitempty"` // the time its server took to start
	Bytes int          `json:"bytes"`              // of the result
	Error *string      `json:"error"`
	// Suspect says why a result that claims success looks like a failure. The result itself is not
	// changed.
	Suspect string `json:"suspect,omitempty"`
	CutOff  bool   `json:"-"` // the end of the run cut it off: it did not fail by itself
	Number  int    `json:"-"` // 1 for the script's first call; calls are listed in the order in which they ended
	Text    string `json:"-"` // its source in the script, cut short; only of suspects
	Earlier bool   `json:"-"` // an earlier attempt made it
}

// NestedScript is a saved script that was run through RunScript.
type NestedScript struct {
	Name   string
	Hash   string // SHA-256 of its source, in hexadecimal
	Depth  int    // 1 if the script that was sent ran it
	Time   time.Time
	Ms     float64
	Status Status
}

// ErrorKind classifies an Error.
type ErrorKind string

// The kinds of errors.
const (
	KindCompile  ErrorKind = "compile"
	KindRefused  ErrorKind = "refused"
	KindResolve  ErrorKind = "resolve"
	KindRuntime  ErrorKind = "runtime"
	KindPanic    ErrorKind = "panic"
	KindLimit    ErrorKind = "limit"
	KindPolicy   ErrorKind = "policy"
	KindInternal ErrorKind = "internal"
)

// Error is one error of a script: the mistake, its place, and the correction.
type Error struct {
	Kind ErrorKind `json:"kind"`
	// File is the file that Line is in, if the script has several.
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`   // 1-based, in the script as sent
	Column  int    `json:"column,omitempty"` // 1-based, in bytes
	Message string `json:"message"`
	Snippet string `json:"snippet,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Signatures are the signatures of the functions and types that the error is about.
	Signatures []string `json:"signatures,omitempty"`
	Trace      []string `json:"trace,omitempty"` // of a panic, innermost first
	// Sent is the line in the script as sent, even if the script has several files.
	Sent int `json:"-"`
	// Fixes are alternative changes of the script; one of them may be right.
	Fixes []Fix `json:"-"`
	Shown bool  `json:"-"` // the Result's Types already have the Signatures
}

// Timing is the duration of each phase in ms.
type Timing struct {
	Start    float64 `json:"start"`    // the worker, until it was ready
	Parse    float64 `json:"parse"`    // in the worker
	Resolve  float64 `json:"resolve"`  // phrases and names to tools
	Generate float64 `json:"generate"` // the tools' Go packages
	Check    float64 `json:"check"`
	Lower    float64 `json:"lower"`
	Run      float64 `json:"run"`   // including compilation by the interpreter
	Calls    float64 `json:"calls"` // while at least one call was under way
	Total    float64 `json:"total"`
}

// Sandbox says which layers confined the worker, in addition to its being a separate process with
// an empty environment.
type Sandbox struct {
	Landlock int  `json:"landlock"` // ABI version of the kernel; 0 if not in force
	Seccomp  bool `json:"seccomp"`  // a filter of system calls is on
	Rlimits  bool `json:"rlimits"`  // the kernel limits memory and CPU time
	// Missing names each layer that is not on, and the reason.
	Missing []string `json:"missing,omitempty"`
}

// ExitCode returns the exit code of `harness run` and `harness check` for a status.
func (s Status) ExitCode() int {
	switch s {
	case OK:
		return 0
	case ScriptError:
		return 1
	case CompileError, ToolNotFound, Ambiguous:
		return 2
	case Timeout, CPULimit, MemoryLimit, OutputLimit, CallLimit:
		return 3
	case Denied:
		return 4
	case Waiting, Uncertain:
		return 75
	case Canceled:
		return 130
	}
	return 70
}

// Fix is a change of a script that may correct an Error: Text replaces Length bytes at Line and
// Column.
type Fix struct {
	Line   int    `json:"line"`   // from 1, as Error.Sent
	Column int    `json:"column"` // from 1, in bytes
	Length int    `json:"length"` // bytes
	Text   string `json:"text"`
}

// NeverBegan reports whether a script with this status did not run at all.
func NeverBegan(s Status) bool { return s == Denied || s.ExitCode() == CompileError.ExitCode() }

// Unsettled reports whether the run is pending or unresolved.
func (r *Result) Unsettled() bool { return r.Status == Waiting || r.Status == Uncertain }
