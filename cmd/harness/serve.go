package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/harness/help"
	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/registry/config"
)

func (e *env) serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the MCP tool execute over stdio or HTTP",
		Description: `Without -http it serves MCP over stdio; clients start it that way (-print-config prints
their entry). HTTP clients need no token at a loopback address. At other addresses they
need one (-token-file, or USETOOLS_TOKEN), unless -insecure is given. Each line of a
token file is a token, or a name and a token. Servers and tools that come, go or change
are followed. Ctrl-C ends it: no new script starts, and running ones have -grace. The
log goes to stderr; -q keeps only errors.

  harness serve -print-config claude                 the entry for a client's config
  harness serve -http 127.0.0.1:7337                 http://127.0.0.1:7337/mcp
  harness serve -tools discovery                     with tools that find and load tools
  harness serve -deny 'git.*_push' -approve destructive -audit runs.jsonl
  harness serve -state ~/.local/state/usetools       and harness runs lists the runs
  harness serve -http :7337 -cluster nats://a:4222   scripts run on a harness runner -cluster …`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "http", Usage: "serve streamable HTTP at `ADDRESS`, host:port"},
			choice(e, "tools", "`MODE`: execute; discovery (and tool_find …); classic (search_tools …, no scripts); all",
				serve.Execute, serve.Modes...),
			&cli.StringFlag{Name: "print-config", Usage: "print the entry for `CLIENT` and exit: " +
				strings.Join(clients.Names(), ", ")},
			&cli.IntFlag{Name: "list-tokens", Usage: "size of the tool list, at most `N` tokens, 300 to 4000",
				Value: serve.DefaultListTokens},
			&cli.IntFlag{Name: "answer", Usage: "size of an answer, at most `N` characters", Value: serve.DefaultAnswer},
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of a script; clients may set less",
				Value: 30 * time.Second, Validator: positive},
			memoryFlag("`MB` of memory for each script's process"),
			&cli.IntFlag{Name: "max-runs", Usage: "`N` scripts at a time (default: 8, or what fits into memory; 64 with -cluster alone)",
				HideDefault: true},
			&cli.IntFlag{Name: "max-queue", Usage: "queue at most `N` scripts", Value: guard.DefaultMaxQueue},
			&cli.Int64Flag{Name: "max-result-bytes",
				Usage: "`N` bytes of tool results in transfer per session; further calls wait", Value: harness.DefaultRoom,
				Validator: roomFits},
			&cli.IntFlag{Name: "spares", Usage: "keep `N` spare workers", Value: 2},
			strictFlag(),
			&cli.StringFlag{Name: "audit", Usage: "append each run and call to `FILE`, as lines of JSON"},
			&cli.BoolFlag{Name: "audit-args", Usage: "record the values of arguments too"},
			&cli.BoolFlag{Name: "audit-required",
				Usage: "record each run before it starts, too, and start none while the file cannot be written"},
			stateFlag("keep a record of each run in `DIR`, where harness runs looks for it (default: the last " +
				strconv.Itoa(serve.DefaultRecords) + ", in memory; usetools in your state folder if rules require approval)"),
			&cli.StringFlag{Name: "keep-age", Usage: "remove records older than `D`; 0 keeps all", Value: "30d",
				Validator: func(s string) error {
					_, err := present.Age(s)
					return err
				}},
			&cli.IntFlag{Name: "keep-mb", Usage: "remove the oldest records above `MB` in total; 0 keeps all",
				Value: 1024, Validator: atLeast(0)},
			choice(e, "resume", "`RULE` for resuming runs whose process died, at the start: ask (the log names them), auto or never",
				serve.ResumeAsk, serve.Resumings...),
			choice(e, "approvals", "`WHOSE` approvals count: any, or console: those of the operator and of tokens with the right to approve, "+
				"given in the console of this server or with the tool approvals; neither those of the client that sent the script nor "+
				"those of harness approvals", serve.ApprovalsAny, serve.AllApprovals...),
			&cli.BoolFlag{Name: "no-rejoin", Usage: "start a new run even if the same request waits"},
			tokenFileFlag(),
			&cli.StringFlag{Name: "key-file", Usage: "`FILE` with the key that several instances share " +
				"(or " + serve.KeyVariable + "); openssl rand -hex 32 makes one"},
			&cli.BoolFlag{Name: "stateless", Usage: "use no sessions, so that any instance can answer any request"},
			&cli.BoolFlag{Name: "insecure", Usage: "accept clients without a token"},
			allowHostFlag(),
			&cli.StringSliceFlag{Name: "allow-origin", Usage: "accept browsers' requests from this `ORIGIN`; may be repeated"},
			&cli.IntFlag{Name: "max-connections", Usage: "accept `N` HTTP connections at a time; more wait",
				Value: transport.DefaultMaxConnections, Validator: atLeast(1)},
			&cli.DurationFlag{Name: "grace", Usage: "time limit of running scripts when the server ends",
				Value: serve.DefaultGrace},
			&cli.DurationFlag{Name: "poll", Usage: "interval of asking all servers for their tools; negative: never", Value: 5 * time.Minute},
			&cli.BoolFlag{Name: "no-watch", Usage: "use the registry as it is; do not watch the servers"},
			&cli.BoolFlag{Name: "no-console", Usage: "serve no pages at / (harness console)"},
			&cli.BoolFlag{Name: "runner", Usage: "with -cluster: run scripts of the pool in this process, too"},
			rerunFlag(), poolFlag(),
			e.sandboxFlag(),
		}, slices.Concat(e.policyFlags(), join.Flags())...),
		Action: e.serve,
	}
}

