package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
)

// poolFlag returns the flag that names a pool of runners.
func poolFlag() cli.Flag {
	return &cli.StringFlag{Name: "pool", Usage: "pool of runners, by `NAME`", Value: cluster.DefaultPool,
		Validator: cluster.ValidPool}
}

// connected connects to the cluster that the flags name. It returns nil without an error
// if they name none. The connection is closed when the command ends.
func (e *env) connected(ctx context.Context, c *cli.Command, log *slog.Logger) (*cluster.Cluster, error) {
	if join.URL(c) == "" {
		return nil, pointless(c, true, "without -cluster", append([]string{"pool", "runner"}, join.Beside...)...)
	}
	if err := pointless(c, true, "with -cluster, which has the records", "state"); err != nil {
		return nil, err
	}
	if e.cluster != nil {
		return e.cluster, nil
	}
	cl, err := join.Cluster(ctx, c, thisBuild().Version, log)
	if err != nil {
		return nil, err
	}
	e.cluster = cl
	e.closing = append(e.closing, func() { cl.Close() })
	return cl, nil
}

// shared makes files use the registry of the cluster, unless a flag names another one, and
// the cluster's saved scripts. cl may be nil.
func shared(ctx context.Context, c *cli.Command, cl *cluster.Cluster, files *catalog.Files) error {
	if cl == nil {
		return nil
	}
	if c.String("registry") == "" {
		if err := cl.Follow(ctx, files); err != nil {
			return err
		}
	}
	return cl.Scripts(ctx, files)
}

// inCluster makes a server a front end of a cluster. opts already has the cluster's
// records. Call end when the server has ended.
func (e *env) inCluster(c *cli.Command, cl *cluster.Cluster, opts *serve.Options) (end func(), err error) {
	front, err := cl.Front(&cluster.FrontOptions{Records: opts.Records, Pool: c.String("pool"), Version: opts.Version})
	if err != nil {
		return nil, err
	}
	opts.Elsewhere, opts.Kept, opts.Audit.To = front, cl.Kept(), cl.Audit()
	opts.Metrics, opts.Engine = cl.WriteMetrics, cl.Reached
	opts.Cluster = func(ctx context.Context) (*console.Cluster, error) { return clusterShown(ctx, cl) }
	if len(opts.Key) == 0 { // all front ends use the same key
		opts.Key, err = opts.Records.MAC("usetools front ends/1")
	}
	return func() { front.Close() }, err
}

// cancelRun cancels a run of a cluster.
func (e *env) cancelRun(ctx context.Context, c *cli.Command) error {
	cl, err := e.connected(ctx, c, nil)
	if err != nil {
		return err
	}
	if cl == nil {
		return usageError{"runs cancel wants the -cluster of the run; Ctrl-C cancels a run of this terminal"}
	}
	front, err := cl.Front(&cluster.FrontOptions{Records: cl.Store(nil), Version: thisBuild().Version})
	if err != nil {
		return err
	}
	defer front.Close()
	id := c.Args().First()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	done, err := front.Cancel(ctx, id)
	if err == nil && !done {
		err = fmt.Errorf("run %q is neither queued nor running; harness runs show has its status", id)
	}
	return err
}

// clusterShown returns the state of a cluster for the console.
func clusterShown(ctx context.Context, cl *cluster.Cluster) (*console.Cluster, error) {
	s, err := cl.Status(ctx)
	if err != nil {
		return nil, err
	}
	out := &console.Cluster{Engine: fmt.Sprintf("nats-server %s answers in %.1f ms", s.Version, s.RoundTripMs)}
	if s.Registry != nil {
		out.Engine += fmt.Sprintf("; registry of %v ago", time.Since(s.Registry.Published).Round(time.Second))
	}
	for _, p := range s.Pools {
		out.Queues = append(out.Queues, console.ClusterQueue{Name: p.Name, Waiting: p.Waiting, UnderWay: p.UnderWay,
			Places: p.Places, Oldest: int(p.OldestS)})
	}
	for _, p := range s.Processes {
		q := console.ClusterProcess{Name: p.Name, Kind: p.Kind(), Version: p.Version, Registry: "none"}
		switch {
		case p.Revision == "":
		case s.Registry != nil && p.Revision == s.Registry.Revision:
			q.Registry = "the newest"
		default:
			q.Registry = "an older one"
		}
		if p.Runner != nil {
			q.Kind += " of " + p.Runner.Pool
			q.Running, q.Places = p.Runner.Running, p.Runner.Max
		}
		out.Processes = append(out.Processes, q)
	}
	return out, nil
}

