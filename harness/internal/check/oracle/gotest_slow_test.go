//go:build slow

package oracle

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// verdicts of Go's tests, as testdata/gotest.txt has them.
const (
	right         = "right"   // as Go runs it
	refuse        = "refused" // not taken, with a position and a reason
	tooSlowToTell = "slow"    // no difference until the deadline, which Go meets: loops of millions of steps
	wrong         = "wrong"   // anything else: a difference
)

// TestGoTestsStayRight runs the files of GOROOT/test that begin "// run" as
// scripts. What testdata/gotest.txt calls right has to stay right; what it
// calls refused may become right; and nothing may be wrong that it does not
// call wrong.
func TestGoTestsStayRight(t *testing.T) {
	dir := filepath.Join(goroot(t), "test")
	files := runFiles(t, dir)
	if len(files) == 0 {
		t.Skipf("this Go installation has no tests in %s", dir)
	}
	before := readVerdicts(t)
	s := newSubject(t)
	now, details := map[string]string{}, map[string]string{}
	counts := map[string]int{}
	for _, name := range files {
		s.limit = tooSlow
		switch {
		case before[name] == right: // it ends, on a busy machine later
			s.limit = max(tooSlow, 3*time.Minute)
		case before[name] == tooSlowToTell && !*update: // it does not: no difference at its beginning is enough
			s.limit = 3 * time.Second
		}
		v, why := goTest(t, s, filepath.Join(dir, filepath.FromSlash(name)))
		now[name], details[name] = v, why
		counts[v]++
		switch {
		case v == wrong:
			t.Logf("%s is wrong: %s", name, why)
			if before[name] != wrong && !*update {
				t.Errorf("%s was %s and is wrong now: %s", name, before[name], why)
			}
		case v != right && before[name] == right && !*update:
			t.Errorf("%s was right and is %s now: %s", name, v, why)
		}
	}
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5d %s", counts[v], v)
	}
	if *update {
		writeVerdicts(t, now, details)
	}
}

func goroot(t testing.TB) string {
	t.Helper()
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	t.Skip("finding Go's tests needs the go command")
	return ""
}

// runFiles returns the files below dir whose first line is "// run", with
// slashes and sorted.
func runFiles(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		line, _ := bufio.NewReader(f).ReadString('\n')
		if strings.TrimSpace(line) == "// run" {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// goTest runs one file. What it prints, to stdout and stderr together, has to
// be what the .out file beside it holds, or nothing, and its exit code 0.
func goTest(t testing.TB, s *subject, file string) (verdict, why string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	got, err := s.runTogether(string(src))
	if err != nil {
		t.Fatal(err)
	}
	if got.Refused != "" {
		return refuse, firstLine(got.Refused)
	}
	if got.Broken == tooSlowHere && strings.HasPrefix(string(golden), got.Stdout) {
		return tooSlowToTell, ""
	}
	if d := difference(outcome{Stdout: string(golden)}, got); d != "" {
		return wrong, firstLine(d)
	}
	return right, ""
}

const verdictFile = "testdata/gotest.txt"

// readVerdicts reads testdata/gotest.txt: a verdict, a file and a reason a line.
func readVerdicts(t testing.TB) map[string]string {
	t.Helper()
	b, err := os.ReadFile(verdictFile)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) >= 2 && !strings.HasPrefix(line, "#") {
			out[words[1]] = words[0]
		}
	}
	return out
}

func writeVerdicts(t testing.TB, verdicts, details map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# What becomes of the files of GOROOT/test that begin \"// run\".\n# Written by: go test ./harness/internal/check/oracle -tags slow -run GoTests -update\n")
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		why := position.ReplaceAllString(details[name], "$1")
		fmt.Fprintln(&b, strings.TrimSpace(verdicts[name]+" "+name+" "+why[:min(len(why), 160)]))
	}
	if err := os.WriteFile(verdictFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runTogether is run with stdout and stderr in one.
func (s *subject) runTogether(src string) (outcome, error) { return s.do(src, task{Together: true}) }
