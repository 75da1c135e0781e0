// Package built gives tests the programs of this module.
package built

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var paths sync.Map // of the programs, by package

// Program returns the path of a program of this module, such as "cmd/harness". Go's build
// cache keeps it, so that it is linked only once.
func Program(t testing.TB, pkg string) string {
	t.Helper()
	if path, ok := paths.Load(pkg); ok {
		return path.(string)
	}
	echo := "echo"
	if runtime.GOOS == "windows" {
		echo = "cmd /c echo"
	}
	for range 2 { // the run that links the program removes its own copy
		cmd := exec.Command("go", "run", "-ldflags=-s -w", "-exec="+echo, "github.com/usetools/usetools/"+pkg)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("building %s: %v", pkg, err)
		}
		path := strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			paths.Store(pkg, path)
			return path
		}
	}
	t.Fatalf("building %s: it is not in the build cache", pkg)
	return ""
}
