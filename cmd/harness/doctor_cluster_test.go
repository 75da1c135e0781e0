package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

// clusterFindings are what doctor says of a cluster, by check.
func clusterFindings(t *testing.T, flags ...string) map[string]finding {
	t.Helper()
	t.Chdir(t.TempDir())
	var out strings.Builder
	app(strings.NewReader(""), &out, io.Discard).Run(t.Context(), append([]string{"harness", "-q", "-json", "doctor"}, flags...))
	var got struct{ Findings []finding }
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	all := map[string]finding{}
	for _, f := range got.Findings {
		if strings.HasPrefix(f.Check, "cluster") {
			all[f.Check] = f
		}
	}
	return all
}

func TestDoctorLooksAtACluster(t *testing.T) {
	t.Setenv(stateVariable, t.TempDir())
	url := clustertest.Server(t)
	if f := clusterFindings(t, "-cluster", url)["cluster"]; f.Status != broken || !strings.Contains(f.Detail, "stream UT_QUEUE") {
		t.Errorf("before anything is there: %+v", f)
	}
	c, err := cluster.Connect(t.Context(), &cluster.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	front, err := c.Front(&cluster.FrontOptions{Records: c.Store(nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	got := clusterFindings(t, "-cluster", url)
	for check, want := range map[string]string{
		"cluster":            "ok: nats-server ",
		"cluster streams":    "warning: 6 streams with ",
		"cluster sync":       "warning: how often servers write to their disks",
		"cluster user":       "ok: nobody by name, of account $G, may do everything",
		"cluster connection": "ok: without TLS, on this machine",
		"cluster clock":      "ok: that of the server differs by ",
		"cluster processes":  "warning: 1 front end, 0 runners",
	} {
		if f := got[check]; !strings.HasPrefix(f.Status+": "+f.Detail, want) {
			t.Errorf("%s: %+v, want %s", check, f, want)
		}
	}
	if f := clusterFindings(t, "-cluster", "nats://127.0.0.1:1")["cluster"]; f.Status != broken {
		t.Errorf("nobody is there: %+v", f)
	}
}

func TestDoctorSaysWhatAUserLacks(t *testing.T) {
	t.Setenv(stateVariable, t.TempDir())
	dir := t.TempDir()
	user := func(name string, roles ...string) (entry, seed string) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		b, err := pair.Seed()
		if err != nil {
			t.Fatal(err)
		}
		seed = filepath.Join(dir, name)
		if err := os.WriteFile(seed, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var printed strings.Builder
		args := []string{"harness", "doctor", "-cluster-creds", seed}
		for _, r := range roles {
			args = append(args, "-permissions", r)
		}
		if err := app(strings.NewReader(""), &printed, io.Discard).Run(t.Context(), args); err != nil {
			t.Fatal(err)
		}
		key, err := cluster.UserKey(seed)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("{ nkey: %s, %s }\n", key, printed.String()), seed
	}
	admin, adminSeed := user("admin", "admin", "front")
	maker, makerSeed := user("maker", "admin")
	runner, runnerSeed := user("runner", "runner")
	odd, oddSeed := user("odd", "admin")
	odd = strings.Replace(odd, `"$JS.API.STREAM.INFO.UT_QUEUE"`, "", 1)
	url := clustertest.Configured(t, "authorization: { users: [\n"+admin+maker+runner+odd+"] }\n").ClientURL()
	if f := clusterFindings(t, "-cluster", url, "-cluster-creds", runnerSeed, "-make-streams")["cluster"]; f.Status != broken ||
		!strings.Contains(f.Detail, "a user of the role admin makes them") {
		t.Errorf("a runner makes streams: %+v", f)
	}
	if f := clusterFindings(t, "-cluster", url, "-cluster-creds", makerSeed, "-make-streams"); f["cluster"].Status != fine ||
		!strings.Contains(f["cluster processes"].Detail, "may not see processes, queues") {
		t.Errorf("an admin makes streams: %+v", f)
	}
	for seed, want := range map[string]string{adminSeed: "has what it needs as: front, admin", runnerSeed: "has what it needs as: runner"} {
		if f := clusterFindings(t, "-cluster", url, "-cluster-creds", seed)["cluster user"]; f.Status != fine ||
			!strings.HasSuffix(f.Detail, want) {
			t.Errorf("%+v, want %s", f, want)
		}
	}
	f := clusterFindings(t, "-cluster", url, "-cluster-creds", runnerSeed, "-pool", "gpu")["cluster user"]
	if f.Status != broken || !strings.Contains(f.Detail, "no runner: it lacks publish $JS.ACK.UT_QUEUE.gpu.>") {
		t.Errorf("a runner of another pool: %+v", f)
	}
	f = clusterFindings(t, "-cluster", url, "-cluster-creds", oddSeed)["cluster"]
	if f.Status != broken || !strings.Contains(f.Detail, "$JS.API.STREAM.INFO.UT_QUEUE; harness doctor -cluster-creds FILE -permissions ROLE") {
		t.Errorf("who may not look: %+v", f)
	}
}

// A flag of a cluster without one, and a role that there is not.
func TestDoctorFlagsOfAClusterAlone(t *testing.T) {
	for _, args := range [][]string{{"-monitor", "http://x"}, {"-permissions", "boss"},
		{"-cluster", "nats://127.0.0.1:1", "-replicas", "3"}} {
		err := app(strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(), slices.Concat([]string{"harness", "doctor"}, args))
		if _, ok := err.(usageError); !ok {
			t.Errorf("%s: %v", args, err)
		}
	}
}
