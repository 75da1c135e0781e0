//go:build unix

package procgroup

import (
	"crypto/rand"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Start starts the command in a process group of its own (ownGroup), which ends
// with this program (guardGroup). release is to be called when the command has
// been waited for.
func Start(cmd *exec.Cmd) (release func(), err error) {
	ownGroup(cmd)
	started.Lock()
	defer started.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	started.pids[pid] = true
	unguard := guardGroup(cmd)
	return func() {
		unguard()
		started.Lock()
		defer started.Unlock()
		delete(started.pids, pid)
	}, nil
}

// started are the processes that Start started and that are not yet waited for.
var started = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// ownGroup makes the command start in a process group of its own, so that what it
// starts can be ended with it, and so that the terminal's Ctrl-C reaches this
// program first. What leaves the group is known by its environment. Call it
// before Start, when cmd.Env is complete.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	token := program() + "." + strconv.FormatInt(count.Add(1), 10) + ";"
	cmd.Env = cmd.Environ()
	for _, v := range cmd.Env { // of a harness that started this one
		if around, ok := strings.CutPrefix(v, treeVariable+"="); ok {
			token = around + token
		}
	}
	cmd.Env = append(cmd.Env, treeVariable+"="+token)
}

// treeVariable says which commands a process comes from, outermost first: it is
// inherited by what calls setsid, too.
const treeVariable = "USETOOLS_TREE"

var (
	program = sync.OnceValue(rand.Text)
	count   atomic.Int64
)

// Terminate asks all processes of the group to end.
func Terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends all processes of the group and, on Linux, what has left it.
func Kill(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if _, token, ok := strings.Cut(cmd.Env[len(cmd.Env)-1], "="); ok {
		killTree(token)
	}
}
