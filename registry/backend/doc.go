// Package backend connects the program to the servers that have the tools.
//
// A [Backend] is one connected server: it lists its tools and calls them.
// Package mcp connects to MCP servers over stdio, streamable HTTP and SSE, package
// manifest runs command-line programs, package openapi calls the HTTP API of an
// OpenAPI document, and package snapshot reads saved lists, which can be searched but
// not called. Package dial chooses one of them by the type of a server's definition.
// A [Pool] connects to each server when it is first needed, shares the connection,
// limits concurrent calls and restarts a server that has died.
//
// A caller that needs the outcome of a call passes a [Send]. Its Begin is called
// directly before the first byte is sent, an effect call is sent at most once, and
// [OutcomeOf] returns the outcome that an error implies. If a server asks a question
// before it answers, the call can outlive its connection: see [InputRequiredError]
// and [Continue].
//
// The messages of servers are untrusted and often slightly invalid. [DecodeTools] and
// [DecodeResult] use the valid parts, and report or pass on the rest: a malformed tool
// does not affect others, and a result may have an unknown kind of content. Schemas
// and results keep the server's bytes: the order of keys and every digit of a number.
package backend
