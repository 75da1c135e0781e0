// Package transport receives clients' messages over streams or HTTP, and sends the answers. It
// handles tokens, hosts, origins, the limits of connections and bodies, and the revisions of the
// protocol. It does not depend on scripts or sessions.
package transport

// LastStateful is the last revision of the protocol with sessions.
const LastStateful = "2025-11-25"

// Methods of requests that are not answered at once.
const (
	methodCall   = "tools/call"
	MethodListen = "subscriptions/listen"
)

// WholeKey in the _meta of a call of execute requests the uncut Result, with images in the value,
// and the texts for a person as content. It costs the server no more than the run did.
const WholeKey = "usetools/whole"
