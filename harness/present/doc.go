// Package present makes readable views of runs, calls and lists for every medium.
//
// A [Document] is a list of blocks: headings, facts, tables, code, quotes. Each kind of fact has
// one function that makes its Document, and three writers turn a Document into text for a terminal
// ([Document.Terminal]), text for a model ([Document.Model]) and HTML for the console
// ([Document.HTML]).
//
// A [View] is a run with the calls and prints of each line of its script. A [Layout] places them in
// rows, lanes, and time from 0 to 1. [View.Document] shows a run with its Layout on a terminal; the
// console has its own templates for the same Layout. [FullRecord] returns a full record as one JSON
// object, and [Compare] returns how two runs differ.
//
// A record holds text of scripts, tools and servers. Every writer escapes characters that are
// invisible or control a terminal, as \x1b and \u202e.
package present
