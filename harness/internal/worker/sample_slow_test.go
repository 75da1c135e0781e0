//go:build slow

package worker

import "flag"

var (
	schedules   = flag.Int("schedules", 25, "how many generated scripts are run and repeated")
	recordSeeds = uint64(4) // how often a script with calls is recorded and repeated
)
