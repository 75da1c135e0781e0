// Package build asks servers for their tools and makes a registry of them.
//
// [Build] takes a config and returns a [registry.Registry] and a [Report] on every server. All
// servers are asked concurrently, each with its own deadline. So a build takes as long as its
// slowest server, and a server that fails does not affect the others.
//
// With the registry of an earlier build, a rebuild is incremental. A tool with the same hash
// keeps its embedding, category and examples. A server that fails keeps its last known tools,
// marked stale, with the error. The report lists the added, removed and changed tools. The same
// answers give the same bytes, in whatever order they arrive.
package build
