// Package build asks servers for their tools and makes a registry of them.
//
// [Build] takes a config and returns a [registry.Registry] and a [Report] on
// every server. All servers are asked at once, each with its own deadline, so
// that a build takes as long as its slowest server, and a server that fails
// does not affect the others.
//
// With the registry of an earlier build, a rebuild is incremental: a tool whose
// hash is the same keeps its embedding, category and examples; a server that
// cannot be asked keeps its last known tools, marked stale, with the error; and
// the report says what was added, removed and changed. The same answers give
// the same bytes, in whatever order they arrive.
package build
