package cluster

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster/clustertest"
)

func TestMain(m *testing.M) {
	harness.RunWorker()
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given && !testing.Short() { // the tests wait for silence and for servers, not for the CPU
		flag.Set("test.parallel", "8")
	}
	answeredAfter = time.Hour // no test waits for it
	os.Exit(m.Run())
}

func TestConnect(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	for range 2 { // the second one finds the streams
		c, err := Connect(t.Context(), &Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConnectToThree(t *testing.T) {
	t.Parallel()
	c, err := Connect(t.Context(), &Options{URL: clustertest.Servers(t, 3)[0].ClientURL(), Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	const name = "20261123T170000.123456Z-abcdefghjk"
	if got := recordName(recordSubject(name)); got != name {
		t.Errorf("got %q", got)
	}
	for _, s := range []string{"", "default", "a.b", "Größe", "_61", "x y*>"} {
		if got := untoken(token(s)); got != s {
			t.Errorf("%q is written as %q and read as %q", s, token(s), got)
		}
	}
}
