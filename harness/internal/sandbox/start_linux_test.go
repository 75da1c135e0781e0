package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

func TestWhatAChildStartedIsKilledWithIt(t *testing.T) {
	c := begin(t, command("family", nil), nil)
	c.line(t)
	c.Kill()
	c.Wait()
	c.end(t)
}

func TestWhatAChildLeavesBehindIsKilled(t *testing.T) {
	c := begin(t, command("family", nil), nil)
	c.line(t)
	fmt.Fprintln(c.in, "end")
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	c.end(t)
}

// orphan is how a parent starts the child that it leaves.
type orphan struct {
	Plain bool // by exec.Cmd alone
	Lock  bool
}

func init() {
	parts["leaving parent"] = func(arg json.RawMessage) error {
		var o orphan
		if err := json.Unmarshal(arg, &o); err != nil {
			return err
		}
		var config *Config
		if o.Lock {
			config = &Config{}
		}
		cmd := command("echo", config)
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		started := make(chan error)
		go func() {
			runtime.LockOSThread() // the thread ends with this goroutine
			if o.Plain {
				started <- cmd.Start()
				return
			}
			_, err := Start(cmd, nil)
			started <- err
		}()
		if err := <-started; err != nil {
			return err
		}
		<-time.After(time.Hour) // "select {}" would be a deadlock
		return nil
	}
}

func TestAChildDiesWithItsParentAndNotWithAThreadOfIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		how   orphan
		stays bool
	}{
		{"a locked child", orphan{Lock: true}, false},
		{"a child", orphan{}, false},
		{"a child that was not tied to it", orphan{Plain: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
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
			r.SetReadDeadline(time.Now().Add(patience))
			cmd := command("leaving parent", c.how)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = in, w, os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			child := &talk{in: feed, out: bufio.NewReader(r)}
			child.line(t)
			fmt.Fprintln(feed, "the thread is gone")
			if got := child.line(t); got != "the thread is gone" {
				t.Fatalf("got %q", got)
			}
			cmd.Process.Kill()
			cmd.Wait()
			if c.stays {
				fmt.Fprintln(feed, "so is the parent")
				if got := child.line(t); got != "so is the parent" {
					t.Fatalf("got %q", got)
				}
				feed.Close()
			}
			child.end(t)
			in.Close()
		})
	}
}

func TestAReportTellsTheTruthAboutEveryThread(t *testing.T) {
	mustHaveLayers(t)
	cmd := command("locked and waiting", nil)
	c := begin(t, cmd, nil)
	var r Report
	if err := json.Unmarshal([]byte(c.line(t)), &r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Report{Landlock: kernelABI(), Seccomp: true, Rlimits: true, NoNewPrivs: true}, r); d != "" {
		t.Error(d)
	}
	pid := cmd.Process.Pid
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) < 8 {
		t.Errorf("only %d threads, the test is to have more", len(tasks))
	}
	for _, task := range tasks {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, task.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"\nSeccomp:\t2\n", "\nNoNewPrivs:\t1\n"} {
			if !strings.Contains(string(status), want) {
				t.Errorf("thread %s lacks %q", task.Name(), want)
			}
		}
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Max cpu time 60 61", "Max core file size 0 0", "Max open files 64 64",
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), want) {
			t.Errorf("limits lack %q:\n%s", want, limits)
		}
	}
}

func init() {
	parts["locked and waiting"] = func(json.RawMessage) error {
		var ready sync.WaitGroup
		ready.Add(8)
		for range 8 {
			go func() { runtime.LockOSThread(); ready.Done(); select {} }()
		}
		ready.Wait()
		r, err := Apply(nil)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	}
}

func TestAHardenedParentIsClosedToItsUser(t *testing.T) {
	user := users()[len(users())-1]
	for _, harden := range []bool{false, true} {
		c := begin(t, user.become(command("hardened", harden)), nil)
		got := c.line(t)
		if want := map[bool]string{false: "open", true: "closed"}[harden]; got != want {
			t.Errorf("hardened %v: it is %q, want %q", harden, got, want)
		}
	}
}

func init() {
	parts["hardened"] = func(arg json.RawMessage) error {
		// Its end and the owner that /proc shows are what is seen of it.
		if string(arg) == "true" {
			if err := Harden(); err != nil {
				return err
			}
		}
		out, err := command("look at the parent", nil).Output()
		fmt.Printf("%s\n", out)
		return err
	}
	parts["look at the parent"] = func(json.RawMessage) error {
		if _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid())); err != nil {
			fmt.Print("closed")
		} else {
			fmt.Print("open")
		}
		return nil
	}
}

// mustHaveLayers skips a test where the kernel cannot lock.
func mustHaveLayers(t testing.TB) {
	t.Helper()
	if kernelABI() == 0 {
		lacking(t, "the kernel has no Landlock")
	}
}

// kernelABI is Landlock's, 0 where there is none.
func kernelABI() int {
	abi, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}