// runScripts starts a runner with the flags of a command. It takes scripts until ctx ends;
// wait returns when it has ended.
func (e *env) runScripts(ctx context.Context, c *cli.Command, cl *cluster.Cluster, opts *serve.Options, spares int,
	catalog func(context.Context) (*catalog.Catalog, func(), error)) (wait func() error) {
	h := harness.New(&harness.Options{Records: opts.Records, Spares: spares, BestEffort: opts.BestEffort, Version: opts.Version})
	done := make(chan error, 1)
	go func() {
		done <- cl.Serve(ctx, &cluster.RunnerOptions{Harness: h, Records: opts.Records, Catalog: catalog,
			Pool: c.String("pool"), MaxRuns: opts.MaxRuns, RerunReads: c.Bool("rerun-reads"), ReadOnly: c.Bool("read-only"),
			Deny: c.StringSlice("deny"), Limits: opts.Limits, Grace: max(opts.Grace, 0),
			Telemetry: opts.Telemetry})
	}()
	return func() error { return errors.Join(<-done, h.Close()) }
}

func (e *env) runnerCommand() *cli.Command {
	return &cli.Command{
		Name:  "runner",
		Usage: "run scripts for the front ends of a cluster",
		Description: `Takes scripts from the queue of a cluster, runs them and stores their records there.
Front ends (harness serve -cluster) queue them. Start one runner per machine; each takes
a script when it has a free place. A call must be allowed by the policy of the front end
and not denied here. The smaller limits of both apply. Ctrl-C ends it: it takes no new
script, and running ones have -grace.

A run whose runner dies ends as lost: effect calls may have been made, so it is not
repeated. With -rerun-reads, a run that made only read calls continues on another
runner.

  harness runner -cluster nats://a:4222,nats://b:4222,nats://c:4222
  harness runner -cluster tls://nats.example.com -cluster-creds runner.nk -pool gpu
  harness runner -cluster nats://127.0.0.1:4222 -max-runs 32 -rerun-reads
  harness runner -cluster nats://127.0.0.1:4222 -metrics 127.0.0.1:9337`,
		Flags: append(join.Flags(), poolFlag(),
			&cli.IntFlag{Name: "max-runs", Usage: "`N` scripts at a time (default: 8, or what fits into memory)", HideDefault: true},
			rerunFlag(),
			&cli.IntFlag{Name: "spares", Usage: "keep `N` spare workers", Value: 2},
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of a script; front ends may set less", Value: 30 * time.Second,
				Validator: positive},
			memoryFlag("`MB` of memory for each script's process"),
			&cli.StringSliceFlag{Name: "deny", Usage: "call none of these tools (`PATTERN`); may be repeated"},
			&cli.BoolFlag{Name: "read-only", Usage: "deny tools that are not marked as read-only"},
			&cli.DurationFlag{Name: "grace", Usage: "time limit of running scripts when the runner ends", Value: serve.DefaultGrace},
			&cli.DurationFlag{Name: "poll", Usage: "interval of asking all servers for their tools; negative: never", Value: 5 * time.Minute},
			&cli.BoolFlag{Name: "no-watch", Usage: "use the registry as it is; do not watch the servers"},
			&cli.StringFlag{Name: "metrics", Usage: "serve /metrics and /healthz at `ADDR`, host:port"},
			tokenFileFlag(),
			&cli.BoolFlag{Name: "insecure", Usage: "serve -metrics to clients without a token"},
			allowHostFlag(),
			e.sandboxFlag()),
		Action: e.runner,
	}
}

// rerunFlag returns the flag for commands that run scripts of a cluster.
func rerunFlag() cli.Flag {
	return &cli.BoolFlag{Name: "rerun-reads", Usage: "continue runs of a lost runner on another one, if they made only read calls"}
}

