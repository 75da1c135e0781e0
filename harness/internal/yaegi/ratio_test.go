package yaegi_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"
	"golang.org/x/tools/txtar"

	"github.com/usetools/usetools/harness/internal/stdlib/symbols"
	"github.com/usetools/usetools/harness/internal/yaegi"
)

// BenchmarkRatio runs each program of testdata/ratio.txtar lowered and bare, by
// turns, and prints the least time of each in ms and their quotient:
//
//	go test ./harness/internal/yaegi -run '^$' -bench Ratio -benchtime 10x
//
// The programs are such as the bare interpreter runs right. Our side includes
// setting up an interpreter, both include compiling.
func BenchmarkRatio(b *testing.B) {
	for _, c := range ratioPrograms(b) {
		b.Run(c.name, func(b *testing.B) {
			p := lowered(b, c.ours)
			ours, bare := time.Hour, time.Hour
			for b.Loop() {
				out, err := os.Create(filepath.Join(b.TempDir(), "out"))
				if err != nil {
					b.Fatal(err)
				}
				begin := time.Now()
				o, err := yaegi.Run(p, &yaegi.Options{Stdout: out})
				if err != nil {
					b.Fatal(err)
				}
				if o.Panic != nil {
					b.Fatal(o.Panic.Text)
				}
				ours = min(ours, time.Since(begin))
				out.Close()
				_, took := runBare(b, c.bare)
				bare = min(bare, took)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(ours.Microseconds())/1000, "lowered-ms")
			b.ReportMetric(float64(bare.Microseconds())/1000, "bare-ms")
			b.ReportMetric(float64(ours)/float64(bare), "ratio")
		})
	}
}

// TestRatioProgramsAgree: what the benchmark compares does the same work.
func TestRatioProgramsAgree(t *testing.T) {
	for _, c := range ratioPrograms(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := runScript(c.name+".go", []byte(c.ours))
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := runBare(t, c.bare); r.stdout != want || r.panic != "" {
				t.Errorf("lowered: %q %s\nbare:    %q", r.stdout, r.panic, want)
			}
		})
	}
}

type ratioProgram struct{ name, ours, bare string }

func ratioPrograms(t testing.TB) (list []ratioProgram) {
	programs, err := txtar.ParseFile(filepath.Join("testdata", "ratio.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range programs.Files {
		name, text := strings.TrimSuffix(f.Name, ".go"), string(f.Data)
		if name, ok := strings.CutSuffix(name, ".bare"); ok {
			list[len(list)-1].bare = text // of the program just before
			if list[len(list)-1].name != name {
				t.Fatalf("%s follows %s", f.Name, list[len(list)-1].name)
			}
			continue
		}
		list = append(list, ratioProgram{name, text, text})
	}
	return list
}

// runBare runs a program in the interpreter as it is and returns what it prints
// and how long it took.
func runBare(t testing.TB, src string) (string, time.Duration) {
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	i := interp.New(interp.Options{Stdout: out, Stderr: io.Discard})
	if err := i.Use(symbols.Exports(nil, "bytes", "encoding/json", "errors", "fmt", "slices", "sort", "strconv", "strings")); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, err := i.Eval(src); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text), took
}
