package check

import "github.com/usetools/usetools/harness/internal/stack"

// Begin prepares what every check needs. A worker calls it while its script is still being sent.
func Begin(o *Options) {
	stack.Grow()
	units := newChecker(&Script{}, o).units
	for _, u := range units {
		if u.Host {
			_, _ = importCompiled(u, units) // a check reports the error again
		}
	}
}
