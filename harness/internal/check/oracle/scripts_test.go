package oracle

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestScriptsPrintWhatGoPrints runs the scripts for which the repository holds
// what Go prints: the corpus of package check, and what generated programs
// found; a sample of them without the build tag slow. NAME.go is the script, NAME.want its stdout and NAME.exit its exit
// code, when it is not 0.
func TestScriptsPrintWhatGoPrints(t *testing.T) {
	s := newSubject(t)
	s.limit = 3 * time.Minute // they all end, on a busy machine some take long
	for _, dir := range []string{"../testdata/corpus", "testdata/found"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("no scripts in %s: %v", dir, err)
		}
		files = sampled(files)
		right := 0
		for _, file := range files {
			t.Run(filepath.Base(dir)+"/"+strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
				src, want := kept(t, file)
				got, err := s.run(src)
				if err != nil {
					t.Fatal(err)
				}
				want.Panic = got.Panic // stderr is not kept
				switch d := difference(want, got); {
				case got.Refused != "":
					t.Error("refused: ", got.Refused)
				case d != "":
					t.Error(d)
				default:
					right++
				}
			})
		}
		t.Logf("%s: %d of %d right", dir, right, len(files))
	}
}

// sampled returns every stride-th name, and every eighth at most with the race
// detector, with which scripts run ten times slower.
func sampled(names []string) []string {
	n := stride
	if raceEnabled {
		n = max(n, 8)
	}
	var out []string
	for i := 0; i < len(names); i += n {
		out = append(out, names[i])
	}
	return out
}

// TestOpenDifferences tells of the scripts in testdata/open, which are known to
// differ from Go: a list of what is to be mended or refused. What has been goes
// to testdata/found with -update.
func TestOpenDifferences(t *testing.T) {
	files, err := filepath.Glob("testdata/open/*.go")
	if err != nil {
		t.Fatal(err)
	}
	s := newSubject(t)
	for _, file := range files {
		src, want := kept(t, file)
		got, err := s.run(src)
		if err != nil {
			t.Fatal(err)
		}
		want.Panic = got.Panic
		if d := difference(want, got); d != "" {
			t.Logf("%s: %s", file, d)
			continue
		}
		t.Logf("%s is no difference any more %s", file, got.Refused)
		if *update {
			settle(t, file)
		}
	}
}

// settle moves a script and what Go prints from testdata/open to testdata/found.
func settle(t testing.TB, file string) {
	t.Helper()
	parts, err := filepath.Glob(strings.TrimSuffix(file, ".go") + ".*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if err := os.Rename(p, filepath.Join("testdata", "found", filepath.Base(p))); err != nil {
			t.Fatal(err)
		}
	}
}

// kept reads a script and how Go runs it.
func kept(t testing.TB, file string) (src string, want outcome) {
	t.Helper()
	base := strings.TrimSuffix(file, ".go")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := os.ReadFile(base + ".want")
	if err != nil {
		t.Fatal(err)
	}
	want.Stdout = string(stdout)
	if code, err := os.ReadFile(base + ".exit"); err == nil {
		if want.Exit, err = strconv.Atoi(strings.TrimSpace(string(code))); err != nil {
			t.Fatal(err)
		}
	}
	return string(b), want
}
