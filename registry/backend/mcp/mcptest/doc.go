// Package mcptest is an MCP server for tests that misbehaves on demand, in
// the ways in which real servers do.
//
// A test binary is its own server: TestMain calls [Main], which serves and
// exits when the process was started as a server, and [Server] returns the
// definition of a server that starts the running binary again. The server is
// written against the bytes of the protocol, not with an SDK, because most of
// what it does an SDK prevents.
package mcptest
