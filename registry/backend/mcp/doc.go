// Package mcp connects to MCP servers: processes on stdio, URLs that speak
// streamable HTTP, and URLs that still speak the older HTTP with server-sent
// events.
//
// The protocol is the SDK's. What this package adds is what real servers need:
//
//   - Its own stdio transport. Lines on stdout that are no messages are
//     skipped and the first is remembered for errors; a message has a largest
//     size; closing ends the whole process group; the end of stderr is kept.
//   - Exact results. The SDK decodes results into its own types, which loses
//     digits and key order and fails as a whole when one tool or one block of
//     content is malformed. A capture takes the raw result out of the
//     response before the SDK sees it; see captures.
//   - Deadlines for start-up, listing and every call; paging that ends;
//     closing that ends.
//   - The handshake that works: servers on stdio are asked with the older
//     initialize first, because some never answer an unknown first message
//     and some exit; a server that refuses it is started again and asked with
//     the newer server/discover.
//
// Where a server has questions in the middle of a call, the person behind it
// answers or nobody does. By rounds (revision 2026-07-28) the call ends with the
// questions, and another goes on with it; in the sessions of older revisions
// backend.Send asks within 60 s, on behalf of the call that the question came
// with. Where it is not known which that is, nobody is asked; sampling and roots
// are refused.
//
// Over HTTP nothing is sent to another origin than the definition's: a redirect
// or an SSE endpoint that leads to another scheme, host or port is an error, for
// requests with headers, tokens and the secrets of a sign-in alike. Nor does a
// connection go on at an address inside of the network when its host was at a
// public one before; through a proxy that is the proxy's matter.
//
// Errors name the server and what to do and quote the server's own last words.
// In those, values of its env and headers are hidden from six characters on.
package mcp
