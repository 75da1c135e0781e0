//go:build !slow

package oracle

// What the default set takes of the scripts at hand and of generated programs.
const (
	stride         = 6
	samplePrograms = 6
)
