package backend

import (
	"context"

	"github.com/usetools/usetools/registry"
)

// Backend is a connection to one server. Its methods are safe for concurrent use.
type Backend interface {
	// List requests all pages of the server's list of tools.
	List(ctx context.Context) (*Listing, error)
	// Call calls a tool. If the tool reports a failure, Call returns a Result with IsError and no
	// error. The error is a *[RefusedError] if the server rejects the call, wraps
	// [ErrDisconnected] if the connection is gone, [context.DeadlineExceeded] if the call's time
	// is over, or [ErrNotCallable]. [OutcomeOf] returns the outcome of the call.
	Call(ctx context.Context, req *Request) (*Result, error)
	// Close cancels running calls and ends the connection and the server's processes. It kills
	// them after a few seconds.
	Close() error
}

// Listing is a server's description of itself and its tools.
type Listing struct {
	Server registry.Server // Problems lists faults of single tools
	Tools  []registry.Tool // in the server's order
}
