package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bombs take memory without end, in the ways that scripts have.
var bombs = map[string]func(){
	"slice": func() {
		for s := []int(nil); ; s = append(s, len(s)) {
			kept = s
		}
	},
	"slices": func() {
		for keep := [][]byte(nil); ; kept = keep {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			keep = append(keep, b)
		}
	},
	"map": func() {
		for i, m := 0, map[int]int{}; ; i++ {
			m[i] = i
		}
	},
	"string": func() {
		for s := "ab"; ; s += s {
		}
	},
	"goroutines": func() {
		forever := make(chan int)
		for {
			go func() { <-forever }()
		}
	},
	"channel": func() {
		for keep := []chan [1 << 15]byte(nil); ; kept = keep {
			c := make(chan [1 << 15]byte, 64)
			c <- [1 << 15]byte{1}
			keep = append(keep, c)
		}
	},
	"pointers": func() {
		type node struct {
			next *node
			_    [40]byte
		}
		for n := (*node)(nil); ; {
			n = &node{next: n}
		}
	},
	"one huge slice": func() {
		b := make([]byte, 64<<30)
		fmt.Fprintln(os.Stderr, "it was given", len(b))
	},
	"busy goroutines": func() {
		for range 8 {
			go func() {
				m := map[string]int{}
				for i := 0; ; i++ {
					m[strings.Repeat("x", 1000+i)] = i
				}
			}()
		}
		select {}
	},
}

// kept keeps the compiler and the garbage collector from seeing through it.
var kept any

// bomb is which one goes off, and in what.
type bomb struct {
	Name   string
	Config *Config
}

func init() {
	parts["bomb"] = func(arg json.RawMessage) error {
		var b bomb
		if err := json.Unmarshal(arg, &b); err != nil {
			return err
		}
		if _, err := Apply(b.Config); err != nil {
			return err
		}
		fmt.Println("locked")
		bufio.NewReader(os.Stdin).ReadString('\n')
		bombs[b.Name]()
		return errors.New("the bomb did not go off")
	}
}

// mustBeOutOfMemory checks the end of a process that took more memory than
// limit.
func mustBeOutOfMemory(t *testing.T, c *talk, stderr *beginning, limit int64) {
	t.Helper()
	begin := time.Now()
	fmt.Fprintln(c.in, "go off")
	err := c.Wait()
	peak := peakMemory(c.cmd.ProcessState)
	t.Logf("peak %d MiB of %d, %v, %v of CPU time, %v", peak>>20, limit>>20,
		time.Since(begin).Round(time.Millisecond), cpuTime(c.cmd.ProcessState), err)
	if code := c.cmd.ProcessState.ExitCode(); !OutOfMemory(code, stderr.String()) {
		t.Errorf("it is not seen that memory ended: exit code %d, %.2000s", code, stderr)
	}
	if peak > limit+32<<20 {
		t.Errorf("peak %d bytes, at most %d are allowed", peak, limit+32<<20)
	}
}

// beginning is what a process writes first, as much as a parent keeps of it: on
// a busy machine the kernel's limit can be met before the process looks, and
// then the runtime traces every goroutine.
type beginning struct{ strings.Builder }

func (b *beginning) Write(p []byte) (int, error) {
	b.Builder.Write(p[:min(len(p), 64<<10-b.Len())])
	return len(p), nil
}

// peakMemory is the peak of resident memory, in bytes. The kernel counts that
// of the parent when it started the process too, so it is the larger of both.
func peakMemory(state *os.ProcessState) int64 {
	return state.SysUsage().(*syscall.Rusage).Maxrss << 10
}

func cpuTime(state *os.ProcessState) time.Duration { return state.UserTime() + state.SystemTime() }

