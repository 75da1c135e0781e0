package procgroup

// Work is what a process and all that comes from it have done so far.
type Work struct {
	Ticks    uint64 // of CPU time; only that they grow means something
	Children bool   // others than the process itself live
}
