package backend

import "github.com/usetools/usetools/registry/backend/internal/procgroup"

// Adopt makes this program the parent of processes that stdio servers and local programs leave
// behind when they end. This works on Linux (PR_SET_CHILD_SUBREAPER); elsewhere it does nothing.
// release ends these processes; call it last.
//
// Call it only from main functions, because it adopts the orphans of every process that this
// process starts.
func Adopt() (release func()) { return procgroup.Adopt() }
