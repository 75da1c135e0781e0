package backend

import "github.com/usetools/usetools/registry"

// Request is one call of a tool.
type Request struct {
	Tool string
	Args registry.Args
	// Send has the rules for sending the call. If nil, there are none.
	Send *Send
	// Tenant is any comparable key of the call's tenant: of the calls that wait for a
	// server, the next is one whose tenant has the fewest there. If Shares, the tenant
	// leaves a quarter of a server's places, but at least one of several, to others.
	Tenant any
	Shares bool
	// Expect is the registry.Tool.Request that the call must send; a backend whose
	// server's document may change refuses to send anything else. If empty, it is not
	// checked.
	Expect string
}
