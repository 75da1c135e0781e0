package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// workerMark in the environment makes the test binary a worker that runs
// scripts.
const workerMark = "ORACLE_RUNS_SCRIPTS"

func TestMain(m *testing.M) {
	if os.Getenv(workerMark) != "" {
		serve(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// A task is one script for a worker: its file, and where to put what it prints.
type task struct {
	Script, Stdout string
	Together       bool // what it prints to stderr goes there too
}

// serve runs one script after the other and answers each with its outcome,
// unless the script ends the process.
func serve(from io.Reader, to io.Writer) {
	tasks := json.NewDecoder(from)
	os.Stdin, _ = os.Open(os.DevNull) // a script must not read the tasks
	for {
		var k task
		if err := tasks.Decode(&k); err != nil {
			return
		}
		src, err := os.ReadFile(k.Script)
		if err != nil {
			panic(err)
		}
		stdout, err := os.Create(k.Stdout)
		if err != nil {
			panic(err)
		}
		os.Stdout = stdout
		stderr := os.Stderr
		if k.Together {
			stderr = stdout
		}
		log.SetFlags(log.LstdFlags) // what the script before set
		log.SetPrefix("")
		log.SetOutput(os.Stderr)
		o := runScript(src, stdout, stderr)
		stdout.Close()
		answer, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(to, "%s\n", answer)
	}
}

const tooSlowHere = "too slow"

// maxTasks is how many scripts one worker runs, so that what a script leaves
// behind does not add up.
const maxTasks = 100

// subject runs scripts in a worker, which it starts again when it has died.
type subject struct {
	dir     string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	answers *bufio.Reader
	stderr  *bytes.Buffer
	done    int
	limit   time.Duration // of one script
}

func newSubject(t testing.TB) *subject {
	s := &subject{dir: t.TempDir(), limit: tooSlow}
	t.Cleanup(s.stop)
	return s
}

func (s *subject) start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	s.cmd = exec.Command(exe)
	s.cmd.Env = append(os.Environ(), workerMark+"=1")
	s.stderr = &bytes.Buffer{}
	s.cmd.Stderr = s.stderr
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.answers, s.done = bufio.NewReader(stdout), 0
	return s.cmd.Start()
}

func (s *subject) stop() {
	if s.cmd != nil {
		s.stdin.Close()
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.cmd = nil
	}
}

// run returns the outcome of one script.
func (s *subject) run(src string) (outcome, error) { return s.do(src, task{}) }

func (s *subject) do(src string, k task) (outcome, error) {
	if s.done == maxTasks || strings.Contains(src, `"encoding/gob"`) { // which numbers the types of a process
		s.stop()
	}
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return outcome{}, err
		}
	}
	k.Script, k.Stdout = filepath.Join(s.dir, "script.go"), filepath.Join(s.dir, "stdout")
	if err := os.WriteFile(k.Script, []byte(src), 0o644); err != nil {
		return outcome{}, err
	}
	os.Remove(k.Stdout)
	if err := json.NewEncoder(s.stdin).Encode(k); err != nil {
		return outcome{}, fmt.Errorf("sending to the worker: %w\n%s", err, s.stderr)
	}
	s.done++
	slow := time.AfterFunc(s.limit, func() { s.cmd.Process.Kill() })
	line, err := s.answers.ReadBytes('\n')
	inTime := slow.Stop()
	var o outcome
	if err == nil {
		err = json.Unmarshal(line, &o)
	} else {
		o = s.death(inTime)
		err = nil
	}
	stdout, _ := os.ReadFile(k.Stdout)
	o.Stdout = string(stdout)
	return o, err
}

// death says what a worker died of that gave no answer: os.Exit, a fatal error,
// or the deadline.
func (s *subject) death(inTime bool) outcome {
	s.cmd.Wait()
	state := s.cmd.ProcessState
	o := outcome{Exit: state.ExitCode()}
	s.cmd = nil
	stderr := s.stderr.String()
	switch {
	case !inTime:
		o.Broken = tooSlowHere
	case strings.Contains(stderr, "goroutine "):
		o.Broken = "the worker died: " + firstOf(stderr, "fatal error: ", "panic: ")
	case o.Exit < 0:
		o.Broken = "the worker died: " + state.String()
	}
	return o
}

// firstOf returns the first line with one of the beginnings.
func firstOf(text string, beginnings ...string) string {
	for line := range strings.Lines(text) {
		for _, b := range beginnings {
			if strings.HasPrefix(line, b) {
				return strings.TrimSpace(line)
			}
		}
	}
	return text[:min(len(text), 200)]
}
