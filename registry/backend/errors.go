package backend

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrDisconnected is wrapped by the error of a call whose server died or
	// closed the connection. [OutcomeOf] tells whether it may have taken effect.
	ErrDisconnected = errors.New("connection to the server lost")
	// ErrNotCallable is wrapped by the error of a call to a server that has
	// only descriptions of tools.
	ErrNotCallable = errors.New("tools of a snapshot cannot be called")
	// ErrUnavailable is wrapped by the error of a call to a tool that is known
	// but cannot work here: its program is not installed, or too old.
	ErrUnavailable = errors.New("tool is unavailable")
	// ErrSignIn is wrapped by the error of a connection or call that needs a person to
	// sign in to the server first.
	ErrSignIn = errors.New("not signed in")
	// ErrClosed is returned for a call after Close.
	ErrClosed = errors.New("backend is closed")
)

// PauseError is returned for a call to a server that has just failed, in the
// pause before it is tried again.
type PauseError struct {
	Err  error // the failure
	Wait time.Duration
}

func (e *PauseError) Error() string {
	return fmt.Sprintf("%v (next attempt in %v)", e.Err, e.Wait.Round(100*time.Millisecond))
}

func (e *PauseError) Unwrap() error { return e.Err }

// RefusedError is returned when a server answers a call with a protocol error
// instead of a result: it does not know the tool, or rejects the arguments.
type RefusedError struct {
	Server, Tool string
	Code         int64 // JSON-RPC error code
	Message      string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("server %q refused %q: %s (code %d)", e.Server, e.Tool, e.Message, e.Code)
}
