//go:build !slow

package worker

var (
	schedules   = new(10)   // generated scripts that are run and repeated
	recordSeeds = uint64(2) // how often a script with calls is recorded and repeated
)
