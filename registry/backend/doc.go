// Package backend is how the program reaches the servers that have the tools.
//
// A [Backend] is one connected server: it lists its tools and calls them.
// Package mcp connects to MCP servers over stdio, streamable HTTP and SSE,
// package snapshot reads saved lists that can be searched but not called, and
// package dial picks one of them by the type of a server's definition. A
// [Pool] connects to each server when it is first needed, shares the
// connection, bounds the calls and starts a server again that has died.
//
// A caller that needs the outcome of a call passes a [Send]: its Begin is called directly before
// the first byte leaves, an effect call leaves at most once, and [OutcomeOf] says what its error
// means. A call whose server asks something before it answers can outlive its connection: see
// [InputRequiredError] and [Continue].
//
// What a server says is untrusted and often a little wrong. [DecodeTools] and
// [DecodeResult] use what can be used and report or pass on the rest: a
// malformed tool does not cost the others, an unknown kind of content does
// not cost the result. Schemas and results keep the server's own bytes:
// the order of keys and every digit of a number.
package backend
