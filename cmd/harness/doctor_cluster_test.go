package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		"cluster sync":       "warning: unknown without -monitor",
		"cluster user":       "ok: a connection without a name of account $G, without restrictions",
		"cluster connection": "ok: without TLS, on this machine",
		"cluster clock":      "ok: the clock of the server differs by ",
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

func TestDoctorOfUsersWithPermissions(t *testing.T) {
	t.Setenv(stateVariable, t.TempDir())
	admin, front, runner, reader := clustertest.NewUser(t), clustertest.NewUser(t), clustertest.NewUser(t), clustertest.NewUser(t)
	blind := clustertest.NewUser(t)
	conf := clustertest.Accounts(t, filepath.Join("..", "..", "examples", "cluster", "README.md"), admin, front, runner, reader)
	conf = strings.Replace(conf, "users: [", "users: [ { nkey: "+blind.Key+", permissions: { publish: "+
		`"$SYS.REQ.USER.INFO", subscribe: "_INBOX.>" } }`, 1)
	url := clustertest.Configured(t, conf).ClientURL()
	of := func(u clustertest.User, flags ...string) map[string]finding {
		return clusterFindings(t, append([]string{"-cluster", url, "-cluster-creds", u.Seed}, flags...)...)
	}
	if f := of(runner, "-make-streams")["cluster"]; f.Status != broken || !strings.Contains(f.Detail, "a user of the role admin makes them") {
		t.Errorf("a runner makes streams: %+v", f)
	}
	if f := of(admin, "-make-streams"); f["cluster"].Status != fine ||
		!strings.Contains(f["cluster processes"].Detail, "may not see the registry") {
		t.Errorf("an admin makes streams: %+v", f)
	}
	for role, u := range map[string]clustertest.User{"front": front, "runner": runner, "reader": reader} {
		f := of(u)
		if f["cluster user"].Status != fine || !strings.HasSuffix(f["cluster user"].Detail, "of account USETOOLS, with restricted permissions") ||
			f["cluster processes"].Do != "start harness runner -cluster; until then, scripts wait" {
			t.Errorf("%s: %+v", role, f)
		}
	}
	if f := of(blind)["cluster"]; f.Status != broken || !strings.Contains(f.Detail, "$JS.API.STREAM.INFO.UT_QUEUE") ||
		!strings.Contains(f.Detail, "examples/cluster/README.md, Users") {
		t.Errorf("who may not look: %+v", f)
	}
}

// A flag of a cluster without one.
func TestDoctorFlagsOfAClusterAlone(t *testing.T) {
	for _, args := range [][]string{{"-monitor", "http://x"}, {"-permissions", "front"},
		{"-cluster", "nats://127.0.0.1:1", "-replicas", "3"}} {
		err := app(strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(), slices.Concat([]string{"harness", "doctor"}, args))
		if _, ok := err.(usageError); !ok {
			t.Errorf("%s: %v", args, err)
		}
	}
}
