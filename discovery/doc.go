// Package discovery finds the tool that a phrase in plain words means, and
// reports when no tool or several tools fit.
//
// [New] makes an immutable [Index] of a registry. [Index.Resolve] answers one
// phrase with a verdict (resolved, ambiguous, not_found, unavailable), a
// calibrated confidence from 0 to 1 and candidates. [Index.Distinguish] returns
// the differences between the candidates of an ambiguous phrase, and
// [Index.Explain] the numbers behind an answer. [Index.Search] lists tools page by
// page, and [Index.Describe] returns single tools. Nothing here knows Go syntax or
// connects to a server; only an [Embedder] may use a network.
//
// A phrase goes through this pipeline, one file per step:
//
//	repeated.go    drops the text that most tools of a server share
//	exact.go       matches a tool's name, in any usual spelling: no search is needed
//	mention.go     finds the server that the phrase names
//	wording.go     replaces abbreviations and unusual words by the registry's
//	terms.go       splits texts into words and stems; scripts.go if they are not ASCII
//	bm25.go        scores tools that share words with the phrase
//	vectors.go     scores tools with texts of similar meaning (package embed)
//	secondary.go   matches words that only parameters, title and later paragraphs have
//	candidates.go  selects the best tools of all these scores
//	verbs.go       compares the verbs, and finds the object
//	words.go       compares word by word, in both directions
//	direction.go   compares input and output: rejects tools that do the opposite
//	gist.go        compares with summary, name and values of parameters
//	headnoun.go    compares the last noun of the tool's name with the object
//	features.go    computes all of that as numbers, per candidate
//	rerank.go      makes the final order
//	callable.go    prefers tools that can be called to equal ones that cannot
//	confidence.go  computes how far the first candidate can be trusted
//
// Beside the pipeline, unavailable.go answers phrases that mean a server that
// failed in the last build, external.go compares phrases with tools by the vectors
// of another embedder (chromem), and package memory stores which tool a phrase led
// to. [Settings] is the part of a config file that configures discovery.
//
// Words, weights and thresholds are data in tables.json. The weights were fitted on
// the development sets in testdata; TestDevelopmentSetsAreAnsweredWell fails if the
// results on them get worse.
package discovery
