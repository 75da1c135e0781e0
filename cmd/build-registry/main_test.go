package main

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usetools/usetools/cmd/internal/testserver"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each command sleeps a second before it exits, under the race detector
	testscript.Main(m, map[string]func(){
		"build-registry": main,
		"testserver":     testserver.Main,
	})
}

// TestScripts runs the command as its users do: testdata/*.txtar.
func TestScripts(t *testing.T) {
	url := clustertest.Server(t)
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"until":     until,
			"published": published,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("CLUSTER", url)
			return nil
		}})
}

// published N has it that the cluster has a registry of N tools.
func published(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: published N")
	}
	c, err := cluster.Connect(context.Background(), &cluster.Options{URL: ts.Getenv("CLUSTER"), Cache: ts.MkAbs("copy")})
	ts.Check(err)
	defer c.Close()
	files := &catalog.Files{}
	ts.Check(c.Follow(context.Background(), files))
	cat, err := files.Catalog(context.Background())
	ts.Check(err)
	if got := strconv.Itoa(len(cat.Registry.Tools)); got != args[0] {
		ts.Fatalf("%s tools, want %s", got, args[0])
	}
}

// until FILE PATTERN waits until a file matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until FILE PATTERN")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && re.Match(data) {
			return
		}
	}
	ts.Fatalf("%s never matched %s", args[0], args[1])
}
