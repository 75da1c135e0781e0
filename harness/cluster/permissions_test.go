package cluster_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

// denials are the permissions that processes were refused, as their logs say.
type denials struct {
	mu   sync.Mutex
	list []string
	tell func()
}

func (d *denials) logger() *slog.Logger { return slog.New(slog.NewTextHandler(d, nil)) }

func (d *denials) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, string(line))
	if d.tell != nil && strings.Contains(string(line), "ermissions") {
		d.tell()
		d.tell = nil
	}
	return len(line), nil
}

func (d *denials) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.list)
}

func (d *denials) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = nil
}

// next calls f with the next denial, until stop is called.
func (d *denials) next(f func()) (stop func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tell = f
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tell = nil
	}
}

// The users of the guide have what their roles need and nothing else, and another account
// sees nothing of it.
func TestPermissions(t *testing.T) {
	t.Parallel()
	admin, front, runner, reader, stranger := clustertest.NewUser(t), clustertest.NewUser(t), clustertest.NewUser(t),
		clustertest.NewUser(t), clustertest.NewUser(t)
	conf := clustertest.Accounts(t, filepath.Join("..", "..", "examples", "cluster", "README.md"), admin, front, runner, reader)
	s := clustertest.Configured(t, strings.TrimSuffix(conf, "}\n")+
		" B: { jetstream: enabled, users: [ { nkey: "+stranger.Key+" } ] }\n}\n")
	url := s.ClientURL()
	var denied denials
	connected := func(u clustertest.User) *cluster.Cluster {
		t.Helper()
		return connect(t, cluster.Options{URL: url, Creds: u.Seed, Log: denied.logger()})
	}
	var no *cluster.PermissionError
	if _, err := cluster.Connect(t.Context(), &cluster.Options{URL: url, Creds: runner.Seed}); !errors.As(err, &no) ||
		!strings.Contains(err.Error(), "-make-streams") {
		t.Errorf("a runner before there are streams: %v", err)
	}
	a := connected(admin)
	if s, err := a.Status(t.Context()); err != nil || len(s.Streams) != 6 || !slices.Equal(s.Unseen, []string{"the registry"}) {
		t.Errorf("an admin sees %+v, %v", s, err)
	}
	if got := denied.all(); len(got) != 1 || !strings.Contains(got[0], "OBJ_ut_files") {
		t.Errorf("an admin was denied %q", got)
	}
	denied.forget()
	f, r := connected(front), connected(runner)

	for u, c := range map[string]*cluster.Cluster{"front": f, "runner": r} {
		if _, err := c.Announce(func(p *cluster.Process) { p.Front = u == "front" }); err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		store := c.Store(nil)
		w, err := store.Begin(&record.Begin{Script: record.String("package main\n"), Request: u, Once: u})
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		for range 2 * cluster.Few { // so many messages that reading them takes a consumer
			if err := errors.Join(w.Add(&record.Note{}), w.Sync()); err != nil {
				t.Fatalf("%s: %v", u, err)
			}
		}
		if err := errors.Join(w.Add(&record.End{Status: "ok"}), w.Close()); err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if run, err := store.Load(w.ID()); err != nil || run.End == nil {
			t.Errorf("%s reads its record: %+v, %v", u, run, err)
		}
		if _, err := store.MAC("x"); err != nil {
			t.Errorf("%s: %v", u, err)
		}
		if ok, err := store.Once("text "+u, time.Now().Add(time.Minute)); !ok || err != nil {
			t.Errorf("%s claims a name: %t, %v", u, ok, err)
		}
		if err := store.Alone(t.Context(), func() error { return nil }); err != nil {
			t.Errorf("%s: %v", u, err)
		}
		if err := store.Remove(w.ID()); err != nil {
			t.Errorf("%s: %v", u, err)
		}
		got, err := c.Status(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if got.User == nil || got.User.Permissions == nil || got.User.Account != "USETOOLS" {
			t.Fatalf("%s: %+v", u, got.User)
		}
		var text strings.Builder
		c.WriteMetrics(&text)
		if !strings.Contains(text.String(), `usetools_cluster_connected 1`) {
			t.Errorf("%s: %s", u, text.String())
		}
	}

	// The front end makes a revision, which the runner has; both have the saved scripts.
	path := filepath.Join(t.TempDir(), "registry.json")
	if err := (&registry.Registry{}).Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.PublishRegistry(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.FirstRevision(t.Context(), filepath.Join(t.TempDir(), "registry.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*cluster.Cluster{f, r} {
		if _, err := c.Spread(t.Context(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Audit().Write([]byte("{}\n")); err != nil {
		t.Error(err)
	}
	if err := f.ReadAudit(t.Context(), time.Now().Add(-time.Hour), &strings.Builder{}); err != nil {
		t.Error(err)
	}
	_, h := fronting(t, f, cluster.FrontOptions{Pool: "gpu"})
	seller := newSeller()
	defer serving(t, r, seller, cluster.RunnerOptions{Pool: "gpu"})()
	large, err := json.Marshal(strings.Repeat("x", 2*cluster.Part)) // its job does not fit into a message
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"calls", "inputs", "waiting"} {
		script, to := outcomes[name], &told{}
		if name == "inputs" {
			script = harness.Script{Source: "Return(1)", Inputs: map[string]json.RawMessage{"a": large}}
		}
		to.listen(&script)
		res, err := h.Run(t.Context(), &script)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]outcome.Status{"waiting": outcome.Waiting}[name]; res.Status != cmp.Or(want, outcome.OK) {
			t.Errorf("%s: %+v", name, res)
		}
	}
	reads := connected(reader)
	records := reads.Store(nil)
	runs := 0
	for sum, err := range records.List(t.Context(), &store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := records.Load(sum.ID); err != nil {
			t.Error(err)
		}
		runs++
	}
	if _, _, err := reads.Queue(t.Context(), 10); err != nil || runs != 3 {
		t.Errorf("a reader sees %d runs, %v", runs, err)
	}
	if err := reads.ReadAudit(t.Context(), time.Now().Add(-time.Hour), &strings.Builder{}); err != nil {
		t.Error(err)
	}
	if s, err := reads.Status(t.Context()); err != nil || len(s.Unseen) > 0 || len(s.Processes) != 2 || s.Registry == nil {
		t.Errorf("a reader sees %+v, %v", s, err)
	}
	if seller.orders() != 1 {
		t.Errorf("%d orders", seller.orders())
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-seller.begun
		cancel()
	}()
	if res, err := h.Run(ctx, &harness.Script{Source: "UseTools(\"wait for a delivery\")\nshop.Wait()"}); err == nil &&
		res.Status != outcome.Canceled {
		t.Errorf("canceled: %+v", res)
	}
	if len(denied.all()) > 0 {
		t.Fatalf("denied: %q", denied.all())
	}

	if _, err := cluster.FrontWithoutSubscriptions(r).Cancel(t.Context(), "x"); !errors.As(err, &no) || !strings.Contains(err.Error(), cluster.CancelSubject("x")) ||
		!strings.Contains(err.Error(), "examples/cluster/README.md, Users") {
		t.Errorf("a runner cancels: %v", err)
	}
	if err := r.ReadAudit(t.Context(), time.Now(), io.Discard); !errors.As(err, &no) {
		t.Errorf("a runner reads the audit: %v", err)
	}
	const api = "$JS.API."
	ask := func(c *cluster.Cluster, subject, data string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		stop := denied.next(cancel)
		defer stop()
		_, err := c.Conn().RequestWithContext(ctx, subject, []byte(data))
		return err
	}
	for what, try := range map[string]struct {
		c             *cluster.Cluster
		subject, data string
	}{
		"a runner queues a job":               {r, cluster.JobSubject("gpu", "r", "b"), "{}"},
		"a runner deletes a stream":           {r, api + "STREAM.DELETE." + cluster.RecordsStream, ""},
		"a runner takes jobs of another pool": {r, api + "CONSUMER.MSG.NEXT." + cluster.QueueStream + ".other", "1"},
		"a runner makes a queue of all":       {r, api + "CONSUMER.CREATE." + cluster.QueueStream + ".gpu.ut.run.>", "{}"},
		"a runner cancels":                    {r, cluster.CancelSubject("y"), ""},
		"a runner reads stored values":        {r, api + "STREAM.MSG.GET." + cluster.KeptStream, `{"seq":1}`},
		"a front end takes a job":             {f, api + "CONSUMER.MSG.NEXT." + cluster.QueueStream + ".gpu", "1"},
		"a front end makes a queue":           {f, api + "CONSUMER.CREATE." + cluster.QueueStream + ".x.ut.run.>", "{}"},
		"a front end deletes a stream":        {f, api + "STREAM.DELETE." + cluster.QueueStream, ""},
		"an admin writes a record":            {a, cluster.Prefix + "rec.x.y", ""},
		"an admin reads one":                  {a, api + "STREAM.MSG.GET." + cluster.RecordsStream, `{"seq":1}`},
		"a reader writes a record":            {reads, cluster.Prefix + "rec.x.y", ""},
		"a reader deletes records":            {reads, api + "STREAM.PURGE." + cluster.RecordsStream, ""},
		"a reader publishes a registry":       {reads, "$O." + cluster.FilesBucket + ".M.x", ""},
		"a reader saves a script":             {reads, cluster.StateSubjects + "script._.x", ""},
	} {
		if err := ask(try.c, try.subject, try.data); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, c := range map[string]*cluster.Cluster{"front end": f, "runner": r, "reader": reads} {
		for _, subject := range []string{"_INBOX.>", ">", cluster.Prefix + ">"} {
			heard := make(chan struct{})
			stop := denied.next(func() { close(heard) })
			if _, err := c.Conn().SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			select {
			case <-heard:
			case <-late(t):
				t.Errorf("a %s may subscribe to %s", what, subject)
			}
			stop()
		}
	}

	// Another account has streams of its own, and hears nothing.
	other := connected(stranger)
	all, err := other.Conn().SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Conn().FlushTimeout(cluster.Each); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*cluster.Cluster{f, r} {
		begin(t, c.Store(nil)).Close()
		if err := c.Conn().FlushTimeout(cluster.Each); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Conn().Publish("ut.mine", nil); err != nil {
		t.Fatal(err)
	}
	m, err := all.NextMsg(10 * time.Second)
	for err == nil && strings.HasPrefix(m.Subject, "$JS.EVENT.ADVISORY.STREAM.CREATED.") { // of its own streams, just made
		m, err = all.NextMsg(10 * time.Second)
	}
	if err != nil || m.Subject != "ut.mine" {
		t.Errorf("the other account hears %+v, %v", m, err)
	}
	got, err := other.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Processes)+len(got.Pools) > 0 || got.Registry != nil ||
		slices.ContainsFunc(got.Streams, func(s *cluster.Stream) bool { return s.State.Msgs > 0 && s.Config.Name != cluster.StateStream }) {
		t.Errorf("the other account sees %+v", got)
	}
	if _, err := cluster.Connect(t.Context(), &cluster.Options{URL: url}); err == nil {
		t.Error("who has no key is let in")
	}
}
