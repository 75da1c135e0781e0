// Package origin restricts HTTP requests to the scheme, host and port of a server's definition,
// and keeps them away from addresses inside the network that only the server names.
//
// It checks a host's address each time that a connection is made, because a later lookup may
// return a different address.
package origin
