package procgroup

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxRounds is how often processes are looked for that one round has not found,
// because they were started or replaced meanwhile; maxEnviron how much of an
// environment is read, in bytes.
const (
	maxRounds  = 100
	maxEnviron = 4 << 20
)

// killTree ends the processes that have the token in their environment.
func killTree(token string) {
	mark := []byte(treeVariable + "=")
	buf := make([]byte, maxEnviron)
	for range maxRounds {
		found, replaced := false, false
		for _, p := range processes() {
			if p.zombie || p.pid == os.Getpid() {
				continue
			}
			env, whole := environ(p.pid, buf)
			replaced = replaced || !whole
			for v := range bytes.SplitSeq(env, []byte{0}) {
				if bytes.HasPrefix(v, mark) && bytes.Contains(v, []byte(token)) {
					found = syscall.Kill(p.pid, syscall.SIGKILL) == nil || found
				}
			}
		}
		switch {
		case found:
		case replaced:
			time.Sleep(time.Millisecond)
		default:
			return
		}
	}
}

// environ is the environment of a process, nil where it may not be read. whole is
// false while the process is replaced by another program (execve): it has no
// environment then, and gets one. buf is read into.
func environ(pid int, buf []byte) (env []byte, whole bool) {
	const endCode, envStart = 27 - 3, 50 - 3 // proc_pid_stat(5)
	before := stat(pid)
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, true
	}
	defer f.Close()
	n, err := f.Read(buf) // at once: a second read might meet another program
	if n > 0 || err != io.EOF {
		return buf[:n], true
	}
	after := stat(pid)
	if len(before) <= envStart || len(after) <= envStart {
		return nil, true // it has ended
	}
	// The kernel says where the code of a program ends when it has set the rest up;
	// another program has its environment elsewhere.
	return nil, after[endCode] != "0" && before[envStart] == after[envStart]
}

// stat is /proc/PID/stat from the third field, the state, on; nil when the process
// has ended.
func stat(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// 17 (a name, perhaps with parentheses) S 1 17 17 …
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// A proc is a process as /proc/PID/stat has it.
type proc struct {
	pid, parent, group, session int
	zombie                      bool
}

// processes lists all that can be seen, without the threads of the kernel, which have
// no environment and end by themselves.
func processes() []proc {
	const flags, kernelThread = 9 - 3, 0x00200000 // proc_pid_stat(5)
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		f := stat(pid)
		if len(f) <= flags {
			continue // it has ended
		}
		if bits, _ := strconv.ParseUint(f[flags], 10, 64); bits&kernelThread != 0 {
			continue
		}
		p := proc{pid: pid, zombie: f[0] == "Z"}
		p.parent, _ = strconv.Atoi(f[1])
		p.group, _ = strconv.Atoi(f[2])
		p.session, _ = strconv.Atoi(f[3])
		list = append(list, p)
	}
	return list
}

// Adopt makes this program the parent of what its servers and programs leave
// behind, instead of init, for good. release ends what has called setsid, whatever
// environment it has; what has not is ended by Kill. Call release when everything
// else has ended.
//
// It is for whole programs: it takes the orphans of all that the process starts.
func Adopt() (release func()) {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return func() {}
	}
	before := map[int]bool{} // children of who became this program by exec
	started.Lock()
	for _, p := range orphans() {
		before[p.pid] = true
	}
	started.Unlock()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	over := make(chan struct{})
	var reaper sync.WaitGroup
	reaper.Go(func() { reap(ended, over) })
	return sync.OnceFunc(func() {
		signal.Stop(ended)
		close(over)
		reaper.Wait()
		endOrphans(before)
	})
}

// reapEvery is how often orphans that ended are looked for, at most.
const reapEvery = time.Second

// reap waits for orphans that have ended, which init would do otherwise. The list of all
// processes is read only if a child that has ended is still there some time later, since
// others are waited for at once.
func reap(ended <-chan os.Signal, over <-chan struct{}) {
	for {
		select {
		case <-ended:
		case <-over:
			return
		}
		select {
		case <-time.After(reapEvery):
		case <-over:
			return
		}
		var child unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &child, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != nil || child.Signo == 0 {
			continue
		}
		started.Lock()
		for _, p := range orphans() {
			if p.zombie {
				syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
			}
		}
		started.Unlock()
	}
}

// orphans are the children of this process that have called setsid and that it has
// not started. started is locked, so that none of Start's is missing there; other
// children are workers, which cannot call setsid, and what nobody has to fear.
func orphans() []proc {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // it has no children at all, and the list of all processes need not be read
	}
	var list []proc
	session, _ := unix.Getsid(0)
	for _, p := range processes() {
		if p.parent == os.Getpid() && p.session != session && !started.pids[p.pid] {
			list = append(list, p)
		}
	}
	return list
}

// endOrphans kills the orphans but those in spare, and those that they leave.
func endOrphans(spare map[int]bool) {
	for late := time.Now().Add(2 * time.Second); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		left := false
		started.Lock()
		for _, p := range orphans() {
			if spare[p.pid] {
				continue
			}
			left = true
			syscall.Kill(p.pid, syscall.SIGKILL)
			syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
		started.Unlock()
		if !left {
			return
		}
	}
}
