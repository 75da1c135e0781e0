//go:build !slow

package harness_test

import "time"

// How much of each proof these tests play. With the build tag slow they play more, and
// flags set how much.
var (
	seed        = new(uint64(1))
	programs    = new(10)
	everyScript = new(150)
	faultPoints = new(250)
	faultOnly   = new(uint64(0))
	everyServer = new(false)
	resultSize  = new(256 << 10)
	soak        = new(30)
)

// hostileTimeout is the limit of hostile scripts that never end.
const hostileTimeout = 600 * time.Millisecond
