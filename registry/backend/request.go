package backend

import "github.com/usetools/usetools/registry"

// Request is one call of a tool.
type Request struct {
	Tool string
	Args registry.Args
	// Send says how the call is sent. If nil, nobody is asked.
	Send *Send
	// Tenant is whose call it is, by any key that can be compared: of the calls that
	// wait for a server, the next is one whose tenant has the fewest there. A tenant
	// that shares leaves a quarter of a server's places, but at least one of several,
	// to others.
	Tenant any
	Shares bool
	// Expect is the registry.Tool.Request that the call must send; a backend whose
	// server's document may change refuses to send anything else. If empty, the tool
	// sends what it does now.
	Expect string
}
