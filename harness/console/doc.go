// Package console is the page on which people see what scripts do: which tools
// there are and why one was found, each run with its calls beside the lines that
// made them, pending calls, servers, policy, and an editor.
//
// Everything is HTML from templates, readable without JavaScript; one module of
// JavaScript joins what is shown, follows what happens (server-sent events) and
// adds keys. Nothing is loaded from anywhere but this server, and no page has a
// script or a style of its own, so that the Content-Security-Policy forbids both.
//
//	console.go           options, routes, headers, static files
//	host.go              what the server behind the console does for it, and viewers
//	access.go            sign-in links, cookies, tokens
//	page.go              templates and what all of them use
//	wording.go           numbers, times and names of runs in words
//	events.go            tells open pages what has changed
//	limiter.go           bounds slow work, in all and for each token
//	overview.go          the overview; chart.go its charts, cluster.go the runners
//	run_stats.go         how tools were called, for the overview and servers
//	runs.go              the list of runs; preview.go what it shows beyond the summary
//	run.go               the page of a run; run_actions.go what can be done with it
//	timeline.go          the script of a run beside its calls, over present.Layout;
//	                     timeline_notes.go texts below lines
//	calls_table.go       the table of calls, and the page of one call
//	compare.go           two runs compared
//	scripts.go           saved scripts
//	approvals.go         the page of pending calls; pending.go the list of them
//	batch_diff.go        how pending calls of one line differ
//	elicitation_form.go  a server's question as a form
//	answer.go            approving and rejecting
//	tool_list.go         the list of tools and the search; tool.go one tool and trying it
//	schema_form.go       a form made of a tool's schema
//	servers.go           servers
//	policy.go            who may call what, and what was used
//	editor.go            the editor; completions.go, diagnostics.go its checks
//	dry_run.go           the calls that a dry run did not make
//	highlight.go         Go and JSON in colours
//
// The console has no state of its own: it reads the store of records and the
// catalog, and acts by the functions that the command line has.
//
// Who sees what: the operator all. A token's holder its own runs, and the tools as
// its scripts have them; with the right to approve, also what others' scripts wait
// for. Texts of scripts, tools and servers are shown as text, never as markup.
package console
