package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

func init() {
	// timed applies what it is told to and says how long that took.
	parts["timed"] = func(arg json.RawMessage) error {
		var c *Config
		if err := json.Unmarshal(arg, &c); err != nil {
			return err
		}
		var took time.Duration
		if c != nil {
			begin := time.Now()
			if _, err := Apply(c); err != nil {
				return err
			}
			took = time.Since(begin)
		}
		fmt.Println(took.Microseconds())
		return nil
	}
}

// BenchmarkSpawn starts a process and waits for its end: as it is, started so
// that it dies with its parent, and locked.
//
//	go test -run '^$' -bench Spawn -benchtime 300x ./harness/internal/sandbox
func BenchmarkSpawn(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkSpawn(b, false, nil) })
	b.Run("tied", func(b *testing.B) { benchmarkSpawn(b, true, nil) })
	b.Run("locked", func(b *testing.B) { benchmarkSpawn(b, true, &Config{Policy: BestEffort}) })
}

// benchmarkSpawn reports the median, and that of the lock-down alone.
func benchmarkSpawn(b *testing.B, tied bool, c *Config) {
	var all, lock []time.Duration
	for b.Loop() {
		begin := time.Now()
		cmd := command("timed", c)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if tied {
			child, err := Start(cmd, nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := child.Wait(); err != nil {
				b.Fatal(err)
			}
		} else if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(begin))
		var took int
		if _, err := fmt.Sscan(out.String(), &took); err != nil {
			b.Fatal(err)
		}
		lock = append(lock, time.Duration(took)*time.Microsecond)
	}
	b.ReportMetric(median(all), "p50-ms")
	if c != nil {
		b.ReportMetric(median(lock), "p50-lock-ms")
	}
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}
