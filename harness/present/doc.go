// Package present makes of a run's record what people read: a [View] has the facts,
// the script with its calls, what was printed and when, and [View.Text] writes them
// for a terminal; [Whole] is all of a record as one JSON object; [Compare] says in
// what two runs differ.
//
// A record holds the words of scripts, tools and servers. In text all of them are
// without characters that a terminal obeys or that do not show: those are escapes,
// as \x1b and \u202e.
package present
