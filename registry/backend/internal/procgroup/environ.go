package procgroup

import (
	"os"
	"slices"
	"strings"
)

// secret is the variable with the token of the harness's own clients (as
// clients.TokenVariable).
const secret = "USETOOLS_TOKEN"

// Environ is the environment that a server or program gets: that of the
// harness, without the token that is asked of the harness's own clients. What
// a server may know, a script can have it tell.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.EqualFold(name, secret) // Windows does not tell cases apart
	})
}
