//go:build slow

package sandbox

// layers are the states of an attacker.
var layers = []string{"none", "landlock", "seccomp", "all"}
