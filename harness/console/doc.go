// Package console is the web interface: tools and why they were found, each run with its calls
// beside the lines that made them, pending calls, servers, policy, and an editor.
//
// Pages are HTML from templates, readable without JavaScript. One JavaScript module merges page
// updates, follows server-sent events and adds keyboard shortcuts. Pages load everything from this
// server and have no inline scripts or styles, so the Content-Security-Policy forbids both.
//
//	console.go           options, routes, headers, static files
//	host.go              the interface to the server behind the console, and viewers
//	access.go            sign-in links, cookies, tokens
//	page.go              templates, and code that all pages use
//	wording.go           numbers, times and names of runs in words
//	events.go            events that tell open pages about changes
//	limiter.go           limits on slow work, in total and for each token
//	overview.go          the overview; chart.go its charts, cluster.go the runners
//	run_stats.go         statistics of tool calls, for the overview and servers
//	runs.go              the list of runs; preview.go its columns beyond the summary
//	run.go               the page of a run; run_actions.go its actions
//	timeline.go          the script of a run beside its calls, over present.Layout;
//	                     timeline_notes.go texts below lines
//	calls_table.go       the table of calls, and the page of one call
//	compare.go           comparison of two runs
//	scripts.go           saved scripts
//	approvals.go         the page of pending calls; pending.go the list of them
//	batch_diff.go        differences of the pending calls of one line
//	elicitation_form.go  a server's question as a form
//	answer.go            approving and rejecting
//	tool_list.go         the list of tools and the search; tool.go one tool and trying it
//	skills.go            skills of this server and of upstream servers
//	schema_form.go       a form for a tool's schema
//	servers.go           servers
//	policy.go            tokens, rules and usage
//	editor.go            the editor; completions.go, diagnostics.go its checks
//	dry_run.go           the calls that a dry run did not send
//	highlight.go         Go and JSON in colours
//
// The console has no state of its own: it reads the store of records and the catalog, and acts
// through the same functions as the command line.
//
// The operator sees everything. A client with a token sees its own runs, and the tools that its
// scripts may use; if it may approve, also the pending calls of other clients. Texts of scripts,
// tools and servers are shown as text, never as markup.
package console
