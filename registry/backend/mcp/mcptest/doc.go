// Package mcptest is an MCP server for tests that misbehaves on demand, as real servers do.
//
// A test binary is its own server: TestMain calls [Main], which serves and exits if the process
// was started as a server. [Server] returns the definition of a server that starts the running
// binary again. The server writes the bytes of the protocol without an SDK, because an SDK
// prevents most of its faults.
package mcptest
