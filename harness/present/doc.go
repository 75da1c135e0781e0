// Package present says what runs, calls and lists look like, for all media.
//
// A [Document] is a list of blocks: headings, facts, tables, code, quotes. Each kind of fact
// has one function that makes its Document, and three writers turn a Document into text for
// a terminal ([Document.Terminal]), text for a model ([Document.Model]) and HTML for the
// console ([Document.HTML]).
//
// A [View] is a run with the calls and prints of each line of its script. A [Layout] says
// where they stand: rows, lanes, and time from 0 to 1. [View.Document] shows a run with its
// Layout on a terminal; the console has templates of its own over the same Layout. [Whole] is all of a record as one JSON object, and [Compare] says how two
// runs differ.
//
// A record holds text of scripts, tools and servers. Every writer replaces characters that
// control a terminal or are invisible by escapes, such as \x1b and \u202e.
package present
