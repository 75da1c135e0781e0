package procgroup

import "strconv"

// Observe says what the processes with the given numbers do, which Start started,
// together with their descendants and their process groups; ok is false where that
// cannot be known. A process that is gone has done nothing.
func Observe(pids []int) (work map[int]Work, ok bool) {
	procs := map[int]proc{}
	for _, p := range processes() {
		procs[p.pid] = p
	}
	work = make(map[int]Work, len(pids))
	for _, pid := range pids {
		work[pid] = Work{}
	}
	for _, p := range procs {
		root, found := rootOf(p, procs, work)
		if !found {
			continue
		}
		w := work[root]
		w.Ticks += p.ticks
		w.Children = w.Children || p.pid != root && !p.zombie
		work[root] = w
	}
	return work, len(procs) > 0
}

// rootOf is which of the roots a process comes from.
func rootOf(p proc, procs map[int]proc, roots map[int]Work) (root int, found bool) {
	group := p.group
	for range len(procs) { // parents may change while the list is made
		if _, found = roots[p.pid]; found {
			return p.pid, true
		}
		parent, known := procs[p.parent]
		if !known {
			break
		}
		p = parent
	}
	_, found = roots[group] // its parent is gone
	return group, found
}

// ticks is a process's CPU time, with that of its children that were waited for.
func ticks(stat []string) (sum uint64) {
	const from, to = 14 - 3, 18 - 3 // utime, stime, cutime, cstime: proc_pid_stat(5)
	if len(stat) < to {
		return 0
	}
	for _, field := range stat[from:to] {
		n, _ := strconv.ParseUint(field, 10, 64)
		sum += n
	}
	return sum
}
