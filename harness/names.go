package harness

import (
	"github.com/usetools/usetools/harness/internal/gotype"
	"github.com/usetools/usetools/harness/internal/rerun"
)

// Difference is where a replay differs from its record.
type Difference = rerun.Difference

// NotResumableError is returned by Resume for a run that cannot be resumed.
type NotResumableError = rerun.NotResumableError

// ErrNothingToReplay is returned by Replay for the record of a run whose script did not begin,
// or that has none.
var ErrNothingToReplay = rerun.ErrNothingToReplay

// CheckTypes reports whether this build can make the types of scripts, which takes a
// Go release whose descriptors of types are known. The error names those that work;
// with it, scripts whose values need a type of their own are refused.
func CheckTypes() error { return gotype.Check() }
