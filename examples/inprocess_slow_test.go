//go:build slow

package examples

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/usetools/usetools/examples/compare/ways"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// The way that the harness does not offer: scripts run by the interpreter in
// the process that has the connections, with nothing around it. It is measured
// here only, for the table in README.md.

// inProcess is the place of its column in the table.
const inProcess = 3

// withInProcess returns the table of res as Markdown, with the column of
// scripts in process: ms are the times of the tasks, faults what became of the
// process.
func withInProcess(res *ways.Comparison, ms []float64, faults []string) string {
	rows := res.Rows()
	cells := []string{"script in process", rows[1][inProcess]} // the same tool, the same instructions
	for i := range res.Tasks {
		tokens, _, _ := strings.Cut(rows[2+i][inProcess], ", ") // the same script
		cells = append(cells, fmt.Sprintf("%s, %d turns, %.0f ms", tokens, res.Tasks[i].Costs[2].Turns, ms[i]))
	}
	cells = append(cells, faults...)
	var b strings.Builder
	broken := strings.NewReplacer(" tokens, ", " tokens<br>", "; ", ";<br>", "** and ", "**<br>and ")
	for i, row := range rows {
		row = slices.Insert(row, inProcess, cells[i])
		b.WriteString("| " + broken.Replace(strings.Join(row, " | ")) + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}

// interpret makes the calls of a task from a script that the interpreter runs
// in this process.
func interpret(ctx context.Context, to catalog.Caller, waves [][]ways.Call) error {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"codemode\"\n\nvar waves = [][][3]string{\n")
	for _, wave := range waves {
		b.WriteString("\t{")
		for _, c := range wave {
			fmt.Fprintf(&b, "{%q, %q, %q}, ", c.Server, c.Tool, c.Args)
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
		_, err := to.Call(ctx, server, &backend.Request{Tool: tool, Args: registry.ReadArgs([]byte(args))})
		return err
	})}}); err != nil {
		return err
	}
	_, err := i.EvalWithContext(ctx, b.String())
	return err
}

// leastMs returns the shortest of three times that f takes, in ms.
func leastMs(t *testing.T, f func() error) float64 {
	t.Helper()
	var took []time.Duration
	for range 3 {
		begin := time.Now()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	return float64(slices.Min(took).Microseconds()) / 1000
}

const (
	// hostVariable makes this program a host of scripts.
	hostVariable = "USETOOLS_EXAMPLES_HOST"
	// hostBytes is what a host may take before it gives up: what would take all
	// memory is not tried to the end. hostFull is its exit code then.
	hostBytes = 1 << 30
	hostFull  = 3
)

// This program is a host instead of its tests where a test starts it as one.
func init() {
	if os.Getenv(hostVariable) != "" {
		host()
		os.Exit(0)
	}
}

// hostRequest is a line that a host reads; it answers each with a JSON string,
// the error.
type hostRequest struct {
	Script   string
	Deadline time.Duration
}

// host runs scripts in this process, as a program does that calls the
// interpreter and has nothing around it. It ends when stdin does, or by what a
// script does.
func host() error {
	go func() {
		for range time.Tick(2 * time.Millisecond) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.Sys > hostBytes {
				os.Exit(hostFull)
			}
		}
	}()
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r hostRequest
		if err := in.Decode(&r); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), r.Deadline)
		_, err := interp.New(interp.Options{Stdout: io.Discard, Stderr: io.Discard}).EvalWithContext(ctx,
			"package main\nfunc main() {\n"+r.Script+"\n}")
		cancel()
		said := ""
		if err != nil {
			said = err.Error()
		}
		if err := out.Encode(said); err != nil {
			return err
		}
	}
}

// faultInHost returns what a script does to a host, and whether that still runs
// scripts.
func faultInHost(t *testing.T, f ways.Fault) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), hostVariable+"=1")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	answers := bufio.NewReader(out)
	try := func(script string, deadline time.Duration) (string, error) {
		if err := json.NewEncoder(in).Encode(hostRequest{script, deadline}); err != nil {
			return "", err
		}
		line, err := answers.ReadBytes('\n')
		if err != nil {
			return "", err
		}
		var said string
		return said, json.Unmarshal(line, &said)
	}
	const nothing = "_ = 1"
	if said, err := try(nothing, 20*time.Second); err != nil || said != "" {
		t.Fatalf("a host of scripts does not start: %q, %v", said, err)
	}
	begin := time.Now()
	said, err := try(f.Script, f.Deadline)
	after := fmt.Sprintf(" after %d ms", time.Since(begin).Milliseconds())
	if err != nil {
		in.Close()
		cmd.Wait() // its exit code is what counts
		if code := cmd.ProcessState.ExitCode(); code != hostFull {
			return fmt.Sprintf("**the host dies**, exit code %d", code)
		}
		return "**the host has 1,024 MB" + after + "** and nothing stops it"
	}
	said = strings.TrimPrefix(said, "context ") + after
	if again, err := try(nothing, 20*time.Second); err != nil || again != "" {
		return said + "; the next script fails"
	}
	return said + "; the next script runs"
}
