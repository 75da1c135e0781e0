package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must come; it is only used up
// when the test fails.
const patience = 30 * time.Second

// talk is a process that a test exchanges lines with.
type talk struct {
	*Child
	in  io.WriteCloser
	out *bufio.Reader
}

// begin starts a part by Start.
func begin(t testing.TB, cmd *exec.Cmd, c *Config) *talk {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	r.SetReadDeadline(time.Now().Add(patience))
	cmd.Stdout = w
	child, err := Start(cmd, c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Kill(); child.Wait() })
	return &talk{child, in, bufio.NewReader(r)}
}

// line reads a line.
func (c *talk) line(t testing.TB) string {
	t.Helper()
	s, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("after %q: %v", s, err)
	}
	return strings.TrimSpace(s)
}

// end waits until nobody is left who could write.
func (c *talk) end(t testing.TB) {
	t.Helper()
	if rest, err := io.ReadAll(c.out); err != nil {
		t.Fatalf("somebody lives on: %v, after %q", err, rest)
	}
}

func init() {
	// echo answers lines until its input ends. Locked or not as told.
	parts["echo"] = func(arg json.RawMessage) error {
		var c *Config
		if err := json.Unmarshal(arg, &c); err != nil {
			return err
		}
		if c != nil {
			if _, err := Apply(c); err != nil {
				return err
			}
		}
		fmt.Println("ready")
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Println(in.Text())
		}
		return nil
	}
	// family has a child that answers lines, and ends when told.
	parts["family"] = func(json.RawMessage) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer w.Close()
		cmd := command("echo", nil)
		cmd.Stdin, cmd.Stdout = r, os.Stdout
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Process.Release()
		_, err = bufio.NewReader(os.Stdin).ReadString('\n')
		return err
	}
}

func TestAChildIsKilledAndReaped(t *testing.T) {
	c := begin(t, command("echo", nil), nil)
	c.line(t)
	c.Kill()
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) {
		t.Errorf("a killed child ended with %v", err)
	}
	c.end(t)
	if c.Wait() == nil {
		t.Error("the second Wait forgot how the child ended")
	}
	c.Kill() // its number may be somebody else's by now
}

func TestAChildEndsByItself(t *testing.T) {
	c := begin(t, command("echo", nil), nil)
	c.line(t)
	c.in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

func TestStartRefusesNonsenseAndReportsWhatCannotBeStarted(t *testing.T) {
	if _, err := Start(command("echo", nil), &Config{Policy: "x"}); err == nil {
		t.Error("a policy that there is not")
	}
	if _, err := Start(exec.Command(t.TempDir()+"/nothing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that there is not: %v", err)
	}
}
