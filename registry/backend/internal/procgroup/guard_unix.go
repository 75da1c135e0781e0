//go:build unix

package procgroup

import (
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// guardScript keeps the numbers of process groups that it is told, and ends
// them when its input ends: when the program that holds the other end of the
// pipe is gone, however it went. What has left its group is found where there is
// a /proc, by the name of this program, which is the argument.
const guardScript = `
trap '' INT TERM HUP
groups=
while read -r op id; do
	case $op in
	+) groups="$groups $id" ;;
	-) rest=
	   for g in $groups; do [ "$g" = "$id" ] || rest="$rest $g"; done
	   groups=$rest ;;
	esac
done
[ -n "$groups" ] || exit 0
for g in $groups; do kill -TERM "-$g"; done
sleep 1
for g in $groups; do kill -KILL "-$g"; done
for p in /proc/[0-9]*; do grep -qs "USETOOLS_TREE=.*$1" "$p/environ" && kill -KILL "${p#/proc/}"; done
`

// guard is the shell that runs guardScript while there is a group to guard.
var guard struct {
	mu    sync.Mutex
	cmd   *exec.Cmd
	stdin io.WriteCloser
	held  int
}

// guardGroup sees to it that the group of a started command ends when this program
// dies without ending it, by SIGKILL say: a second later at most. That the
// kernel can tell a child (Linux, PR_SET_PDEATHSIG) does not do: the child is
// often npx or sh, and the server what it started.
//
// release is to be called when the group has ended. Where there is no shell,
// nothing is guarded.
func guardGroup(cmd *exec.Cmd) (release func()) {
	guard.mu.Lock()
	defer guard.mu.Unlock()
	if guard.held == 0 {
		sh := exec.Command("/bin/sh", "-c", guardScript, "sh", program())
		sh.Env, sh.Dir = []string{"PATH=/usr/bin:/bin"}, "/"
		sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		stdin, err := sh.StdinPipe()
		if err != nil {
			return func() {}
		}
		if err := sh.Start(); err != nil {
			stdin.Close()
			return func() {}
		}
		guard.cmd, guard.stdin = sh, stdin
	}
	guard.held++
	group := strconv.Itoa(cmd.Process.Pid)
	fmt.Fprintf(guard.stdin, "+ %s\n", group) // a guard that is gone guards nothing
	return sync.OnceFunc(func() {
		guard.mu.Lock()
		defer guard.mu.Unlock()
		fmt.Fprintf(guard.stdin, "- %s\n", group)
		if guard.held--; guard.held == 0 {
			guard.stdin.Close()
			guard.cmd.Wait()
		}
	})
}
