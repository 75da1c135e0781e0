// Package discovery finds the tool that a phrase in plain words means, and
// reports when none or several fit.
//
// [New] makes an immutable [Index] of a registry. [Index.Resolve] answers one
// phrase with a verdict (resolved, ambiguous, not_found, unavailable), a
// calibrated confidence from 0 to 1 and candidates; [Index.Distinguish] returns
// what differs between the candidates of an ambiguous phrase; [Index.Explain]
// returns the numbers behind an answer; [Index.Search] lists tools page by page;
// [Index.Describe] returns single tools. Nothing here knows Go syntax or reaches
// a server; only an [Embedder] may use a network.
//
// The pipeline, one file per leg:
//
//	repeated.go    what most tools of a server say alike is not searched
//	exact.go       a tool's name, in any usual spelling, wins outright
//	mention.go     the server that the phrase names
//	wording.go     abbreviations and unusual words become the registry's
//	terms.go       words and stems; scripts.go those outside of ASCII
//	bm25.go        tools that share words with the phrase
//	vectors.go     tools whose texts lie near the phrase (package embed)
//	secondary.go   words that only parameters, title and later paragraphs have
//	candidates.go  the best of both
//	verbs.go       what is to be done, and to what
//	words.go       word by word: what of the phrase a tool meets, and the reverse
//	direction.go   from what to what: no tool for the opposite or the way back
//	gist.go        what summary, name and the values of parameters say in a few words
//	headnoun.go    whether the last noun of the tool's name is the phrase's object
//	features.go    all of that as numbers, per candidate
//	rerank.go      the final order
//	callable.go    tools that cannot be called come after equal ones that can
//	confidence.go  how far the first candidate can be trusted
//
// Beside it: unavailable.go answers phrases that mean a server without an
// answer to the last build, external.go compares phrases with tools by the
// vectors of another embedder (chromem), and package memory stores which tool a
// phrase led to. Settings holds the part of a config file that configures all that.
//
// Words, weights and thresholds are data, see tables.json. The weights were fitted
// on the development sets in testdata, and a test holds the package to what it
// reaches there (TestDevelopmentSetsAreAnsweredWell).
package discovery
