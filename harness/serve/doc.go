// Package serve is the MCP server: agents meet the harness as the one tool
// execute, over stdio or streamable HTTP.
//
// In comes a script with inputs; out goes the shortest text that lets a model
// go on, and the whole Result as structured content. The tool's description
// holds how to write a script and a live inventory of what is behind it, within
// a budget of tokens.
//
//	serve.go      options, what a server is made of, its end
//	session.go    one client: its mode, what is kept for it, its MCP server
//	execute.go    the tool; args.go its arguments, approve.go asking a person,
//	              notify.go telling a client how a script gets on
//	inventory.go  the description; tokens.go its price, usage.go what is used most
//	answer.go     text, structured content, images; cut.go shortens validly,
//	              stored.go keeps what was cut
//	live.go       the catalog, exchanged under running scripts
//	queue.go      who runs next
//	discover.go   tool_find and its like, search_tools and its like
//	teach.go      the prompt and the resources
//	stdio.go, http.go  the transports; clients.go how clients are told of them
//	metrics.go, telemetry.go (otlp.go), audit.go  the records; budget.go memory
//
// Promises: a script's fault is an answer, never a dead server, and so is a
// panic in a handler; everything that waits has a deadline, everything that
// is kept a bound; no client can starve another; a run keeps the catalog that
// it began with; on stdio nothing but MCP is written to stdout.
package serve
