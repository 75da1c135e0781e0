package procgroup

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// fled starts a process in a session of its own, whose parent is gone, and waits
// until it has said so. It holds the stdout of the command.
const fled = `(setsid %s &) ; exec cat`

const sleeper = `sh -c 'echo there; exec sleep 1000'`

func mustSetsid(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
}

// flee starts a command that has a process flee, and returns what is left of its
// stdout, which ends with the last of its processes.
func flee(t *testing.T, with string) (cmd *exec.Cmd, release func(), out *bufio.Reader) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	r.SetReadDeadline(time.Now().Add(time.Minute))
	cmd = exec.Command("/bin/sh", "-c", fmt.Sprintf(fled, with))
	cmd.Stdout = w
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	release, err = Start(cmd)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	out = bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "there\n" {
		t.Fatal(line, err)
	}
	return cmd, release, out
}

func mustEnd(t *testing.T, out io.Reader) {
	t.Helper()
	if rest, err := io.ReadAll(out); err != nil {
		t.Fatalf("somebody lives on: %q, %v", rest, err)
	}
}

func TestWhatCallsSetsidEndsWithItsCommand(t *testing.T) {
	mustSetsid(t)
	for _, how := range []string{"killed", "gone already"} {
		t.Run(how, func(t *testing.T) {
			other, releaseOther, others := flee(t, sleeper)
			defer func() {
				Kill(other)
				other.Wait()
				releaseOther()
				mustEnd(t, others)
			}()
			cmd, release, out := flee(t, sleeper)
			if how == "gone already" {
				cmd.Process.Kill()
				cmd.Wait()
				Kill(cmd)
			} else {
				Kill(cmd)
				cmd.Wait()
			}
			release()
			mustEnd(t, out)
		})
	}
}

// A process has no environment to be read while it is replaced by another program.
func TestWhatIsBeingReplacedEndsWithItsCommand(t *testing.T) {
	mustSetsid(t)
	restless := filepath.Join(t.TempDir(), "restless")
	if err := os.WriteFile(restless, []byte("#!/bin/sh\nexec \"$0\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		cmd, release, out := flee(t, "sh -c 'echo there; exec "+restless+"'")
		Kill(cmd)
		cmd.Wait()
		release()
		mustEnd(t, out)
	}
}

func TestWhatHidesEndsWithTheProgram(t *testing.T) {
	mustSetsid(t)
	end := Adopt()
	cmd, release, out := flee(t, "env -i "+sleeper)
	Kill(cmd)
	cmd.Wait()
	release()
	end()
	mustEnd(t, out)
}

func TestOrphansThatHaveEndedAreReaped(t *testing.T) {
	mustSetsid(t)
	end := Adopt()
	defer end()
	cmd := exec.Command("/bin/sh", "-c", "(setsid sh -c 'exit 3' &) ; exec cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	release, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("its own child is not left to it: %v", err)
	}
	for late := time.Now().Add(time.Minute); ; {
		started.Lock()
		left := orphans()
		started.Unlock()
		if len(left) == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("left: %+v", left)
		}
	}
}
