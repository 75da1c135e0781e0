//go:build !slow

package harness_test

import (
	"time"

	"github.com/usetools/usetools/harness"
)

// How much of each proof these tests play. With the build tag slow they play more, and
// flags set how much.
var (
	seed        = new(uint64(1))
	programs    = new(6)
	everyScript = new(150)
	replays     = new(1)
	faultPoints = new(250)
	faultOnly   = new(uint64(0))
	everyServer = new(false)
	resultSize  = new(256 << 10)
	soak        = new(len(mixed))
)

// hostileTimeout limits hostile scripts that never end, hostileMemory those that grow.
const (
	hostileTimeout = 300 * time.Millisecond
	hostileMemory  = harness.MinMemory
)