func TestMemoryBombsEndAtTheLimit(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's memory is not limited")
	}
	for _, name := range usedBombs {
		t.Run(name, func(t *testing.T) {
			const limit = 256 << 20
			cmd := command("bomb", bomb{name, &Config{Memory: limit}})
			var stderr beginning
			cmd.Stderr = &stderr
			c := begin(t, cmd, nil)
			c.line(t)
			mustBeOutOfMemory(t, c, &stderr, limit)
		})
	}
}

func TestTheDefaultMemoryIsALimitToo(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's memory is not limited")
	}
	cmd := command("bomb", bomb{"slices", nil})
	var stderr beginning
	cmd.Stderr = &stderr
	c := begin(t, cmd, nil)
	c.line(t)
	mustBeOutOfMemory(t, c, &stderr, 512<<20)
}

func TestALockedChildsMemoryCanBeNarrowed(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's memory is not limited")
	}
	const limit = 128 << 20
	cmd := command("bomb", bomb{"slices", nil})
	var stderr beginning
	cmd.Stderr = &stderr
	c := begin(t, cmd, nil)
	c.line(t)
	if err := c.Narrow(&Config{Memory: limit}); err != nil {
		t.Fatal(err)
	}
	if err := c.Narrow(nil); err != nil { // what is wider changes nothing
		t.Fatal(err)
	}
	mustBeOutOfMemory(t, c, &stderr, limit)
}

func TestStackBombsEnd(t *testing.T) {
	e := play(t, command("stack", nil))
	t.Logf("peak %d MiB", peakMemory(e.state)>>20)
	if e.code != 2 || !strings.Contains(e.stderr, "goroutine stack exceeds") {
		t.Error(e)
	}
	if peak := peakMemory(e.state); peak > 3*(128<<20) && !raceEnabled {
		t.Errorf("peak %d bytes", peak)
	}
}

func init() {
	parts["stack"] = func(json.RawMessage) error {
		if _, err := Apply(nil); err != nil {
			return err
		}
		var down func(int) int
		down = func(n int) int { return down(n+1) + 1 }
		return fmt.Errorf("it returned %d", down(0))
	}
	parts["spin"] = func(arg json.RawMessage) error {
		var s spin
		if err := json.Unmarshal(arg, &s); err != nil {
			return err
		}
		c := &Config{CPU: s.CPU}
		switch s.Then {
		case "its own code":
			c.OnCPU = func() { fmt.Println("told"); os.Exit(7) }
		case "stuck":
			c.OnCPU = func() { select {} }
		}
		if _, err := Apply(c); err != nil {
			return err
		}
		fmt.Println("locked")
		bufio.NewReader(os.Stdin).ReadString('\n')
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for i := 0; ; i++ {
				}
			}()
		}
		select {}
	}
}

type spin struct {
	CPU  time.Duration
	Then string
}

func TestCPUTimeIsLimited(t *testing.T) {
	for _, c := range []struct {
		name   string
		spin   spin
		narrow *Config
		code   int
		signal syscall.Signal
	}{
		{"the default exit code", spin{CPU: time.Second}, nil, ExitCPU, 0},
		{"an exit code of one's own", spin{CPU: time.Second, Then: "its own code"}, nil, 7, 0},
		{"killed when stuck", spin{CPU: time.Second, Then: "stuck"}, nil, -1, syscall.SIGKILL},
		{"narrowed from outside", spin{}, &Config{CPU: time.Second}, ExitCPU, 0},
	} {
		if !slices.Contains(usedSpins, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			child := begin(t, command("spin", c.spin), nil)
			child.line(t)
			if c.narrow != nil {
				if err := child.Narrow(c.narrow); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintln(child.in, "go")
			child.Wait()
			t.Logf("%v of CPU time", cpuTime(child.cmd.ProcessState))
			status := child.cmd.ProcessState.Sys().(syscall.WaitStatus)
			if status.ExitStatus() != c.code || c.signal != 0 && status.Signal() != c.signal {
				t.Errorf("it ended with %v, want code %d, %v", child.cmd.ProcessState, c.code, c.signal)
			}
		})
	}
}
