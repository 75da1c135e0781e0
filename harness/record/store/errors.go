package store

import "errors"

// Errors of a store.
var (
	// ErrNotFound is returned if no record has the ID.
	ErrNotFound = errors.New("no such run")
	// ErrAmbiguous is returned if the IDs of several records begin with the ID.
	ErrAmbiguous = errors.New("the ID is ambiguous")
	// ErrRunning is returned by Remove, Reopen, Settle and EndRun for a run that has a
	// writer; by the last three as a *RunningError.
	ErrRunning = errors.New("the run is under way")
	// ErrAnswered is returned, as an *AnsweredError, for an ask that has an answer.
	ErrAnswered = errors.New("already answered")
	// ErrExpired is returned for an answer that comes too late.
	ErrExpired = errors.New("the time for an answer has passed")
	// ErrOtherAsk is returned for an answer to another question than the ask's.
	ErrOtherAsk = errors.New("the question has changed since it was shown")
	// ErrEnded is returned for a run that cannot be resumed.
	ErrEnded = errors.New("the run has ended")
	// ErrCopy is returned by Reopen for a record that is another file than the one
	// that was written, as in a folder that was copied.
	ErrCopy = errors.New("the record is a copy of the one that was written")
	// ErrNotUnknown is returned by Settle for a call that is not unresolved.
	ErrNotUnknown = errors.New("the outcome of the call is known")
	// ErrTooEarly is returned by Settle when the call may still happen.
	ErrTooEarly = errors.New("the call may still happen")
	// ErrLarge is returned by LoadListed for a record that is larger than its limit.
	ErrLarge = errors.New("the record is large")
	// ErrTaken is returned by Begin for the ID of a run that has begun.
	ErrTaken = errors.New("the run has begun")
	// ErrClosed is returned by a closed Writer.
	ErrClosed = errors.New("the record is closed")
)
