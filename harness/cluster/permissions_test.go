package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// user is a user of the servers: its key, and the file with its seed.
type user struct{ key, seed string }

func newUser(t testing.TB) user {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.nk")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	return user{key, path}
}

// granted is the entry of a user in a configuration, with the permissions of some roles.
func (u user) granted(t testing.TB, roles ...string) string {
	t.Helper()
	p, err := PermissionsOf(roles, "gpu", u.key)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{ nkey: %s, ", u.key)
	p.WriteTo(&b)
	return b.String() + "}\n"
}

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

// Three users of an account have what their roles need and nothing else, and another
// account sees nothing of it.
func TestPermissions(t *testing.T) {
	admin, front, runner, stranger := newUser(t), newUser(t), newUser(t), newUser(t)
	s := clustertest.Configured(t, "accounts: {\n A: { jetstream: enabled, users: [\n"+admin.granted(t, RoleAdmin)+
		front.granted(t, RoleFront)+runner.granted(t, RoleRunner)+"] }\n"+
		" B: { jetstream: enabled, users: [ { nkey: "+stranger.key+" } ] }\n}\n")
	url := s.ClientURL()
	var denied denials
	connected := func(u user) *Cluster {
		t.Helper()
		return connect(t, Options{URL: url, Creds: u.seed, Log: denied.logger()})
	}
	var no *PermissionError
	if _, err := Connect(t.Context(), &Options{URL: url, Creds: runner.seed}); !errors.As(err, &no) ||
		!strings.Contains(err.Error(), "-make-streams") {
		t.Errorf("a runner before there are streams: %v", err)
	}
	a := connected(admin)
	if s, err := a.Status(t.Context(), nil); err != nil || len(s.Streams) != 6 || len(s.Unseen) != 3 {
		t.Errorf("an admin sees %+v, %v", s, err)
	}
	f, r := connected(front), connected(runner)

	for u, c := range map[string]*Cluster{"front": f, "runner": r} {
		if _, err := c.announce(func(p *Process) { p.Front = u == "front" }); err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		store := c.Store(nil)
		w, err := store.Begin(&record.Begin{Script: record.String("package main\n"), Request: u, Once: u})
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		for range 2 * few { // so many messages that reading them takes a consumer
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
		got, err := c.Status(t.Context(), store)
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if got.User == nil || got.User.Permissions == nil || got.User.Account != "A" {
			t.Fatalf("%s: %+v", u, got.User)
		}
		for _, role := range Roles() {
			p, err := PermissionsOf([]string{role}, "gpu", map[string]user{"front": front, "runner": runner}[u].key)
			if err != nil {
				t.Fatal(err)
			}
			lacks := got.User.Lacks(p)
			if has := role == u; has != (len(lacks) == 0) {
				t.Errorf("%s as a %s lacks %q", u, role, lacks)
			}
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
	if _, err := r.firstRevision(t.Context(), filepath.Join(t.TempDir(), "registry.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Cluster{f, r} {
		if _, err := c.spread(t.Context(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Audit().Write([]byte("{}\n")); err != nil {
		t.Error(err)
	}
	if err := f.ReadAudit(t.Context(), time.Now().Add(-time.Hour), &strings.Builder{}); err != nil {
		t.Error(err)
	}
	_, h := fronting(t, f, FrontOptions{Pool: "gpu"})
	seller := newSeller()
	defer serving(t, r, seller, RunnerOptions{Pool: "gpu"})()
	large, err := json.Marshal(strings.Repeat("x", 2*part)) // its job does not fit into a message
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
		if want := map[string]harness.Status{"waiting": harness.Waiting}[name]; res.Status != cmp.Or(want, harness.OK) {
			t.Errorf("%s: %+v", name, res)
		}
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
		res.Status != harness.Canceled {
		t.Errorf("canceled: %+v", res)
	}
	if len(denied.all()) > 0 {
		t.Fatalf("denied: %q", denied.all())
	}

	if _, err := (&Front{c: r}).Cancel(t.Context(), "x"); !errors.As(err, &no) || no.Subject != cancelSubject("x") {
		t.Errorf("a runner cancels: %v", err)
	}
	if err := r.ReadAudit(t.Context(), time.Now(), io.Discard); !errors.As(err, &no) || no.What != "publish to" {
		t.Errorf("a runner reads the audit: %v", err)
	}
	ask := func(c *Cluster, subject, data string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		stop := denied.next(cancel)
		defer stop()
		_, err := c.conn.RequestWithContext(ctx, subject, []byte(data))
		return err
	}
	for what, try := range map[string]struct {
		c             *Cluster
		subject, data string
	}{
		"a runner queues a job":               {r, jobSubject("gpu", "r", "b"), "{}"},
		"a runner deletes a stream":           {r, api + "STREAM.DELETE." + recordsStream, ""},
		"a runner takes jobs of another pool": {r, api + "CONSUMER.MSG.NEXT." + queueStream + ".other", "1"},
		"a runner makes a queue of all":       {r, api + "CONSUMER.CREATE." + queueStream + ".gpu.ut.run.>", "{}"},
		"a runner cancels":                    {r, cancelSubject("y"), ""},
		"a runner reads stored values":        {r, api + "STREAM.MSG.GET." + keptStream, `{"seq":1}`},
		"a front end takes a job":             {f, api + "CONSUMER.MSG.NEXT." + queueStream + ".gpu", "1"},
		"a front end makes a queue":           {f, api + "CONSUMER.CREATE." + queueStream + ".x.ut.run.>", "{}"},
		"a front end deletes a stream":        {f, api + "STREAM.DELETE." + queueStream, ""},
		"an admin writes a record":            {a, prefix + "rec.x.y", ""},
		"an admin reads one":                  {a, api + "STREAM.MSG.GET." + recordsStream, `{"seq":1}`},
	} {
		if err := ask(try.c, try.subject, try.data); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, c := range map[string]*Cluster{"front end": f, "runner": r} {
		for _, subject := range []string{"_INBOX.>", ">", prefix + ">"} {
			heard := make(chan struct{})
			stop := denied.next(func() { close(heard) })
			if _, err := c.conn.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			select {
			case <-heard:
			case <-time.After(10 * time.Second):
				t.Errorf("a %s may subscribe to %s", what, subject)
			}
			stop()
		}
	}

	// Another account has streams of its own, and hears nothing.
	other := connected(stranger)
	all, err := other.conn.SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.conn.FlushTimeout(each); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Cluster{f, r} {
		begin(t, c.Store(nil)).Close()
		if err := c.conn.FlushTimeout(each); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.conn.Publish("ut.mine", nil); err != nil {
		t.Fatal(err)
	}
	if m, err := all.NextMsg(10 * time.Second); err != nil || m.Subject != "ut.mine" {
		t.Errorf("the other account hears %+v, %v", m, err)
	}
	got, err := other.Status(t.Context(), other.Store(nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Processes)+len(got.Pools) > 0 || got.Registry != nil ||
		slices.ContainsFunc(got.Streams, func(s *Stream) bool { return s.Messages > 0 && s.Name != stateStream }) {
		t.Errorf("the other account sees %+v", got)
	}
	if _, err := Connect(t.Context(), &Options{URL: url}); err == nil {
		t.Error("who has no key is let in")
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		all, some        string
		covers, overlaps bool
	}{
		{"a.>", "a.b", true, true}, {"a.>", "a.b.>", true, true}, {"a.>", "a", false, false}, {"a.*", "a.b", true, true},
		{"a.*", "a.>", false, true}, {"a.*", "a.*.c", false, false}, {"a.b", "a.*", false, true}, {"*.b", "a.b", true, true},
		{">", "a.*.>", true, true}, {"a.b", "a.c", false, false}, {"a.b.c", "a.>", false, true}, {"a", "a", true, true},
	} {
		if got := covers(c.all, c.some); got != c.covers {
			t.Errorf("%s covers %s: %t", c.all, c.some, got)
		}
		if got := overlap(c.all, c.some); got != c.overlaps {
			t.Errorf("%s and %s overlap: %t", c.all, c.some, got)
		}
	}
	if _, err := PermissionsOf([]string{"boss"}, "", ""); err == nil || !strings.Contains(err.Error(), "there are front, runner, admin") {
		t.Error(err)
	}
}
