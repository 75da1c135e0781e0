// Package serve is the MCP server: agents meet the harness as the one tool
// execute, over stdio or streamable HTTP.
//
// In comes a script with inputs; out goes the shortest text that lets a model
// go on, and the whole Result as structured content. The tool's description
// tells how to write a script and lists signatures of the most useful tools, within a
// budget of tokens; it stays as it is for a session while the tools do.
//
//	serve.go      options, what a server is made of, its end
//	session.go    one client: its mode, what is kept for it, its MCP server;
//	              http.go the sessions of HTTP clients, tenants.go what each token has
//	execute.go    the tool; args.go its arguments, rejoin.go requests sent again
//	ask.go        asking the client's user what a script waits for; approve.go the
//	              same for a call without a script
//	approvals.go  the tool of tokens that may answer for others' scripts
//	resumer.go    scripts that go on when they were answered
//	inventory.go  the description; usage.go the tools that are used most
//	instructions.go  the sentence that clients are greeted with
//	answer.go     text, structured content, images; stored.go keeps what is cut
//	live.go       the catalog, exchanged under running scripts
//	discover.go   tool_find and its like, search_tools and its like; direct.go calls
//	              without a script
//	teach.go      the resources; runs.go those with the records of runs
//	skills.go     the skills of package skills, and the prompt
//	console.go    the server as the console's pages need it
//
// What needs no session is in packages of its own, which do not know this one:
//
//	transport     stdio and HTTP: tokens, hosts, limits of connections and bodies
//	guard         owners, the queue, memory
//	observe       audit, metrics, traces, notifications; the monitor of a runner
//	shorten       cutting JSON and texts
//	remote        the client of harness run -connect
//
// Who sees what, of all that a server keeps, where there are several tokens:
//
//	saved scripts          the token; those of the operator (harness save) all, who cannot change them
//	inferred types         the token; what answers looked like all, unless the server is private
//	phrase memory          nobody: none is used or written
//	stored values          the session, for 30 minutes, 16 MB of them and 64 of a tenant; without one (**)
//	loaded tools           the session (*)
//	approvals              who sent the script, and other tokens with the right; of a single call the session (*)
//	queue                  all, how long others take; not who they are
//	use counts             the token, for the order of its list; the operator
//	records of runs        the token; the operator all, nobody those of its session
//	audit, telemetry, log  the operator
//	metrics                all: sums over all tokens
//
// (*) Clients of revisions without sessions have one for each token. On stdio,
// where there is one token, and on loopback without one, the client is the
// operator: when a second token is added, what it saved until then is there for all.
// With HTTP.Insecure it is nobody that could be told from others: it runs the
// operator's scripts, saves and teaches nothing.
//
// (**) Who has the handle and, where there are tokens, the same one.
//
// What there is for all, a tenant cannot take from the others. That is a token of
// those, elsewhere a session:
//
//   - stored values: 256 MB in all, of which those of who has the most go first
//   - the queue: tenant by tenant, then session by session; who has the most waiting
//     makes room
//   - results under way: half of their room; what is known of sizes is the token's
//   - a server's calls: three quarters for a token; who has fewer goes first
//   - the audit: lines are bounded
//   - records: the oldest go first, whoever's they are; one is read at a time
//
// Promises: a script's fault is an answer, never a dead server, and so is a
// panic in a handler; everything that waits has a deadline, everything that
// is kept a bound; no client can starve another; a run keeps the catalog that
// it began with; on stdio nothing but MCP is written to stdout.
package serve
