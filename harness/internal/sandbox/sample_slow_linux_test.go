//go:build slow

package sandbox

import (
	"maps"
	"slices"
)

// With the build tag slow, all attacks on the lock and its limits are made.
var (
	layers    = []string{"none", "landlock", "seccomp", "all"} // states of an attacker
	usedBombs = slices.Sorted(maps.Keys(bombs))
	usedSpins = []string{"the default exit code", "an exit code of one's own", "killed when stuck", "narrowed from outside"}
)
