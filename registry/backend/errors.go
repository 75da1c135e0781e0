package backend

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrDisconnected is wrapped by the error of a call if its server died or closed the
	// connection. [OutcomeOf] says whether the call may have taken effect.
	ErrDisconnected = errors.New("connection to the server lost")
	// ErrNotCallable is wrapped by the error of a call to a server that only describes tools.
	ErrNotCallable = errors.New("tools of a snapshot cannot be called")
	// ErrUnavailable is wrapped by the error of a call to a known tool that cannot work here: its
	// program is not installed, or too old.
	ErrUnavailable = errors.New("tool is unavailable")
	// ErrSignIn is wrapped by the error of a connection or call if a person must sign in to the
	// server first.
	ErrSignIn = errors.New("not signed in")
	// ErrClosed is returned for a call after Close.
	ErrClosed = errors.New("backend is closed")
)

// PauseError is returned for a call to a server that has just failed, until the pause before the
// next attempt is over.
type PauseError struct {
	Err  error // the failure
	Wait time.Duration
}

func (e *PauseError) Error() string {
	return fmt.Sprintf("%v (next attempt in %v)", e.Err, e.Wait.Round(100*time.Millisecond))
}

func (e *PauseError) Unwrap() error { return e.Err }

// RefusedError is returned if a server answers a call with a protocol error instead of a result:
// it does not know the tool, or rejects the arguments.
type RefusedError struct {
	Server, Tool string
	Code         int64 // JSON-RPC error code
	Message      string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("server %q refused %q: %s (code %d)", e.Server, e.Tool, e.Message, e.Code)
}
