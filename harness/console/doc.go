// Package console is the page on which people see what scripts do: which tools
// there are and why one was found, each run with its calls beside the lines that
// made them, what waits for a yes, servers, policy, and an editor.
//
// Everything is HTML from templates, readable without JavaScript; one module of
// JavaScript joins what is shown, follows what happens (server-sent events) and
// adds keys. Nothing is loaded from anywhere but this server, and no page has a
// script or a style of its own, so that the Content-Security-Policy forbids both.
//
//	console.go      options, routes, headers, static files
//	host.go         what the server behind the console does for it, and who looks
//	access.go       links that open it once, cookies, tokens
//	page.go         templates and what all of them use
//	words.go        numbers, times and names of runs in words
//	events.go       telling open pages that something has changed
//	turns.go        how much of what takes long is done at a time
//	overview.go     the overview; plot.go its pictures, cluster.go who runs the scripts
//	digests.go      what its numbers and those of servers are made of
//	runs.go         the list of runs; preview.go what it shows of each beyond its summary
//	run.go          the page of a run; runacts.go what can be done with it
//	score.go        the script of a run beside its calls, with lines.go (what happened at
//	                each line), axis.go (time), bars.go (calls), tracks.go (what it took
//	                of the machine) and notes.go (texts at lines)
//	calls.go        its table of calls, and one call
//	compare.go      two runs compared
//	scripts.go      saved scripts
//	approvals.go    what waits for a person; waits.go which calls that are
//	batch_diff.go        in what many of them differ
//	questions.go    what a server asks in the middle of a call, as a form
//	answers.go      a yes or a no
//	tools.go        the list of tools and the search; tool.go one tool and trying it
//	form.go         a form made of a tool's schema
//	servers.go      servers
//	policy.go       who may call what, and what was used
//	editor.go       the editor; names.go its completions, checked.go what a check came to
//	ledger.go       what a dry run would have done
//	markup.go       texts as HTML; gosource.go and highlight.go Go and JSON in colours
//
// The console has no state of its own: it reads the store of records and the
// catalog, and acts by the functions that the command line has.
//
// Who sees what: the operator all. A token's holder its own runs, and the tools as
// its scripts have them; with the right to approve, also what others' scripts wait
// for. Texts of scripts, tools and servers are shown as text, never as markup.
package console