func tokenFileFlag() cli.Flag {
	return &cli.StringFlag{Name: "token-file", Usage: "`FILE` with the tokens that HTTP clients must send (or USETOOLS_TOKEN)"}
}

func allowHostFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "allow-host", Usage: "accept HTTP requests for this `HOST`; may be repeated"}
}

// printConfig prints the entry for a client's config.
func (e *env) printConfig(c *cli.Command, name string) error {
	client, err := clients.Get(name)
	if err != nil {
		return usageError{err.Error()}
	}
	addr, token := c.String("http"), c.String("token-file") != "" || os.Getenv(clients.TokenVariable) != ""
	text, err := client.Config(e.invocation(c), addr, token)
	if err != nil {
		return usageError{err.Error()}
	}
	configs := e.files(c).AllConfigs()
	used, _ := filepath.Abs(append(configs, "")[0])
	if own, err := client.Files("."); err == nil && slices.ContainsFunc(own, func(f [2]string) bool { return f[0] == used }) {
		e.say(c, "the config here is also the client's file, so do not replace its servers by this entry: harness install %s "+
			"moves them into a config for the harness", name)
	}
	if addr == "" && len(configs) == 0 {
		e.say(c, "there is no config here, so that the entry names none: the server will look for one in the folder "+
			"that the client starts it in; -config FILE names one")
	}
	e.say(c, "for %s; the other servers there must go, or the model sees their tools too: harness "+
		"install %s moves them", client.Where(), name)
	_, err = io.WriteString(e.stdout, text)
	return err
}

func positive(d time.Duration) error {
	if d <= 0 {
		return errors.New("want more than 0, as in 30s or 2m")
	}
	return nil
}

func roomFits(n int64) error {
	if n < 1<<20 || n > harness.MaxRoom {
		return fmt.Errorf("want %d to %d, the limit for all sessions together", 1<<20, harness.MaxRoom)
	}
	return nil
}

