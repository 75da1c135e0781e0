package procgroup

import (
	"os"
	"slices"
	"strings"
)

// secrets are the variables with the token of the harness's own clients (as
// clients.TokenVariable) and the key that it signs with (serve.KeyVariable).
var secrets = []string{"USETOOLS_TOKEN", "USETOOLS_KEY"}

// Environ is the environment that a server or program gets: that of the
// harness, without its own secrets. What a server may know, a script can have
// it tell.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(secrets, func(s string) bool {
			return strings.EqualFold(name, s) // Windows does not tell cases apart
		})
	})
}
