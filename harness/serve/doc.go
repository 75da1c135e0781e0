// Package serve is the MCP server: agents use the harness as one tool, execute, over stdio or
// streamable HTTP.
//
// A client sends a script with inputs. It gets the shortest text that lets a model continue, and
// the Result as structured content. The description of execute says how to write a script and lists
// signatures of the most useful tools, within a budget of tokens. It changes during a session only
// if the tools change.
//
//	serve.go         options; starting and ending a server
//	session.go       one client: its mode, its values, its MCP server
//	http.go          sessions of HTTP clients; tenants.go the data of each token
//	execute.go       the tool; args.go its arguments, rejoin.go repeated requests
//	ask.go           questions to the client's user about pending calls of a script;
//	                 approve.go the same for a call without a script
//	approvals.go     the tool of tokens that may approve calls of others
//	resumer.go       resumes scripts once their pending calls are answered
//	inventory.go     the description; usage.go the most used tools
//	instructions.go  the sentence that greets clients
//	answer.go        text, structured content, images; stored.go keeps cut values
//	live.go          the catalog, replaced while scripts run
//	discover.go      tool_find, search_tools and related tools; direct.go calls without
//	                 a script
//	teach.go         the resources; runs.go the records of runs
//	skills.go        the skills of package skills, and the prompt
//	console.go       the server as the host of the console's pages
//
// Packages below it need no session and do not import it:
//
//	transport  stdio and HTTP: tokens, hosts, limits of connections and bodies
//	guard      owners, the queue, memory
//	observe    audit, metrics, traces, notifications; the monitor of a runner
//	shorten    cutting JSON and texts
//	remote     the client of harness run -connect
//
// With several tokens, a server's data is visible to:
//
//	saved scripts          the token; those of the operator (harness save) all, read-only
//	inferred types         the token; outlines of answers all, unless the server is private
//	phrase memory          not used
//	stored values          the session, for 30 minutes, 16 MB per session and 64 MB per tenant; without one (**)
//	loaded tools           the session (*)
//	approvals              the sender of the script and tokens with the right; of a single call the session (*)
//	queue                  all see how long others take, not who they are
//	use counts             the token, for the order of its list; the operator
//	records of runs        the token; the operator sees all, an anonymous client those of its session
//	audit, telemetry, log  the operator
//	metrics                all: sums over all tokens
//
// (*) In revisions without sessions, all clients with a token share one. Clients on stdio, and on
// loopback without a token, are the operator: data saved before a second token is added is visible
// to all. Clients without a token that HTTP.Insecure admits are anonymous: they run the operator's
// scripts, and save and teach nothing.
//
// (**) Without a session, a client needs the value's handle and, if there are tokens, the same
// token.
//
// A tenant is a token if there are several, and a session otherwise. It cannot take shared
// resources from the others:
//
//   - stored values: 256 MB in all; the oldest of the tenant with the most go first
//   - the queue: tenants take turns, then their sessions; a full queue rejects the latest
//     script of the tenant with the most waiting
//   - results under way: half of their room; observed sizes are per token
//   - a server's calls: three quarters for a token; the token with fewer calls goes first
//   - the audit: lines are bounded
//   - records: the oldest go first, of any tenant; one is read at a time
//
// Promises: a script's fault is an answer and never stops the server, and neither does a panic in a
// handler; every wait has a deadline and all stored data a bound; no client can starve another; a
// run keeps the catalog that it began with; on stdio only MCP is written to stdout.
package serve
