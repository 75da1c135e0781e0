// Package build asks servers for their tools and makes a registry of them.
//
// In goes a config; out come a [registry.Registry] and a [Report] on every
// server. All servers are asked at once, each against its own deadline, so
// that the build takes as long as its slowest server and no fault of one
// server costs another anything.
//
// With the registry of an earlier build, a rebuild is incremental: a tool
// whose hash is the same keeps its embedding, category and examples; a server
// that cannot be asked keeps its last known tools, marked stale, with the
// error; and the report says what was added, removed and changed. The same
// answers give the same bytes, in whatever order they arrive.
package build
