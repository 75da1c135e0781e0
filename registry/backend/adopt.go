package backend

import "github.com/usetools/usetools/registry/backend/internal/procgroup"

// Adopt makes this program the parent of what stdio servers and local programs
// leave behind when they end, as Linux lets a program do (PR_SET_CHILD_SUBREAPER);
// elsewhere it does nothing. release ends all of that; call it last.
//
// It is for main functions: it takes the orphans of whatever the process starts.
func Adopt() (release func()) { return procgroup.Adopt() }
