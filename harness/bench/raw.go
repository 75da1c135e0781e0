package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/traefik/yaegi/interp"
)

// interpret makes calls from a script that the interpreter runs in this
// process, as programs do that put nothing around it.
func (c *compare) interpret(waves [][]*made) error {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"codemode\"\n\nvar waves = [][][3]string{\n")
	for _, wave := range waves {
		b.WriteString("\t{")
		for _, m := range wave {
			fmt.Fprintf(&b, "{%q, %q, %q}, ", m.server, m.tool, m.args)
		}
		b.WriteString("},\n")
	}
	b.WriteString(`}

func call(c [3]string, done chan error) { done <- codemode.Call(c[0], c[1], c[2]) }

func main() {
	for _, wave := range waves {
		done := make(chan error)
		for _, c := range wave {
			go call(c, done)
		}
		for range wave {
			if err := <-done; err != nil {
				panic(err)
			}
		}
	}
}
`)
	i := interp.New(interp.Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	if err := i.Use(interp.Exports{"codemode/codemode": {"Call": reflect.ValueOf(func(server, tool, args string) error {
		_, err := c.calls.next.Call(c.ctx, server, tool, json.RawMessage(args))
		return err
	})}}); err != nil {
		return err
	}
	_, err := i.EvalWithContext(c.ctx, b.String())
	return err
}

// faulty are scripts that go wrong.
var faulty = []struct {
	what, script string
	deadline     time.Duration
}{
	{"a script takes all memory", "var all [][]byte\nfor { all = append(all, make([]byte, 1<<22)) }", 20 * time.Second},
	{"a script never ends", "for n := 0; ; n++ { }", time.Second},
	{"a script panics in a goroutine", "go func() { panic(\"lost\") }()\nselect {}", 20 * time.Second},
}

// sound is how long a host may take for a script that does nothing, where the
// machine is busy.
const sound = 20 * time.Second

// faults tries each of the faulty scripts in a host of its own, and here.
func (c *compare) faults() ([]Fault, error) {
	var out []Fault
	for _, f := range faulty {
		c.Progress(f.what)
		raw, err := c.inHost(f.script, f.deadline)
		if err != nil {
			return nil, err
		}
		here, err := c.inWorker(f.script, f.deadline)
		if err != nil {
			return nil, err
		}
		out = append(out, Fault{f.what, raw, here})
	}
	return out, nil
}

// inWorker tells how the harness takes a script, and whether it still serves.
func (c *compare) inWorker(script string, deadline time.Duration) (string, error) {
	begin := time.Now()
	res, err := c.scripts.CallTool(c.ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script, "timeout_ms": deadline.Milliseconds()}})
	if err != nil {
		return "", err
	}
	took := time.Since(begin)
	var a struct{ Status string }
	b, err := json.Marshal(res.StructuredContent)
	if err != nil || json.Unmarshal(b, &a) != nil || !res.IsError {
		return "", fmt.Errorf("a faulty script gave no status: %s", textOf(res))
	}
	said := fmt.Sprintf("`%s` after %s", a.Status, brief(took))
	if _, err := c.execute("Return(1)"); err != nil {
		return said + "; the next script fails", nil
	}
	return said + "; the next script runs", nil
}

// guard is what a host of scripts may take before it gives up, in bytes: what
// would take all memory is not tried to the end. hostFull is its exit code then.
const (
	guard    = 1 << 30
	hostFull = 3
)

// hostRequest and hostAnswer are the lines that a host reads and writes.
type hostRequest struct {
	Script    string `json:"script"`
	TimeoutMs int64  `json:"timeout_ms"`
}

type hostAnswer struct {
	Error string `json:"error"`
}

// Host runs scripts in this process, a line of JSON each, as a program does
// that calls the interpreter and has nothing around it. It ends when in does,
// or by what a script does. It exists to be measured.
func Host(in io.Reader, out io.Writer, exit func(int)) error {
	go func() {
		for range time.Tick(2 * time.Millisecond) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.Sys > guard {
				exit(hostFull)
			}
		}
	}()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var r hostRequest
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.TimeoutMs)*time.Millisecond)
		_, err = interp.New(interp.Options{Stdout: io.Discard, Stderr: io.Discard}).EvalWithContext(ctx, "package main\nfunc main() {\n"+r.Script+"\n}")
		cancel()
		a := hostAnswer{}
		if err != nil {
			a.Error = err.Error()
		}
		if err := json.NewEncoder(out).Encode(a); err != nil {
			return err
		}
	}
}

// inHost tells what a script does to a host, and whether that still serves.
func (c *compare) inHost(script string, deadline time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Host[0], c.Host[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	answers := bufio.NewReader(out)
	try := func(script string, deadline time.Duration) (string, time.Duration, error) {
		line, err := json.Marshal(hostRequest{script, deadline.Milliseconds()})
		if err != nil {
			return "", 0, err
		}
		begin := time.Now()
		if _, err := in.Write(append(line, '\n')); err != nil {
			return "", 0, err
		}
		text, err := answers.ReadBytes('\n')
		took := time.Since(begin)
		var a hostAnswer
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		return a.Error, took, err
	}
	end := func() int {
		in.Close()
		cmd.Wait() // its exit code is what counts
		return cmd.ProcessState.ExitCode()
	}
	if said, _, err := try("_ = 1", sound); err != nil || said != "" {
		end()
		return "", fmt.Errorf("a host of scripts does not start: %s", errors.Join(err, errors.New(said)))
	}
	said, took, err := try(script, deadline)
	if err != nil {
		switch code := end(); code {
		case hostFull:
			return fmt.Sprintf("**the host has %s MB after %s** and nothing stops it", thousands(guard>>20), brief(took)), nil
		default:
			return "**the host dies**, exit code " + strconv.Itoa(code), nil
		}
	}
	what := fmt.Sprintf("%s after %s", strings.TrimPrefix(said, "context "), brief(took))
	said, _, err = try("_ = 1", sound)
	end()
	if err != nil || said != "" {
		return what + "; the next script fails", nil
	}
	return what + "; the next script runs", nil
}

// brief is a duration as tables show it.
func brief(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
