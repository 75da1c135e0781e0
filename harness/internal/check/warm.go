package check

// Begin checks what every check needs. A worker whose script is on its way does it
// meanwhile.
func Begin(o *Options) {
	units := newChecker(&Script{}, o).units
	for _, u := range units {
		if u.Host {
			_, _ = importCompiled(u, units) // its fault is met again by the check
		}
	}
}
