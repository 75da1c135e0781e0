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

// Start starts the command in its own process group (ownGroup), which ends with this program
// (guardGroup). Call release after waiting for the command.
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

// started are the processes from Start that have not been waited for.
var started = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// ownGroup makes the command start in its own process group. So its children can be ended with
// it, and the terminal's Ctrl-C reaches this program first. Processes that leave the group are
// identified by their environment. Call ownGroup before Start, after setting cmd.Env.
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

// treeVariable lists the commands that a process descends from, outermost first. Processes that
// call setsid inherit it too.
const treeVariable = "USETOOLS_TREE"

var (
	program = sync.OnceValue(rand.Text)
	count   atomic.Int64
)

// Terminate asks all processes of the group to end.
func Terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends all processes of the group and, on Linux, descendants that left it.
func Kill(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if _, token, ok := strings.Cut(cmd.Env[len(cmd.Env)-1], "="); ok {
		killTree(token)
	}
}
