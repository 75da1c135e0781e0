package sandbox

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// user is who runs a process.
type user struct {
	name string
	uid  int
}

// users are the one who runs the test and, if that is root, an ordinary one.
func users() []user {
	if os.Getuid() == 0 {
		return []user{{"root", 0}, {"ordinary user", 65534}}
	}
	return []user{{"ordinary user", os.Getuid()}}
}

// become makes a command run as the user.
func (u user) become(cmd *exec.Cmd) *exec.Cmd {
	if u.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.uid), Gid: uint32(u.uid)}}
	}
	return cmd
}

// answer runs a part and decodes what it printed.
func answer(t testing.TB, cmd *exec.Cmd, v any) {
	t.Helper()
	e := play(t, cmd)
	if e.code != 0 {
		t.Fatal(e)
	}
	if err := json.NewDecoder(strings.NewReader(e.stdout)).Decode(v); err != nil {
		t.Fatalf("%v: %v", err, e)
	}
}

// lacking skips a test where the machine lacks what it needs, unless the
// machine is said to have all: CI sets the variable so that no layer goes
// untested unnoticed.
func lacking(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("USETOOLS_SANDBOX_ALL") != "" {
		t.Errorf("USETOOLS_SANDBOX_ALL is set, but: "+format, args...)
	}
	t.Skipf(format, args...)
}
