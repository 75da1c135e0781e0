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

// guardScript reads the numbers of process groups, and ends the groups when its input ends
// because the program at the other end of the pipe is gone. If there is a /proc, it also finds
// processes that left their group, by the name of this program, which is the argument.
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

// guardGroup ensures that the group of a started command ends within a second if this program
// dies without ending it, for example by SIGKILL. PR_SET_PDEATHSIG, by which Linux signals a
// child, is not enough: the child is often npx or sh, and the server is its child.
//
// Call release when the group has ended. Without a shell, the group has no guard.
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
	fmt.Fprintf(guard.stdin, "+ %s\n", group) // has no effect if the guard is gone
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
