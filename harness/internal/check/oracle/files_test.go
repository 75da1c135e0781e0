package oracle

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestScriptsOfSeveralFilesRunAsGoRunsThem runs the archives of testdata/files
// as scripts, and unpacked with go run.
func TestScriptsOfSeveralFilesRunAsGoRunsThem(t *testing.T) {
	needsGo(t)
	archives, err := filepath.Glob("testdata/files/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	s := newSubject(t)
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.run(string(src))
			if err != nil {
				t.Fatal(err)
			}
			if got.Refused != "" {
				t.Fatal("refused: ", got.Refused)
			}
			if d := difference(goRun(t, src), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// goRun builds and runs what an archive holds.
func goRun(t *testing.T, archive []byte) outcome {
	t.Helper()
	dir := t.TempDir()
	files := append(txtar.Parse(archive).Files, txtar.File{Name: "go.mod", Data: []byte("module script\n\ngo 1.26\n")})
	for _, f := range files {
		if err := write(filepath.Join(dir, f.Name), string(f.Data)); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", "script.exe", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(dir, "script.exe"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return outcome{Stdout: stdout.String(), Exit: cmd.ProcessState.ExitCode(), Panic: panicLine(stderr.String())}
}
