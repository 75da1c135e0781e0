//go:build slow

package main

import "flag"

var (
	clusterRuns = flag.Int("clusterruns", 30, "`N` runs through a cluster whose processes are killed, stopped and cut off; with "+
		"more than 100 of them a front end or a runner each second and a server of the engine every 30 s")
	clusterSeed = flag.Uint64("clusterseed", 1, "of these")
	clusterWait = flag.Duration("clusterwait", 0, "after how long a silent runner counts as dead there; 0: 2s, and 20s with servers "+
		"that are killed")
	clusterKinds = flag.String("clusterfaults", "kill,stop,cut,leave", "what happens there: processes are killed, stopped (and go on) or "+
		"cut off from the engine, clients leave before they have an answer")
)
