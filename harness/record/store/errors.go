package store

import "errors"

// Errors of a store.
var (
	// ErrNotFound is returned for an ID that no record has.
	ErrNotFound = errors.New("no such run")
	// ErrAmbiguous is returned for what the IDs of several records begin with.
	ErrAmbiguous = errors.New("several runs are meant")
	// ErrRunning is returned by Remove, Reopen, Settle and EndRun for a run that
	// somebody writes; by the last three as a *RunningError.
	ErrRunning = errors.New("the run is under way")
	// ErrAnswered is returned, as an *AnsweredError, for what somebody has answered.
	ErrAnswered = errors.New("it has been answered")
	// ErrExpired is returned for an answer that comes too late.
	ErrExpired = errors.New("the time for an answer has passed")
	// ErrOtherAsk is returned for an answer to what is not asked.
	ErrOtherAsk = errors.New("what is asked is not what was shown")
	// ErrEnded is returned for a run that cannot be gone on with.
	ErrEnded = errors.New("the run has ended")
	// ErrCopy is returned by Reopen for a record that is another file than the one
	// that was written, as in a folder that was copied.
	ErrCopy = errors.New("the record is a copy of the one that was written")
	// ErrNotUnknown is returned by Settle for a call of which something is known.
	ErrNotUnknown = errors.New("it is known what became of the call")
	// ErrTooEarly is returned by Settle when the call may still happen.
	ErrTooEarly = errors.New("the call may still happen")
	// ErrLarge is returned by LoadListed for a record of more bytes than are asked for.
	ErrLarge = errors.New("the record is large")
	// ErrTaken is returned by Begin for the name of a run that has begun.
	ErrTaken = errors.New("the run has begun")
	// ErrClosed is returned by a Writer that was closed.
	ErrClosed = errors.New("the record is closed")
)
