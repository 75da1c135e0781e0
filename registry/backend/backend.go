package backend

import (
	"context"

	"github.com/usetools/usetools/registry"
)

// Backend is a connection to one server. Its methods may be called from
// several goroutines at once.
type Backend interface {
	// List asks the server for its tools, all pages of them.
	List(ctx context.Context) (*Listing, error)
	// Call calls a tool. A tool that reports a failure is a Result with IsError, not
	// an error. The errors are a *[RefusedError] when the server rejects the call, one
	// that wraps [ErrDisconnected] when the connection is gone, one that wraps
	// [context.DeadlineExceeded] when the time for the call is over, and
	// [ErrNotCallable]; [OutcomeOf] returns the outcome of the call.
	Call(ctx context.Context, req *Request) (*Result, error)
	// Close cancels the calls under way and ends the connection and the
	// server's processes, by force after a few seconds.
	Close() error
}

// Listing is what a server says of itself and its tools.
type Listing struct {
	Server registry.Server // what was wrong with single tools is in Problems
	Tools  []registry.Tool // in the order of the server
}
