package procgroup

import (
	"os/exec"
	"testing"
	"time"
)

func TestTheWorkOfAWholeTreeIsSeen(t *testing.T) {
	idle, busy := exec.Command("/bin/sh", "-c", "exec cat"),
		exec.Command("/bin/sh", "-c", "sh -c 'while :; do :; done' & exec cat")
	for _, cmd := range []*exec.Cmd{idle, busy} {
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		release, err := Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			Kill(cmd)
			cmd.Wait()
			release()
		}()
	}
	for late := time.Now().Add(time.Minute); ; {
		work, ok := Observe([]int{idle.Process.Pid, busy.Process.Pid})
		if !ok {
			t.Fatal("nothing is seen")
		}
		quiet, loud := work[idle.Process.Pid], work[busy.Process.Pid]
		if loud.Ticks > quiet.Ticks+20 && loud.Children && !quiet.Children {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("idle %+v, busy %+v", quiet, loud)
		}
	}
}
