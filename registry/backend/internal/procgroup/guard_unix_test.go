//go:build unix

package procgroup

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// A stubborn server: several processes that answer lines and ignore SIGTERM.
const stubborn = `trap '' TERM; cat | cat; :`

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == "guarded" || os.Args[1] == "left alone") {
		script := stubborn
		if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" && os.Args[1] == "guarded" {
			script = "setsid sleep 1000 & " + stubborn
		}
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if os.Args[1] == "guarded" {
			guardGroup(cmd)
		}
		fmt.Fprintln(os.Stderr, cmd.Process.Pid)
		<-time.After(time.Hour)
	}
	os.Exit(m.Run())
}

func TestAGuardedGroupEndsWithItsProgram(t *testing.T) {
	for _, how := range []string{"guarded", "left alone"} {
		t.Run(how, func(t *testing.T) {
			in, feed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer feed.Close()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			r.SetReadDeadline(time.Now().Add(time.Minute))
			program := exec.Command(os.Args[0], how)
			program.Stdin, program.Stdout = in, w
			started, err := program.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			in.Close()
			w.Close()
			if _, err := bufio.NewReader(started).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			out := bufio.NewReader(r)
			say := func(line string) error {
				fmt.Fprintln(feed, line)
				got, err := out.ReadString('\n')
				if err == nil && got != line+"\n" {
					err = fmt.Errorf("got %q", got)
				}
				return err
			}
			if err := say("before"); err != nil {
				t.Fatal(err)
			}
			program.Process.Kill()
			program.Wait()
			if how == "left alone" {
				if err := say("after"); err != nil {
					t.Errorf("the server ends by itself, so the test says nothing: %v", err)
				}
				feed.Close()
			}
			if rest, err := out.ReadString(0); err == nil || len(rest) > 0 || os.IsTimeout(err) {
				t.Errorf("somebody lives on: %q, %v", rest, err)
			}
		})
	}
}

func TestTheGuardGoesWithTheLastGroup(t *testing.T) {
	var release []func()
	for range 3 {
		cmd := exec.Command("/bin/sh", "-c", "exec cat")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := guardGroup(cmd)
		release = append(release, func() { stdin.Close(); cmd.Wait(); done(); done() })
	}
	sh := guard.cmd
	for _, f := range release {
		if sh.ProcessState != nil {
			t.Fatal("the guard is gone before the last group")
		}
		f()
	}
	if sh.ProcessState == nil || !sh.ProcessState.Success() {
		t.Errorf("the guard: %v", sh.ProcessState)
	}
}
