// Package discovery finds the tool that a phrase in plain words means, and
// knows when it does not know.
//
// In goes a registry; [New] makes an immutable [Index] of it. [Index.Resolve]
// answers one phrase with a verdict (resolved, ambiguous, not_found), a
// calibrated confidence and candidates; [Index.Differ] tells the candidates of
// an ambiguous phrase apart; [Index.Explain] shows why it is so;
// [Index.Search] lists and pages; [Index.Describe] shows single tools. Nothing
// here knows Go syntax, reaches a server or uses a network.
//
// The pipeline, one file per leg:
//
//	repeated.go    what most tools of a server say alike is not searched
//	exact.go       a tool's name, in any usual spelling, wins outright
//	hint.go        the server that the phrase names
//	wording.go     abbreviations and unusual words become the registry's
//	terms.go       words and stems; scripts.go those outside of ASCII
//	bm25.go        tools that share words with the phrase
//	vectors.go     tools whose texts lie near the phrase (package embed, chromem)
//	elsewhere.go   words that only parameters, title and later paragraphs have
//	candidates.go  the best of both
//	verbs.go       what is to be done, and to what
//	words.go       word by word: what of the phrase a tool meets, and the reverse
//	direction.go   from what to what, in what, of how many: no tool for the way back
//	nouns.go       whether the name's last noun is the phrase's object
//	features.go    all of that as numbers, per candidate
//	rerank.go      the final order
//	deprecated.go  tools that are about to go come after those that stay
//	callable.go    tools that cannot be called come after equal ones that can
//	confidence.go  how far the first candidate can be trusted
//	clauses.go     a phrase that asks for several tools
//
// Beside it: down.go answers phrases that mean a server that is down, other.go
// lets another embedder compare phrases with tools' full texts, and package
// memory remembers what phrases led to. Settings is what a config file may say
// about all that.
//
// Words, weights and thresholds are data. Those of fusion.json were fitted on
// development sets by a reference implementation, and tests hold this package
// to its answers. beyond.json adds what the reference does not have; a test
// chooses its weight without the set that it is measured on (TestLeaveOneOut).
package discovery