func (e *env) serve(ctx context.Context, c *cli.Command) error {
	if err := idleServeFlags(c); err != nil {
		return err
	}
	if name := c.String("print-config"); name != "" {
		return e.printConfig(c, name)
	}
	log := e.serveLog(c)
	files := e.servedFiles(c, log)
	opts, err := e.serveOptions(c, files, log)
	if err != nil {
		return err
	}
	if c.String("http") != "" {
		if opts.Key, err = serve.ReadKey(c.String("key-file"), os.Getenv(serve.KeyVariable)); err != nil {
			return usageError{err.Error()}
		}
	}
	cl, err := e.connected(ctx, c, log)
	if err != nil {
		return err
	}
	if err := e.keepRecords(c, cl, files, opts); err != nil {
		return err
	}
	spares := opts.Spares
	if cl != nil {
		if err := shared(ctx, c, cl, files); err != nil {
			return err
		}
		end, err := e.inCluster(c, cl, opts)
		if err != nil {
			return err
		}
		defer end()
		opts.Spares = 0
	}
	var http *serve.HTTP
	if addr := c.String("http"); addr != "" {
		http = &serve.HTTP{Endpoint: transport.Endpoint{Address: addr, Insecure: c.Bool("insecure"), Hosts: c.StringSlice("allow-host"), Origins: c.StringSlice("allow-origin"), MaxConnections: c.Int("max-connections")}, Stateless: c.Bool("stateless"), NoConsole: c.Bool("no-console"), Secret: make([]byte, 32)}
		rand.Read(http.Secret)
		if http.Tokens, err = transport.ReadTokens(c.String("token-file"), os.Getenv(clients.TokenVariable)); err != nil {
			return usageError{err.Error()}
		}
		if err := http.Check(); err != nil {
			return usageError{err.Error()}
		}
		if http.Stateless && cl == nil && (opts.Key == nil || !c.IsSet("state")) {
			log.Warn("-stateless without -key-file and -state: several instances do not know one another's approvals, waiting " +
				"runs and requests; give all of them the same ones")
		}
		if err := http.Listen(); err != nil {
			return usageError{err.Error()}
		}
		if c.String("approvals") == string(serve.ApprovalsConsole) && http.ConsoleLink() == "" && !http.Tenants() {
			return usageError{"-approvals console here: the sender of scripts has the only token, and would approve its own calls; add " +
				"another one to -token-file, with the right to approve or to operate in the config"}
		}
		for _, name := range unheld(files.AllConfigs(), http.Tokens) {
			log.Warn("usetools.tokens in the config names a token that no client has", "token", name)
		}
		if http.Tenants() || http.Insecure {
			files.NoMemory = true // one client's scripts must not change how another's phrases resolve
		}
	}
	s, err := serve.New(opts)
	if err != nil {
		return usageError{err.Error()}
	}
	if cl != nil && c.Bool("runner") {
		running, stop := context.WithCancel(ctx)
		wait := e.runScripts(running, c, cl, opts, spares, s.Catalog)
		defer func() {
			stop()
			if err := wait(); err != nil {
				log.Error("the runner", "error", err)
			}
		}()
	}
	defer s.Close()
	if http != nil {
		if link := http.ConsoleLink(); link != "" && !http.NoConsole {
			log.Info("console", "open", link, "once_within", "10m")
		}
		return s.HTTP(ctx, http)
	}
	e.notifyTyping("waiting for an MCP client on stdin. Clients start this program themselves: -print-config claude prints " +
		"their entry, -http serves over HTTP; Ctrl-C ends it")
	return s.Stdio(ctx, os.Stdin, os.Stdout)
}

// serveLog returns the logger of a server, which writes to stderr.
func (e *env) serveLog(c *cli.Command) *slog.Logger {
	level := slog.LevelInfo
	if c.Bool("q") {
		level = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level}))
}

// telemetry starts the telemetry that the OTEL_ variables configure. It returns nil if they
// configure none. It is closed when the command ends.
func (e *env) telemetry(log *slog.Logger) (*telemetry.Telemetry, error) {
	t, err := telemetry.Open(context.Background(), thisBuild().Version, log)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	e.closing = append(e.closing, func() {
		if err := t.Close(); err != nil {
			log.Warn("sending telemetry", "error", err)
		}
	})
	return t, nil
}

// servedFiles returns the files with the tools of a server.
func (e *env) servedFiles(c *cli.Command, log *slog.Logger) *catalog.Files {
	files := e.files(c)
	e.endLine() // a server writes a log instead
	files.Log = func(line string) { log.Info(line) }
	files.Progress, files.Keep, files.Asks = nil, true, true
	return files
}

// frontRuns is the default number of scripts of one front end that run, or wait, at runners
// at a time.
const frontRuns = 64

