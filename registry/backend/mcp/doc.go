// Package mcp connects to MCP servers: processes on stdio, URLs with streamable
// HTTP, and URLs with the older HTTP with server-sent events.
//
// The protocol is the SDK's. This package adds what real servers need:
//
//   - Its own stdio transport. It skips lines on stdout that are not messages, and
//     keeps the first for errors. Messages have a size limit, closing ends the
//     whole process group, and the end of stderr is kept.
//   - Exact results. The SDK decodes results into its own types. That loses digits
//     and the order of keys, and fails completely if one tool or one block of
//     content is malformed. A capture takes the raw result out of the response
//     before the SDK sees it; see captures.
//   - Deadlines for start-up, listing and every call; paging and closing that end.
//   - The handshake that works. Servers on stdio get the older initialize first,
//     because some never answer an unknown first message and some exit. A server
//     that refuses it is restarted and gets the newer server/discover.
//
// If a server asks a question in the middle of a call, it goes to the person behind
// the call, or is answered with Cancel. In rounds (revision 2026-07-28), the call ends
// with the questions, and another call continues it. In sessions of older revisions,
// backend.Send asks within 60 s, on behalf of the call that the question came from. If
// that call is not known, no person is asked. Sampling and roots are refused.
//
// Over HTTP, requests go only to the origin in the definition. A redirect or an SSE
// endpoint with another scheme, host or port is an error, also for requests with
// headers, tokens and the secrets of a sign-in. A connection to an address inside the
// network is refused if the host had a public address before; through a proxy, that is
// the proxy's responsibility.
//
// Errors name the server and the next step, and quote the server's last output. In
// these quotes, values of its env and headers with six or more characters are hidden.
package mcp
