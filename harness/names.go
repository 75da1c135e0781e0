package harness

import (
	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/rerun"
)

// Difference is where a replay differs from its record.
type Difference = rerun.Difference

// NotResumableError is returned by Resume for a run that cannot be resumed.
type NotResumableError = rerun.NotResumableError

// ErrNothingToReplay is returned by Replay for the record of a run whose script did not begin, or
// which has no script.
var ErrNothingToReplay = rerun.ErrNothingToReplay

// CheckTypes returns an error if this build cannot make the types of scripts, because the layout of
// type descriptors of its Go release is unknown. The error lists the supported releases. Scripts
// whose values need a type of their own are then refused.
func CheckTypes() error { return gotype.Check() }
