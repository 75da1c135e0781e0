//go:build !slow

package sandbox

// What the default set takes of the attacks on the lock and its limits.
var (
	layers    = []string{"none", "all"} // states of an attacker
	usedBombs = []string{"slices", "goroutines", "one huge slice"}
	usedSpins = []string{"narrowed from outside"}
)
