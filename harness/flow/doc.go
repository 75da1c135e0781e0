// Package flow says where the values in the arguments of a call come from. It is pure: it reads
// results and arguments, and does no I/O.
//
// A script is written before its data is read. So an instruction hidden in data can act only
// through a later script of the session, or through a value of a script that was already
// written. The package has what is needed to ask a person there:
//
//   - [Settings] say which text in the results of tools third parties can write (untrusted
//     text), and which arguments of a tool say to whom, where or on what it acts (targets).
//   - An [Index] has the texts that a session has seen: the scripts and inputs that the client
//     sent, and the results of calls. [Index.Explain] returns the [Origin] of each value in the
//     arguments of a call.
//   - A [Session] is Clean until untrusted text may have gone back to the client. The effect
//     calls of a script that was sent after that are late.
//   - [Facts] are what the conditions of rules ask about one call: late, explained, planned and
//     foreign.
//
// # Matching
//
// Texts are compared in normal form: NFKC, lower case, white space collapsed, without characters
// that are not visible. A value comes from a text if it equals it, or stands in it between the
// boundaries of words. A trusted text wins over an untrusted one: results need four characters
// for a match within them, scripts and inputs do not. A value in which no text stands as a whole
// may have addresses (e-mail, domain, URL, IBAN) and parts, which are looked for alone.
//
// Matching explains a question to a person. As a rule that decides, it can be evaded: whoever
// writes a value in another encoding is not found. Only "late" needs no matching.
//
// # Bounds
//
// An Index has at most [MaxText] bytes of untrusted text, and as many of other text. Explain
// explains at most [MaxTargets] targets of a call, each of at most [MaxValue] bytes. Beyond a
// bound the origin is unknown, which counts as late, as foreign and as not explained.
//
// # What is not promised
//
// The package does not protect secrets: a trusted recipient may get what it should not. It does
// not see branches in a script, final answers, or tools that are called without the harness. It
// takes trusted fields for what they claim to be.
package flow