func (e *env) runner(ctx context.Context, c *cli.Command) error {
	if join.URL(c) == "" {
		return usageError{"runner wants -cluster URL, as in nats://127.0.0.1:4222, or " + join.Variable}
	}
	if err := pointless(c, c.String("metrics") == "", "without -metrics ADDR: add that, or omit it", "token-file", "insecure",
		"allow-host"); err != nil {
		return err
	}
	log := e.serveLog(c)
	files := e.servedFiles(c, log)
	spares, memory := c.Int("spares"), e.memoryOf(c)
	places, err := guard.FitRuns(c.Int("max-runs"), spares, memory)
	if err != nil {
		return usageError{err.Error()}
	}
	http, err := monitorAt(c)
	if err != nil {
		return err
	}
	cl, err := e.connected(ctx, c, log)
	if err != nil {
		return err
	}
	if err := shared(ctx, c, cl, files); err != nil {
		return err
	}
	opts := &serve.Options{Records: cl.Store(storeOptions(files)), MaxRuns: places, BestEffort: c.String("sandbox") == bestEffort,
		Limits: harness.Limits{Timeout: c.Duration("timeout"), Memory: memory}, Grace: c.Duration("grace"),
		Version: thisBuild().Version}
	if opts.Telemetry, err = e.telemetry(log); err != nil {
		return err
	}
	cat := &newestCatalog{load: files.Early, keep: opts.Limits.Timeout}
	if !c.Bool("no-watch") {
		watching, end := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() {
			if err := files.Watch(watching, c.Duration("poll"), cat.renew); err != nil && watching.Err() == nil {
				log.Error("watching the servers", "error", err)
			}
		})
		defer watch.Wait()
		defer end()
	}
	if http != nil {
		monitoring, end := context.WithCancel(ctx)
		var monitor sync.WaitGroup
		monitor.Go(func() {
			err := (&observe.Monitor{Metrics: cl.WriteMetrics, Engine: cl.Reached, Load: cl.Load, Log: log}).Serve(monitoring, http)
			if err != nil {
				log.Error("serving metrics", "error", err)
			}
		})
		defer monitor.Wait()
		defer end()
	}
	log.Info("running scripts", "pool", c.String("pool"), "places", places)
	return e.runScripts(ctx, c, cl, opts, spares, cat.acquire)()
}

// monitorAt opens the address at which a runner serves its health and metrics. It returns
// nil without an error if no flag names one.
func monitorAt(c *cli.Command) (*transport.Endpoint, error) {
	if c.String("metrics") == "" {
		return nil, nil
	}
	http := &transport.Endpoint{Address: c.String("metrics"), Insecure: c.Bool("insecure"), Hosts: c.StringSlice("allow-host")}
	var err error
	if http.Tokens, err = transport.ReadTokens(c.String("token-file"), os.Getenv(clients.TokenVariable)); err == nil {
		err = http.Check()
	}
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return http, http.Listen()
}

// newestCatalog holds the current catalog. A run keeps the one that it began with.
type newestCatalog struct {
	load func(context.Context) (*catalog.Catalog, error)
	keep time.Duration // the longest time that a run takes

	mu    sync.Mutex
	cat   *catalog.Catalog // nil until it is first needed
	users *sync.WaitGroup
}

func (n *newestCatalog) acquire(ctx context.Context) (*catalog.Catalog, func(), error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cat == nil {
		cat, err := n.load(ctx)
		if err != nil {
			return nil, nil, &catalog.Error{Err: err}
		}
		n.cat, n.users = cat, &sync.WaitGroup{}
	}
	n.users.Add(1)
	return n.cat, n.users.Done, nil
}

// renew replaces the catalog. It waits, within bounds, for the runs that use the previous
// one, and then closes its connections.
func (n *newestCatalog) renew(cat *catalog.Catalog, err error) {
	if err != nil {
		return
	}
	n.mu.Lock()
	before, users := n.cat, n.users
	n.cat, n.users = cat, &sync.WaitGroup{}
	n.mu.Unlock()
	if before == nil || before.Calls == cat.Calls {
		return
	}
	done := make(chan struct{})
	go func() { users.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(n.keep + 2*time.Second):
	}
}
