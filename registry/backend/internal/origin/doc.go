// Package origin keeps HTTP requests where a server's definition leads: at one
// scheme, host and port, and away from addresses inside of the network that
// only the other side names.
//
// What a name resolves to is looked at when a connection is made, each time:
// a name that was looked up before may mean another address by then.
package origin
