//go:build !slow

package store_test

// How much of each proof these tests play. With the build tag slow they play more, and
// flags set how much.
var (
	seed     = new(uint64(1))
	contests = new(3)
	kills    = new(12)
)

const (
	unsteadyRuns = 10
	everyCut     = 7
)
