package record

import "errors"

// Errors of a store.
var (
	// ErrNotFound is returned for an ID that no record has.
	ErrNotFound = errors.New("no such run")
	// ErrAmbiguous is returned for what the IDs of several records begin with.
	ErrAmbiguous = errors.New("several runs are meant")
	// ErrRunning is returned by Remove for a run that is under way.
	ErrRunning = errors.New("the run is under way")
	// ErrClosed is returned by a Writer that was closed.
	ErrClosed = errors.New("the record is closed")
	// ErrNotKept is returned by Run.Value for a value of which there is a digest
	// only.
	ErrNotKept = errors.New("the value is not kept: its tool, or the store, is set so")
)
