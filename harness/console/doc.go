// Package console is the page on which people see what scripts do: which tools
// there are and why one was found, each run with its calls beside the lines that
// made them, what waits for a yes, servers, policy, and an editor.
//
// Everything is HTML from templates, readable without JavaScript; one module of
// JavaScript joins what is shown, follows what happens (server-sent events) and
// adds keys. Nothing is loaded from anywhere but this server, and no page has a
// script or a style of its own, so that the Content-Security-Policy forbids both.
//
//	console.go    options, routes, headers
//	host.go       what the server behind the console does for it
//	access.go     who looks: links that open it once, cookies, tokens
//	page.go       templates and what all of them use
//	events.go     telling open pages that something has changed
//	score.go      the picture of a run: its lines, with axis.go (time), bars.go (calls),
//	              tracks.go (what it took of the machine) and notes.go (texts at lines)
//	run.go, runs.go, approvals.go, tools.go, overview.go, servers.go, policy.go,
//	editor.go, scripts.go   the pages
//
// The console has no state of its own: it reads the store of records and the
// catalog, and acts by the functions that the command line has.
//
// Who sees what: the operator all. A token's holder its own runs, and the tools as
// its scripts have them; with the right to approve, also what others' scripts wait
// for. Texts of scripts, tools and servers are shown as text, never as markup.
package console