// serveOptions returns the options from the flags of serve and console, except the records.
func (e *env) serveOptions(c *cli.Command, files *catalog.Files, log *slog.Logger) (*serve.Options, error) {
	spares := c.Int("spares")
	memory := e.memoryOf(c)
	runs, err := cmp.Or(c.Int("max-runs"), frontRuns), error(nil)
	if join.URL(c) == "" || c.Bool("runner") { // otherwise scripts run on other machines
		if runs, err = guard.FitRuns(c.Int("max-runs"), spares, memory); err != nil {
			return nil, usageError{err.Error()}
		}
	}
	opts := &serve.Options{
		Catalog: files.Early, Tools: serve.Mode(c.String("tools")),
		ListTokens: c.Int("list-tokens"),
		UsageOrder: !c.Bool("stateless") && !c.Bool("no-usage"), Answer: c.Int("answer"),
		Limits: harness.Limits{Timeout: c.Duration("timeout"), Memory: memory}, Strict: c.Bool("strict"),
		Policy: policyOf(c),
		Resume: serve.Resuming(c.String("resume")), Approvals: serve.Approvals(c.String("approvals")),
		NoRejoin: c.Bool("no-rejoin"),
		Spares:   spares, BestEffort: c.String("sandbox") == bestEffort, MaxRuns: runs, MaxQueue: c.Int("max-queue"),
		MaxResultBytes: c.Int64("max-result-bytes"),
		Audit:          observe.AuditFile{Path: c.String("audit"), Args: c.Bool("audit-args"), Required: c.Bool("audit-required")},
		Grace:          c.Duration("grace"), Log: log, Version: thisBuild().Version, Files: files,
		Guides: help.Pages,
	}
	if opts.Telemetry, err = e.telemetry(log); err != nil {
		return nil, err
	}
	if !c.Bool("no-watch") {
		opts.Watch = func(ctx context.Context, updated func(*catalog.Catalog, error)) error {
			return files.Watch(ctx, c.Duration("poll"), updated)
		}
	}
	return opts, nil
}

// keepRecords sets where a server keeps the records of runs: in the cluster, or in the
// folder of -state. Without either they are in memory, or, if rules require approval, in
// the folder that harness approvals reads.
func (e *env) keepRecords(c *cli.Command, cl *cluster.Cluster, files *catalog.Files, opts *serve.Options) (err error) {
	o := storeOptions(files)
	inMemory := func(why string) error {
		opts.Log.Info("records of runs are kept in memory; -state DIR keeps them on disk"+why, "runs", serve.DefaultRecords)
		opts.Records, opts.KeptFor = store.Memory(serve.DefaultRecords, o), fmt.Sprintf("the last %d runs are kept, in memory", serve.DefaultRecords)
		return nil
	}
	if cl == nil && !c.IsSet("state") && !asksPeople(opts.Policy, files.AllConfigs()) {
		return inMemory("")
	}
	if o.Age, err = present.Age(c.String("keep-age")); err != nil {
		return usageError{err.Error()}
	}
	o.Bytes = int64(c.Int("keep-mb")) << 20
	if c.String("approvals") == string(serve.ApprovalsConsole) { // answers by other processes do not count
		key := opts.Key
		if key == nil {
			key = make([]byte, 32)
			rand.Read(key)
		}
		o.AnswerKey = serve.AnswerKey(key)
	}
	opts.Command, opts.KeptFor = lines(c), fmt.Sprintf("runs are kept for %s or %d MB", c.String("keep-age"), c.Int("keep-mb"))
	if cl != nil {
		opts.Records, opts.KeptFor = cl.Store(o), strings.Replace(opts.KeptFor, "kept", "kept in the cluster", 1)
		return nil
	}
	dir, _, err := stateDir(c)
	if err == nil {
		opts.Records, err = store.Open(dir, o)
	}
	switch {
	case err == nil:
		opts.Log.Info("records of runs", "folder", opts.Records.Dir(), "keep_age", c.String("keep-age"), "keep_mb", c.Int("keep-mb"))
	case !c.IsSet("state"):
		return inMemory(fmt.Sprintf("; calls that need approval are denied to clients that cannot ask: %v", err))
	}
	return err
}

// asksPeople reports whether the policy of a server, or a rule of its configs, requires
// approval.
func asksPeople(p *policy.Policy, configs []string) bool {
	if p.Approve != "" && p.Approve != policy.ApproveNone {
		return true
	}
	cfg, err := config.Load(configs...)
	if err != nil {
		return false // reported when the tools are loaded
	}
	rules, _, _ := catalog.Rules(cfg)
	return slices.ContainsFunc(rules, func(r policy.Rule) bool { return r.Then == policy.NeedsApproval })
}

