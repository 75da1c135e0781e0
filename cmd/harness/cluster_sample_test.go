//go:build !slow

package main

import "time"

// How much TestAKilledClusterLosesNothing plays. With the build tag slow it plays more, and
// flags set how much.
var (
	clusterRuns  = new(12)
	clusterSeed  = new(uint64(1))
	clusterWait  = new(time.Duration(0))
	clusterKinds = new("kill,stop,cut,leave")
)
