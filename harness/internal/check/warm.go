package check

import (
	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// Begin loads what every check needs, and the types that most scripts use
// first. A worker whose script is on its way does it meanwhile.
func Begin(o *Options) {
	units := newChecker(&Script{}, o).units
	for _, u := range units {
		if u.Host {
			_, _ = importCompiled(u, units) // its fault is met again by the check
		}
	}
	_, _ = export.Importer().Import("fmt")
}

// Warm loads what most scripts need, so that a spare worker has it before a
// script comes: the types of the everyday packages.
func Warm() {
	for _, path := range []string{"bytes", "context", "encoding/json", "errors", "fmt", "io", "log", "maps", "math", "math/rand", "os",
		"regexp", "slices", "sort", "strconv", "strings", "sync", "time", "unicode"} {
		// A package that fails to load fails again, with a position, when a
		// script imports it.
		_, _ = export.Importer().Import(path)
	}
}
