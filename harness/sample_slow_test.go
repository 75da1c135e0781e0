//go:build slow

package harness_test

import (
	"flag"
	"time"
)

var (
	seed        = flag.Uint64("seed", 1, "seed of the first generated program, and of the scenarios of TestFaultPoints")
	programs    = flag.Int("programs", 60, "record and replay this many generated programs")
	everyScript = flag.Int("every", 25, "record and replay each so many-th script of the corpus")
	replays     = flag.Int("replays", 3, "replay each record of TestAReplayDoesTheSame this often")
	faultPoints = flag.Int("points", 1000, "at how many points TestFaultPoints lets something fail")
	faultOnly   = flag.Uint64("only", 0, "the only scenario that TestFaultPoints plays, and tells of")
	everyServer = flag.Bool("servers", false, "TestRandomArgumentsArrive: all 48 servers, not six")
	resultSize  = flag.Int("resultsize", map[bool]int{false: 2 << 20, true: 256 << 10}[raceEnabled],
		"bytes of each of the 64 results of TestLargeResultsUnderWayAreBounded")
	soak = flag.Int("soak", 90, "how many mixed scripts TestManyRunsLeaveNothingBehind runs")
)

// hostileTimeout limits hostile scripts that never end, hostileMemory those that grow.
// If zero, the limit is the default.
const (
	hostileTimeout = 2 * time.Second
	hostileMemory  = 0
)
