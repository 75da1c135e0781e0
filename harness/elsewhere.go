package harness

import "context"

// Elsewhere runs scripts in other processes that share Options.Records with this one;
// see Options.Elsewhere.
type Elsewhere interface {
	// Run and Resume do what those of a Harness do, OnLine, Stdout, Stderr and Ask of the
	// script included. What they are told of a run under way may be incomplete.
	Run(context.Context, *Script) (*Result, error)
	Resume(ctx context.Context, run string, s *Script) (*Result, error)
	// Join waits for a run of a request (see Begin.Request of package record) that has not
	// ended, or not begun yet, and that nobody waits for, and returns its Result; nil:
	// there is none.
	Join(ctx context.Context, request string) (*Result, error)
	// Gone reports whether a process that took requests, by Script.Front, is gone.
	Gone(ctx context.Context, front string) bool
	// Cancel ends a run, also one that has not begun. It reports whether the run was found.
	Cancel(ctx context.Context, run string) (bool, error)
}
