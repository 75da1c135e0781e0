//go:build slow

package oracle

// With the build tag slow, all scripts at hand are run, and many generated
// programs.
const (
	stride         = 1
	samplePrograms = 600
)
