package oracle

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/internal/check/oracle/generate"
)

var (
	programs = flag.Int("programs", samplePrograms, "compare this many generated programs with Go")
	seed     = flag.Uint64("seed", 1, "seed of the first generated program")
	only     = flag.String("only", "", "run only the generated programs that match this")
	avoid    = flag.String("avoid", "", "skip generated programs that match this, to look behind what is known")
	shrink   = flag.Int("shrink", 1, "shrink this many of the differences found, of those that look alike one")
	update   = flag.Bool("update", false, "write what was found into testdata")
)

// batch is how many programs are compiled together.
const batch = 50

// TestGeneratedProgramsMeanWhatGoMeans compares generated programs with Go.
func TestGeneratedProgramsMeanWhatGoMeans(t *testing.T) {
	needsGo(t)
	s := newSubject(t)
	var known *regexp.Regexp
	if *avoid != "" {
		known = regexp.MustCompile(*avoid)
	}
	wanted := regexp.MustCompile(*only)
	refusals := map[string]int{}
	compared, equal, begin := 0, 0, time.Now()
	for from := *seed; from < *seed+uint64(*programs); from += batch {
		n := min(batch, int(*seed)+*programs-int(from))
		var srcs []string
		var seeds []uint64
		for i := range uint64(n) {
			src, err := generate.Program(from + i)
			if err != nil {
				t.Fatal(err)
			}
			if wanted.MatchString(src) && (known == nil || !known.MatchString(src)) {
				srcs, seeds = append(srcs, src), append(seeds, from+i)
			}
		}
		compared += len(srcs)
		want, got := compareAll(t, s, srcs)
		for i := range srcs {
			switch d := difference(want[i], got[i]); {
			case want[i].Refused != "":
				t.Errorf("seed %d: the generated program does not compile: %s", seeds[i], want[i].Refused)
			case want[i].Broken != "":
				t.Errorf("seed %d: %s", seeds[i], want[i].Broken)
			case got[i].Refused != "":
				refusals[reason(got[i].Refused)]++
			case d != "":
				report(t, s, fmt.Sprintf("seed%d", seeds[i]), srcs[i], d)
			default:
				equal++
			}
		}
	}
	t.Logf("%d of %d programs equal in %v", equal, compared, time.Since(begin).Round(time.Second))
	for _, r := range slices.SortedFunc(maps.Keys(refusals), func(a, b string) int { return cmp.Compare(refusals[b], refusals[a]) }) {
		t.Logf("%5d refused: %s", refusals[r], r)
	}
}

// compareAll runs programs on both sides.
func compareAll(t testing.TB, s *subject, srcs []string) (want, got []outcome) {
	t.Helper()
	done := make(chan error, 1)
	got = make([]outcome, len(srcs))
	go func() {
		for i, src := range srcs {
			o, err := s.run(src)
			if err != nil {
				done <- err
				return
			}
			got[i] = o
		}
		done <- nil
	}()
	want = goOutcomes(t, srcs)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return want, got
}

// seen are the differences, without numbers, that were shrunk already.
var seen = map[string]bool{}

// report fails the test, with the program as small as asked for.
func report(t *testing.T, s *subject, name, src, d string) {
	t.Helper()
	class := digits.ReplaceAllString(firstLine(d), "N")
	if *shrink == 0 || seen[class] {
		t.Errorf("%s differs from Go: %s", name, firstLine(d))
		return
	}
	*shrink--
	seen[class] = true
	small, want, got := shrunk(t, s, src)
	t.Errorf("%s differs from Go: %s\nshrunk: %s\n%s\n--- Go, exit %d %s\n%s\n--- script, exit %d %s%s\n%s", name, d, difference(want, got), small,
		want.Exit, want.Panic, clip(want.Stdout), got.Exit, got.Panic, got.Broken, clip(got.Stdout))
	if *update {
		keep(t, name, small, want)
	}
}

// keep writes a case into testdata/found.
func keep(t *testing.T, name, src string, want outcome) {
	t.Helper()
	if err := os.MkdirAll("testdata/found", 0o755); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join("testdata", "found", name)
	files := map[string]string{".go": src, ".want": want.Stdout}
	if want.Exit != 0 {
		files[".exit"] = fmt.Sprintln(want.Exit)
	}
	if strings.HasPrefix(src, "-- ") {
		base, files = filepath.Join("testdata", "files", name), map[string]string{".txtar": src}
	}
	for ext, text := range files {
		if err := os.WriteFile(base+ext, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func clip(s string) string {
	if len(s) > 3000 {
		return s[:3000] + "…"
	}
	return s
}

var (
	position = regexp.MustCompile(`^(\w+: )?\d+:\d+: `)
	digits   = regexp.MustCompile(`\d+`)
)

// reason is a refusal without what is particular to one program.
func reason(s string) string {
	s = position.ReplaceAllString(s, "$1")
	s, _, _ = strings.Cut(s, "\n")
	return digits.ReplaceAllString(s, "N")
}
