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

// maxRounds is how often processes are searched for ones that a round missed because they were
// started or replaced meanwhile. maxEnviron bounds the environment that is read, in bytes.
const (
	maxRounds  = 100
	maxEnviron = 4 << 20
)

// killTree ends all processes with the token in their environment.
func killTree(token string) {
	mark := []byte(treeVariable + "=")
	buf := make([]byte, maxEnviron)
	for range maxRounds {
		found, replaced := false, false
		for _, p := range processes() {
			if p.zombie || p.pid == os.Getpid() {
				continue
			}
			env, complete := environ(p.pid, buf)
			replaced = replaced || !complete
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

// environ returns the environment of a process, or nil if it is not readable. complete is false
// while another program replaces the process (execve): it has no environment until that is done.
// buf is the buffer.
func environ(pid int, buf []byte) (env []byte, complete bool) {
	const endCode, envStart = 27 - 3, 50 - 3 // proc_pid_stat(5)
	before := stat(pid)
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, true
	}
	defer f.Close()
	n, err := f.Read(buf) // in one read, because a second one might see another program
	if n > 0 || err != io.EOF {
		return buf[:n], true
	}
	after := stat(pid)
	if len(before) <= envStart || len(after) <= envStart {
		return nil, true // it has ended
	}
	// The kernel sets the end of a program's code after everything else. A new program has its
	// environment at another address.
	return nil, after[endCode] != "0" && before[envStart] == after[envStart]
}

// stat returns the fields of /proc/PID/stat from the third one, the state, on. It returns nil if
// the process has ended.
func stat(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// 17 (a name, perhaps with parentheses) S 1 17 17 …
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// A proc is a process according to /proc/PID/stat.
type proc struct {
	pid, parent, group, session int
	zombie                      bool
}

// processes returns all visible processes. It omits kernel threads, which have no environment and
// end by themselves.
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

// Adopt makes this program, instead of init, the parent of processes that its servers and
// programs leave behind, permanently. release ends those that called setsid, whatever their
// environment; Kill ends the others. Call release after everything else has ended.
//
// Call it only from whole programs, because it adopts the orphans of every process that this
// process starts.
func Adopt() (release func()) {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return func() {}
	}
	before := map[int]bool{} // children of the program that became this one by exec
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

// reapEvery is the minimum interval between searches for ended orphans.
const reapEvery = time.Second

// reap waits for ended orphans, as init would otherwise. It reads the list of all processes only
// if an ended child still exists some time later, because other children are waited for at once.
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

// orphans returns the children of this process that called setsid and that Start did not start.
// The caller holds started, so that no process of Start is missing there. Other children are
// workers, which cannot call setsid, or harmless.
func orphans() []proc {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // without children, the list of all processes need not be read
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

// endOrphans kills the orphans that are not in spare, and the orphans that they leave.
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
