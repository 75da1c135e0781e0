//go:build slow

package store_test

import "flag"

var (
	seed     = flag.Uint64("seed", 1, "of the random choices of tests with several processes")
	contests = flag.Int("contests", 12, "how many records TestOneOwnerAndOneAnswer has processes contend for")
	kills    = flag.Int("kills", 40, "how many writers TestNothingIsLostWithItsWriter kills")
)

const (
	unsteadyRuns = 40 // of TestTimeDoesNotRunBack, for each kind of store
	everyCut     = 1  // bytes between two cuts of TestATornEndIsCutByItsOwnerOnly
)
