package harness

import "github.com/usetools/usetools/harness/internal/gotype"

// CheckTypes reports whether this build can make the types of scripts, which takes a
// Go release whose descriptors of types are known. The error names those that work;
// with it, scripts whose values need a type of their own are refused.
func CheckTypes() error { return gotype.Check() }