// idleServeFlags returns an error for flags that have no effect together with the others.
func idleServeFlags(c *cli.Command) error {
	mode, approve := serve.Mode(c.String("tools")), policy.Approval(c.String("approve"))
	if c.String("approvals") == string(serve.ApprovalsConsole) && c.String("http") == "" {
		return usageError{"-approvals console over stdio: no one could approve, because the console and tokens with the right to " +
			"approve need HTTP: add -http 127.0.0.1:7337, or omit it"}
	}
	if c.String("approvals") == string(serve.ApprovalsConsole) && c.Bool("no-console") {
		return usageError{"-no-console with -approvals console: the console is where those who wait are answered; leave one of " +
			"them out"}
	}
	return cmp.Or(
		pointless(c, c.String("http") == "", "over stdio: add -http 127.0.0.1:7337, or omit it", httpFlags...),
		pointless(c, c.String("token-file") != "",
			"with -token-file, whose tokens are asked for all the same: omit one of them", "insecure"),
		pointless(c, c.String("audit") == "", "without -audit FILE: add that, or omit it", "audit-args",
			"audit-required"),
		pointless(c, !c.IsSet("state") && join.URL(c) == "", "without -state DIR or -cluster URL: add one, or omit it",
			"keep-age", "keep-mb", "resume"),
		pointless(c, approve == "" || approve == policy.ApproveNone,
			"without -approve destructive (or marked, writes): add that, or omit it", "approved"),
		pointless(c, c.Bool("no-watch"), "with -no-watch: omit one of them", "poll"),
		pointless(c, mode == serve.Classic, "with -tools classic, which has no execute: omit it", "list-tokens",
			"strict"))
}

// invocation returns the command with which a client starts this server: this program and
// the given flags, with absolute paths.
func (e *env) invocation(c *cli.Command) []string {
	exe, err := os.Executable()
	if err != nil {
		exe = "harness"
	}
	args := []string{exe}
	abs := func(p string) string {
		if a, err := filepath.Abs(p); err == nil {
			return a
		}
		return p
	}
	for _, f := range e.files(c).AllConfigs() {
		args = append(args, "-config", abs(f))
	}
	if r := c.String("registry"); r != "" {
		args = append(args, "-registry", abs(r))
	}
	for _, name := range []string{"no-observe", "no-usage", "no-memory"} {
		if c.Bool(name) {
			args = append(args, "-"+name)
		}
	}
	args = append(args, "serve")
	for _, f := range c.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) || slices.Contains(notPassedOn, name) {
			continue
		}
		switch v := c.Value(name).(type) {
		case []string:
			for _, x := range v {
				args = append(args, "-"+name, x)
			}
		case bool:
			if v {
				args = append(args, "-"+name)
			}
		default:
			if name == "audit" || name == "state" {
				v = abs(c.String(name))
			}
			args = append(args, "-"+name, fmt.Sprint(v))
		}
	}
	return args
}

// httpFlags are the flags without effect over stdio.
var httpFlags = []string{"no-console", "token-file", "key-file", "stateless", "insecure", "allow-host", "allow-origin", "max-connections"}

// notPassedOn are the flags of serve that a client's entry omits.
var notPassedOn = append([]string{"print-config", "http"}, httpFlags...)

// unheld returns the tokens that rules or rights in the configs name but no client has. It
// skips unreadable configs, which are reported elsewhere.
func unheld(configs []string, tokens map[string]string) []string {
	cfg, err := config.Load(configs...)
	if err != nil {
		return nil
	}
	rules, rights, err := catalog.Rules(cfg)
	if err != nil {
		return nil
	}
	named := maps.Clone(rights)
	for _, r := range rules {
		if r.Token != "" {
			if named == nil {
				named = map[string][]catalog.Right{}
			}
			named[r.Token] = nil
		}
	}
	maps.DeleteFunc(named, func(name string, _ []catalog.Right) bool { _, held := tokens[name]; return held })
	return slices.Sorted(maps.Keys(named))
}
