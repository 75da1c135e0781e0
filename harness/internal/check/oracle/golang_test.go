package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// standIn is the name that a program's package has on Go's side: a package
// named main cannot be imported. Its length is that of main, so that widths and
// lengths of printed type names are right too.
const standIn = "mian"

var (
	packageClause = regexp.MustCompile(`(?m)^package main\b`)
	mainFunc      = regexp.MustCompile(`(?m)^func main\(\)`)
	brokenPackage = regexp.MustCompile(`(?m)^p(\d+)/[\w-]+\.go:(.*)$`)
)

// goOutcomes compiles all programs into one binary and runs each in a process.
// A program that does not compile is refused, by Go.
func goOutcomes(t testing.TB, programs []string) []outcome {
	t.Helper()
	out := make([]outcome, len(programs))
	var good []int
	for i := range programs {
		good = append(good, i)
	}
	dir := t.TempDir()
	for {
		stderr, err := goBuild(dir, programs, good)
		if err == nil {
			break
		}
		bad := brokenPackage.FindAllStringSubmatch(stderr, -1)
		if len(bad) == 0 {
			t.Fatalf("go build: %v\n%s", err, stderr)
		}
		for _, m := range bad {
			var i int
			fmt.Sscan(m[1], &i)
			out[i].Refused += m[2] + "\n"
		}
		good = good[:0]
		for i := range programs {
			if out[i].Refused == "" {
				good = append(good, i)
			}
		}
	}
	for _, i := range good {
		out[i] = runGo(filepath.Join(dir, "all.exe"), i)
	}
	return out
}

// goBuild writes and compiles a module with a package for each program, and
// returns what the compiler says.
func goBuild(dir string, programs []string, good []int) (string, error) {
	var imports, cases strings.Builder
	for _, i := range good {
		p := fmt.Sprintf("p%d", i)
		for _, f := range filesOf(programs[i]) {
			if f.name == "go.mod" {
				continue
			}
			src := packageClause.ReplaceAllString(f.text, "package "+standIn)
			src = mainFunc.ReplaceAllString(src, "func Main()")
			if err := write(filepath.Join(dir, p, f.name), src); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(&imports, "%s %q\n", p, "oracle/"+p)
		fmt.Fprintf(&cases, "case %q:\n%s.Main()\n", fmt.Sprint(i), p)
	}
	main := fmt.Sprintf("package main\n\nimport (\n\"os\"\n%s)\n\nfunc main() {\nswitch os.Args[1] {\n%s}\n}\n", &imports, &cases)
	if err := errors.Join(write(filepath.Join(dir, "main.go"), main), write(filepath.Join(dir, "go.mod"), "module oracle\n\ngo 1.26\n")); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-gcflags=-e", "-o", "all.exe", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	return stderr.String(), err
}

// A sourceFile is a file of a program.
type sourceFile struct {
	name, text string
	at         int // where the text begins in the program
}

var marker = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// filesOf returns the files of a program that is an archive, or its one file.
func filesOf(program string) []sourceFile {
	if !strings.HasPrefix(program, "-- ") {
		return []sourceFile{{"p.go", program, 0}}
	}
	var out []sourceFile
	marks := marker.FindAllStringSubmatchIndex(program, -1)
	for i, m := range marks {
		end := len(program)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, sourceFile{program[m[2]:m[3]], program[m[1]:end], m[1]})
	}
	return out
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func runGo(binary string, number int) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), tooSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, fmt.Sprint(number))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	o := outcome{Stdout: asMain(stdout.String()), Exit: cmd.ProcessState.ExitCode()}
	switch {
	case ctx.Err() != nil:
		o.Broken = "too slow in Go"
	case err != nil && o.Exit == 2:
		o.Panic = asMain(panicLine(stderr.String()))
	}
	return o
}

// typeArgument is how a type of a program prints inside a generic type's name.
var typeArgument = regexp.MustCompile(`oracle/p\d+\.`)

func asMain(s string) string {
	return typeArgument.ReplaceAllString(strings.ReplaceAll(s, standIn+".", "main."), "main.")
}

// tooSlow bounds a program, in Go and as a script. Programs of this package
// take milliseconds; a machine under load may take a hundred times longer, the
// race detector ten times that.
var tooSlow = map[bool]time.Duration{false: 20 * time.Second, true: 3 * time.Minute}[raceEnabled]

func needsGo(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("comparing with Go needs the go command: ", err)
	}
}
