package main

import (
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/testserver"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
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

// clusterCommands are those of test scripts that have a cluster:
//
//	engine            starts a server of NATS, and sets CLUSTER to its URL
//	address           sets ADDRESS to a free address of this machine
//	publish FILE      makes a registry that of the cluster
//	eventually CMD…   runs a command until it ends well, for a minute at most
func clusterCommands(t *testing.T) map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"engine": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Setenv("CLUSTER", clustertest.Server(t)) },
		"address": func(ts *testscript.TestScript, _ bool, _ []string) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			ts.Check(err)
			ts.Setenv("ADDRESS", l.Addr().String())
			ts.Check(l.Close())
		},
		"publish": func(ts *testscript.TestScript, _ bool, args []string) {
			c, err := cluster.Connect(t.Context(), &cluster.Options{URL: ts.Getenv("CLUSTER")})
			ts.Check(err)
			defer c.Close()
			_, err = c.PublishRegistry(t.Context(), ts.MkAbs(args[0]))
			ts.Check(err)
		},
		"eventually": func(ts *testscript.TestScript, _ bool, args []string) {
			for late := time.Now().Add(time.Minute); ; {
				err := ts.Exec(args[0], args[1:]...)
				if err == nil {
					return
				}
				if time.Now().After(late) {
					ts.Fatalf("%q: %v", args, err)
				}
			}
		},
	}
}

// TestScripts runs the command as its users do: testdata/*.txtar.
func TestScripts(t *testing.T) { runScripts(t, "testdata") }

func runScripts(t *testing.T, dir string) {
	cmds := recordCommands()
	maps.Copy(cmds, clusterCommands(t))
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true, Cmds: cmds, Setup: func(e *testscript.Env) error {
		e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))       // for the phrases that are remembered
		e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "userconfig")) // for saved scripts
		e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "userstate"))   // for the records of runs
		return nil
	}})
}

func app(stdin io.Reader, stdout, stderr io.Writer) *cli.Command {
	return (&env{stdin: stdin, stdout: stdout, stderr: stderr}).app()
}
