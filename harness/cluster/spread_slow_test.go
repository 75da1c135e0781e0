//go:build slow

package cluster_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/registry"
)

// go test ./harness/cluster -tags slow -run Spread -v
func TestSpreadOfALargeRegistry(t *testing.T) {
	dir := home(t)
	url := clustertest.Server(t)
	path := filepath.Join(dir, "tool_registry.json")
	const tools, watchers = 10_000, 8
	reg := &registry.Registry{Servers: []registry.Server{{Name: "s"}}}
	for i := range tools {
		sum := sha256.Sum256(fmt.Append(nil, i))
		word := hex.EncodeToString(sum[:])
		vector := bytes.Repeat(sum[:], 8)
		reg.Tools = append(reg.Tools, registry.Tool{Server: "s", Name: "tool_" + word[:8], Embedding: vector,
			Description: strings.Repeat("Returns what "+word[8:16]+" has. ", 50),
			Input:       fmt.Appendf(nil, `{"type":"object","properties":{"%s":{"type":"string","description":"the %s of it"}}}`, word[:5], word[5:12])})
	}
	reg.Normalize()
	var all []*cluster.Cluster
	renewed := make(chan time.Time, watchers)
	for i := range watchers {
		c := connect(t, cluster.Options{URL: url})
		at := filepath.Join(dir, fmt.Sprint(i), "tool_registry.json")
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { c.WatchFiles(ctx, at, func() { renewed <- time.Now() }) })
		t.Cleanup(func() { cancel(); done.Wait() })
		all = append(all, c)
	}
	builder := connect(t, cluster.Options{URL: url})
	for round := range 5 {
		reg.Tools[0].Description = fmt.Sprint("Round ", round)
		if err := reg.Save(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		revision := publish(t, builder, path)
		published := time.Since(begun)
		var last time.Duration
		for range watchers {
			last = max(last, receive(t, renewed).Sub(begun))
		}
		for _, c := range all {
			eventually(t, "the revision", func() bool { return c.HasRevision(t.Context(), revision) })
		}
		t.Logf("%d bytes: published after %v, at all %d after %v", info.Size(), published.Round(time.Millisecond), watchers,
			last.Round(time.Millisecond))
	}
}
