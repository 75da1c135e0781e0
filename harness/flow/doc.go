// Package flow explains where the values in the arguments of a call come from. It is pure: it reads
// results and arguments, and does no I/O.
//
// A script is written before its data is read. So an instruction hidden in data can act only
// through a later script of the session, or through a value in a script that was already written.
// The package has the facts that are needed to ask a person in these cases:
//
//   - [Settings] say which text in the results of tools third parties can write (untrusted text),
//     and which arguments of a tool are targets: recipients, places or objects of its calls.
//   - An [Index] has the texts that a session has seen: the scripts and inputs that the client
//     sent, and the results of calls. [Index.Explain] returns the [Origin] of each value in the
//     arguments of a call.
//   - A [Session] is Clean until untrusted text may have been returned to the client. The effect
//     calls of scripts that are sent after that are late.
//   - [Facts] answer the conditions of rules about one call: late, explained, planned and foreign.
//
// # Matching
//
// Texts are compared in normal form: NFKC, lower case, white space collapsed, without invisible
// characters. A value comes from a text if it equals the text, or appears in it between word
// boundaries. A trusted text takes precedence over an untrusted one. A match within a trusted
// result needs four characters. If no trusted text contains the value, its addresses (e-mail,
// domain, URL, IBAN) are searched for as well, and its parts if no text contains it.
//
// Matching explains a question to a person. As a rule that decides, it can be evaded: it does not
// find a value that was written in another encoding. Only "late" needs no matching.
//
// # Bounds
//
// An Index has at most [MaxText] bytes of untrusted text, and as many of other text. Explain
// explains at most [MaxTargets] targets of a call, each of at most [MaxValue] bytes. Beyond a bound
// the origin is unknown, which counts as late, as foreign and as not explained.
//
// # Limits of the approach
//
// The package does not protect secrets: a trusted recipient may get data that it should not. It
// does not see branches in a script, final answers, or tools that are called without the harness.
// It takes trusted fields at their word.
package flow
