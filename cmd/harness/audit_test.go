package main

import (
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

func TestTheAuditOfAClusterIsPrinted(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	run := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, err strings.Builder
		if got := execute(append([]string{"harness", "audit"}, args...), strings.NewReader(""), &out, &err); got != want {
			t.Errorf("%q: exit code %d: %s", args, got, err.String())
		}
		return out.String(), err.String()
	}
	if out, _ := run(0, "-cluster", url); out != "" {
		t.Errorf("%q of nothing", out)
	}
	c, err := cluster.Connect(t.Context(), &cluster.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	line := `{"type":"run"}` + "\n"
	if _, err := c.Audit().Write([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if out, _ := run(0, "-cluster", url, "-since", "1h"); out != line {
		t.Errorf("%q", out)
	}
	if _, err := run(exitUsage); !strings.Contains(err, "audit wants -cluster URL") {
		t.Error(err)
	}
	if _, err := run(exitUsage, "-cluster", url, "-since", "x"); err == "" {
		t.Error("an age of x")
	}
}
