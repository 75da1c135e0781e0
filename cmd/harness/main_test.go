package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usetools/usetools/cmd/internal/testserver"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

// asHarness is the environment variable that makes this binary the command.
const asHarness = "AS_HARNESS"

func TestMain(m *testing.M) {
	harness.RunWorker()
	if os.Getenv(asHarness) != "" {
		main()
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each command sleeps a second before it exits, under the race detector
	testscript.Main(m, map[string]func(){
		"harness":    main,
		"testserver": testserver.Main,
		"natsserver": clustertest.Main,
	})
}

// TestScripts runs the command as its users do: testdata/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true, Cmds: recordCommands(), Setup: func(e *testscript.Env) error {
		e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))       // for the phrases that are remembered
		e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "userconfig")) // for saved scripts
		e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "userstate"))   // for the records of runs
		return nil
	}})
}
