package harness

import (
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/outcome"
)

// The names of package outcome that scripts' results are made of.
type (
	Status       = outcome.Status
	Result       = outcome.Result
	ToolUse      = outcome.ToolUse
	Call         = outcome.Call
	NestedScript = outcome.NestedScript
	ErrorKind    = outcome.ErrorKind
	Error        = outcome.Error
	Fix          = outcome.Fix
	Timing       = outcome.Timing
	Sandbox      = outcome.Sandbox
	WaitingCall  = outcome.Pending
	UnknownCall  = outcome.Unresolved
	Unmade       = outcome.Unmade
	Next         = outcome.Next
)

const (
	OK            = outcome.OK
	CompileError  = outcome.CompileError
	ToolNotFound  = outcome.ToolNotFound
	Ambiguous     = outcome.Ambiguous
	ScriptError   = outcome.ScriptError
	Timeout       = outcome.Timeout
	CPULimit      = outcome.CPULimit
	MemoryLimit   = outcome.MemoryLimit
	OutputLimit   = outcome.OutputLimit
	CallLimit     = outcome.CallLimit
	Denied        = outcome.Denied
	Canceled      = outcome.Canceled
	SandboxError  = outcome.SandboxError
	InternalError = outcome.InternalError
	Diverged      = outcome.Diverged
	Waiting       = outcome.Waiting
	Uncertain     = outcome.Uncertain
	Lost          = outcome.Lost

	KindCompile  = outcome.KindCompile
	KindRefused  = outcome.KindRefused
	KindResolve  = outcome.KindResolve
	KindRuntime  = outcome.KindRuntime
	KindPanic    = outcome.KindPanic
	KindLimit    = outcome.KindLimit
	KindPolicy   = outcome.KindPolicy
	KindInternal = outcome.KindInternal
)

var (
	Statuses    = outcome.Statuses
	Recorded    = outcome.FromRecord
	ErrNotEnded = outcome.ErrNotEnded
	Paint       = outcome.Paint
)

// The names of replays and resumed runs.
type (
	Difference        = rerun.Difference
	NotResumableError = rerun.NotResumableError
)

var ErrNothingToReplay = rerun.ErrNothingToReplay
