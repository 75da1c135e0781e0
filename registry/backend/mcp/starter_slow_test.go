//go:build slow && unix

package mcp_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
)

// heavy is the environment variable of a server that uses 2 s of CPU time before it
// answers.
const heavy = "USETOOLS_TEST_HEAVY"

func init() {
	roles = append([]func(){func() {
		for os.Getenv(heavy) != "" {
			var used syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
				panic(err)
			}
			if time.Duration(used.Utime.Nano()+used.Stime.Nano()) > 2*time.Second {
				return
			}
		}
	}}, roles...)
}

// Forty servers that need 2 s of CPU time each all answer at the defaults, also on
// two cores that have other work.
func TestFortyHeavyServersAllAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	begin := time.Now()
	for i := range 40 {
		all.Go(func() {
			s := mcptest.Server(fmt.Sprintf("heavy-%d", i))
			s.Env[heavy] = "1"
			b, err := mcp.Open(ctx, s, nil)
			if err != nil {
				t.Errorf("after %v: %v", time.Since(begin), err)
				return
			}
			defer b.Close()
			if tools, err := b.List(ctx); err != nil || len(tools.Tools) == 0 {
				t.Errorf("%v, %v", tools, err)
			}
		})
	}
	all.Wait()
	t.Log("forty servers answered after", time.Since(begin))
}
