package backend

import "github.com/usetools/usetools/registry"

// Request is one call of a tool.
type Request struct {
	Tool string
	Args registry.Args
	// Send has the rules for sending the call. If nil, no rules apply.
	Send *Send
	// Tenant identifies the call's tenant by any comparable key. Of the calls that wait for a
	// server, the next is one of the tenant with the fewest calls there. If Shares, the tenant
	// leaves a quarter of a server's places, but at least one of several, to others.
	Tenant any
	Shares bool
	// Expect is the registry.Tool.Request that the call must send. A backend with a document that
	// may change refuses to send a different one. If empty, it is not checked.
	Expect string
}
