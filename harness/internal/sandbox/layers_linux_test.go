//go:build !slow

package sandbox

// layers are the states of an attacker; with the build tag slow each layer
// alone too.
var layers = []string{"none", "all"}
