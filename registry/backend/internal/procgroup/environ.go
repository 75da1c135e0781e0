package procgroup

import (
	"os"
	"slices"
	"strings"
)

// secrets are the variables with the token of the harness's clients (clients.TokenVariable) and
// the harness's signing key (serve.KeyVariable).
var secrets = []string{"USETOOLS_TOKEN", "USETOOLS_KEY"}

// Environ returns the environment for a server or program: that of the harness, without its
// secrets, because a script can make a server reveal its environment.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(secrets, func(s string) bool {
			return strings.EqualFold(name, s) // Windows ignores case
		})
	})
}
