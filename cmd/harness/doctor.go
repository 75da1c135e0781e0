package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/embed"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// Short names of the findings.
type finding = present.Finding

const (
	fine    = present.Fine
	warning = present.Warning
	broken  = present.Broken
)

func (e *env) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check config, servers, registry, model, types and sandbox",
		Description: `Prints a line for each check as soon as it ends, with what to do if something is wrong.
The checks run side by side, and every server is asked for its tools: a slow server
delays only its own line and that of the registry, which keeps the answers for the next
commands. Exit code 1 if a check failed; warnings are not failures.

With -cluster it also checks the NATS servers, their streams, the permissions of this
user, the runners and the queue. -make-streams creates missing streams; with
permissions, do this once, as a user of the role admin.

  harness doctor
  harness doctor -timeout 5s
  harness doctor -cluster nats://127.0.0.1:4222 -monitor http://127.0.0.1:8222
  harness doctor -cluster tls://nats.example.com -cluster-creds admin.nk -make-streams -replicas 3
  harness -json doctor | jq '.findings[] | select(.status != "ok")'`,
		Flags: append([]cli.Flag{
			&cli.DurationFlag{Name: "timeout", Usage: "time limit for the start of each server (default: that of its entry)",
				HideDefault: true, Validator: positive},
		}, doctorClusterFlags()...),
		Action: e.doctor,
	}
}

func (e *env) doctor(ctx context.Context, c *cli.Command) error {
	inCluster := join.URL(c) != ""
	if err := pointless(c, !inCluster, "without -cluster", append([]string{"monitor", "make-streams"},
		join.Beside...)...); err != nil {
		return err
	}
	if err := pointless(c, !c.Bool("make-streams"), "without -make-streams", "replicas"); err != nil {
		return err
	}
	files := e.files(c)
	cfg, first := checkConfig(files)
	defer e.endLine()
	checks := []check{{first.Check, time.Minute, func(context.Context) []finding { return []finding{first} }}}
	var job *build.Job
	if cfg != nil {
		for i := range cfg.Servers {
			if c.IsSet("timeout") {
				cfg.Servers[i].StartTimeout = c.Duration("timeout")
			}
			checks = append(checks, check{"server " + cfg.Servers[i].Name, 0,
				func(ctx context.Context) []finding { return checkServer(ctx, job, cfg, i) }})
		}
		job = files.Renew(ctx, cfg)
		defer job.Close()
		checks = append(checks, check{"settings", 10 * time.Second,
			func(ctx context.Context) []finding { return checkSettings(ctx, cfg) }})
	}
	checks = append(checks,
		check{"registry", 0, func(ctx context.Context) []finding {
			if job != nil {
				if err := saveAnswers(ctx, files, job, c.IsSet("timeout")); err != nil {
					return []finding{{Check: "registry", Status: broken, Detail: err.Error()}}
				}
			}
			return checkRegistry(files, cfg)
		}},
		check{"model", time.Minute, func(context.Context) []finding { return []finding{checkModel()} }},
		check{"records", time.Minute, checkRecords},
		check{"approvals", time.Minute, checkApprovals},
		check{"types", time.Minute, func(context.Context) []finding { return []finding{checkTypes()} }},
		check{"sandbox", time.Minute, checkSandbox})
	if inCluster {
		checks = append(checks, check{"cluster", time.Minute, func(ctx context.Context) []finding { return checkCluster(ctx, c) }})
	}

	all := make([][]finding, len(checks))
	failed := 0
	waiting := func(names []string) {
		if !c.Bool("q") && e.line == nil {
			fmt.Fprintln(e.stderr, "harness: waiting for", strings.Join(names, ", "))
		}
	}
	for i, found := range examine(ctx, checks, waiting) {
		all[i] = found
		for _, f := range found {
			if f.Status == broken {
				failed++
			}
			if c.Bool("json") || c.Bool("q") && f.Status == fine {
				continue
			}
			e.line.Clear()
			if err := e.show(present.Health(f)); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.Bool("json") {
		if err := e.print(map[string]any{"findings": slices.Concat(all...), "failed": failed,
			"build": thisBuild()}); err != nil {
			return err
		}
	}
	if failed > 0 {
		return exit(1)
	}
	return nil
}

// check is one check and its time limit. If the limit is zero, the check bounds itself.
type check struct {
	name string
	wait time.Duration
	look func(context.Context) []finding
}

// overtime is how long a check may take after its limit to report the timeout itself.
const overtime = 5 * time.Second

// patience is how long the checks run before the command names the slow ones.
const patience = 3 * time.Second

// examine runs all checks concurrently and yields the findings of each with its index as
// soon as they are known. It does not wait for a check beyond its limit. It calls waiting
// once with the names of the slow checks.
func examine(ctx context.Context, checks []check, waiting func(names []string)) iter.Seq2[int, []finding] {
	type result struct {
		place int
		found []finding
	}
	results := make(chan result, len(checks))
	for i, c := range checks {
		done := make(chan []finding, 1)
		go func() {
			ctx := ctx
			if c.wait > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.wait)
				defer cancel()
			}
			done <- c.look(ctx)
		}()
		go func() {
			var late <-chan time.Time
			if c.wait > 0 {
				t := time.NewTimer(c.wait + overtime)
				defer t.Stop()
				late = t.C
			}
			select {
			case found := <-done:
				results <- result{i, found}
			case <-late:
				results <- result{i, []finding{{Check: c.name, Status: broken,
					Detail: fmt.Sprintf("the check did not finish within %v", c.wait+overtime)}}}
			}
		}()
	}
	return func(yield func(int, []finding) bool) {
		tell := time.NewTimer(patience)
		defer tell.Stop()
		for ended := make(map[int]bool); len(ended) < len(checks); {
			select {
			case r := <-results:
				ended[r.place] = true
				if !yield(r.place, r.found) {
					return
				}
			case <-tell.C:
				var names []string
				for i, c := range checks {
					if !ended[i] {
						names = append(names, c.name)
					}
				}
				waiting(names)
			case <-ctx.Done():
				return
			}
		}
	}
}

func checkConfig(files *catalog.Files) (*config.Config, finding) {
	f := finding{Check: "config"}
	paths := files.AllConfigs()
	if len(paths) == 0 {
		f.Status, f.Detail = warning, "no config with servers here: scripts have no tools"
		f.Do = "harness add makes one, harness install moves the servers of a client into one, -config FILE names one"
		if refused := config.Search(".").Refused; len(refused) > 0 {
			f.Status, f.Detail = broken, strings.Join(refused, "; ")
		}
		return nil, f
	}
	cfg, err := config.Load(paths...)
	if err != nil {
		f.Status, f.Detail, f.Do = broken, err.Error(), "correct the file; the other checks need it"
		return nil, f
	}
	f.Status = fine
	f.Detail = fmt.Sprintf("%s: %s", strings.Join(paths, ", "), text.Count(len(cfg.Servers), "server"))
	if n := len(cfg.Self); n > 0 {
		f.Detail += fmt.Sprintf("; omitted: %s, which is this harness", strings.Join(cfg.Self, ", "))
	}
	if n := len(cfg.Disabled); n > 0 {
		f.Detail += fmt.Sprintf(", %d disabled (%s)", n, strings.Join(cfg.Disabled, ", "))
	}
	if len(cfg.Servers) == 0 {
		f.Status, f.Do = warning, `add servers under "mcpServers"`
	}
	return cfg, f
}

// checkServer waits for the answer of the i-th server of a config and reports it.
func checkServer(ctx context.Context, job *build.Job, cfg *config.Config, i int) []finding {
	s := &cfg.Servers[i]
	f := finding{Check: "server " + s.Name, Status: broken}
	switch r, tools, err := job.Server(ctx, i); {
	case err != nil:
		f.Detail = err.Error()
	case r.Err != nil:
		f.Detail, f.Do = catalog.OfServer(s.Name, r.Err.Error()),
			fmt.Sprintf("correct its entry in %s, or disable it: %s", s.File, registry.Command("-config", s.File)("disable", s.Name))
	default:
		f.Status, f.Detail = fine, fmt.Sprintf("%s in %v", text.Count(r.Tools, "tool"), r.Time.Round(time.Millisecond))
		if n := silent(tools, cfg); n > 0 {
			f.Detail += fmt.Sprintf("; %d do not declare whether they are destructive", n)
		}
		if r.Hidden > 0 {
			f.Detail += fmt.Sprintf("; %d left out by its allow and deny lists", r.Hidden)
		}
		if r.Tools == 0 {
			f.Status, f.Do = warning, "check the allow and deny lists of its entry"
		}
		// checkSettings reports the notes
		if odd := slices.DeleteFunc(r.Problems, func(p string) bool { return slices.Contains(s.Notes, p) }); len(odd) > 0 {
			f.Status, f.Do = warning, "correct its entry, or report it to the authors of the server"
			f.Detail += "; " + strings.Join(odd[:min(len(odd), 3)], "; ")
		}
	}
	return []finding{f}
}

// checkSettings checks the config's settings for finding tools.
func checkSettings(ctx context.Context, cfg *config.Config) []finding {
	f := finding{Check: "settings", Status: fine, Detail: "usetools is valid"}
	settings, err := catalog.SearchSettings(cfg)
	if err == nil {
		_, _, err = catalog.Rules(cfg)
	}
	if err == nil {
		_, err = catalog.ReadLabels(cfg)
	}
	var opts *discovery.Options
	if err == nil {
		opts, err = settings.Options()
	}
	if err != nil {
		f.Status, f.Detail, f.Do = broken, err.Error(), `correct "usetools" in the config`
		return []finding{f}
	}
	if doubts := catalog.SettingsWarnings(cfg, settings, nil); len(doubts) > 0 {
		f.Status, f.Detail, f.Do = warning, strings.Join(doubts, "; "), "harness help configuration has all keys"
	}
	if opts.Embedder == nil {
		return []finding{f}
	}
	g := finding{Check: "embedder", Status: fine, Detail: opts.Embedder.Identity().Name + " answers"}
	if _, err := opts.Embedder.Embed(ctx, []string{"hello"}); err != nil {
		g.Status, g.Detail, g.Do = warning, err.Error(), "the embedded model is used until it answers"
	}
	return []finding{f, g}
}

// silent counts the tools for which neither a trusted annotation nor the config says whether
// they destroy anything. cfg may be nil.
func silent(tools []registry.Tool, cfg *config.Config) (n int) {
	for i := range tools {
		hints := tools[i].Annotations
		if cfg != nil {
			if s, ok := cfg.Server(tools[i].Server); ok {
				hints = s.Hints(&tools[i])
			}
		}
		if may, declared := hints.MayDestroy(); may && !declared {
			n++
		}
	}
	return n
}

// checkClasses counts the tools by the effects of their calls, and names the servers
// that declare no effects.
func checkClasses(reg *registry.Registry, cfg *config.Config) finding {
	cat := &catalog.Catalog{Registry: reg}
	if cfg != nil {
		cat.Servers = cfg.Servers
	}
	n := map[record.Class]int{}
	declared := map[string]bool{}
	for i := range reg.Tools {
		t := &reg.Tools[i]
		class, _ := cat.Class(t)
		n[class]++
		a := t.Annotations
		declared[t.Server] = declared[t.Server] || class != record.Effect || a != nil && (a.ReadOnly != nil || a.Idempotent != nil)
	}
	for _, s := range cat.Servers { // the config's author has decided this server's effects
		declared[s.Name] = declared[s.Name] || s.Trust == config.TrustNothing || len(s.Classes) > 0
	}
	f := finding{Check: "classes", Status: fine, Detail: fmt.Sprintf("%s: %d read, %d again, %d effect",
		text.Count(len(reg.Tools), "tool"), n[record.Read], n[record.Idempotent], n[record.Effect])}
	var silent []string
	for _, s := range reg.Servers {
		if s.Tools > 0 && !declared[s.Name] {
			silent = append(silent, s.Name)
		}
	}
	if len(silent) > 0 {
		f.Detail += "; servers that do not declare which tools only read, so that all are effect: " + text.List(silent, 12)
		f.Do = fmt.Sprintf(`declare it in the entry of %s: "usetools": {"class": {"get_*": "read"}}`, silent[0])
	}
	return f
}

// checkRules explains each rule of the config and lists the tools that it applies to.
func checkRules(reg *registry.Registry, cfg *config.Config) []finding {
	if cfg == nil {
		return nil
	}
	rules, rights, err := catalog.Rules(cfg)
	if err != nil {
		return nil // checkSettings has said so
	}
	var out []finding
	cat := &catalog.Catalog{Registry: reg, Servers: cfg.Servers, Rules: rules}
	for _, r := range cat.RuleTools() {
		f := finding{Check: "rule", Status: fine, Detail: fmt.Sprintf("%s: %s", &r.Rule, text.Count(len(r.Tools), "tool"))}
		if len(r.Tools) > 0 {
			f.Detail += " (" + text.List(r.Tools, 4) + ")"
		}
		out = append(out, f)
	}
	for _, token := range slices.Sorted(maps.Keys(rights)) {
		for _, right := range rights[token] {
			may := "approve calls of other clients"
			if right == catalog.Operate {
				may = "see and do in the console what the operator may, and approve all calls"
			}
			out = append(out, finding{Check: "rule", Status: fine, Detail: "the token " + token + " may " + may})
		}
	}
	for _, doubt := range cat.RuleWarnings() {
		out = append(out, finding{Check: "rule", Status: warning, Detail: doubt,
			Do: "harness tools lists the IDs of the tools, harness describe their arguments"})
	}
	return out
}

// checkFlow reports which results the config treats as untrusted, errors in that setting,
// and servers that it should name.
func checkFlow(reg *registry.Registry, cfg *config.Config) []finding {
	if cfg == nil {
		return nil
	}
	cat := &catalog.Catalog{Registry: reg, Servers: cfg.Servers}
	var err error
	if cat.Labels, err = catalog.ReadLabels(cfg); err == nil {
		cat.Rules, _, err = catalog.Rules(cfg)
	}
	if err != nil {
		return nil // checkSettings has said so
	}
	var out []finding
	for _, wrong := range cat.LabelErrors() {
		out = append(out, finding{Check: "untrusted", Status: broken, Detail: wrong,
			Do: "harness describe shows the fields and arguments of tools; no script runs before that is corrected"})
	}
	if cat.Flow() != nil {
		out = append(out, finding{Check: "untrusted", Status: fine, Detail: fmt.Sprintf("%s of untrusted results; a client without a "+
			"session and a token has every effect late: there the rule equals \"every effect asks\"",
			text.Count(len(cat.Labels.Untrusted), "label"))})
	}
	if servers := cat.ProposeUntrusted(); len(servers) > 0 {
		out = append(out, finding{Check: "untrusted", Status: fine, Detail: "servers that may return text of third parties, which can carry " +
			"instructions to the model: " + text.List(servers, 12),
			Do: fmt.Sprintf(`label it, and ask for the effects that follow: "usetools": {"untrusted": {%q: true}, "approve": {"effect": {"ask": "late"}}}`,
				servers[0])})
	}
	return out
}

// saveAnswers saves the servers' answers, so that the next command does not ask them again.
// A server that failed within -timeout is asked again.
func saveAnswers(ctx context.Context, files *catalog.Files, job *build.Job, hurried bool) error {
	if err := job.Wait(ctx); err != nil {
		return err
	}
	reg, report, err := job.Registry(ctx)
	if err != nil {
		return err
	}
	for i := range reg.Servers {
		if hurried && reg.Servers[i].Error != nil {
			reg.Servers[i].Definition, reg.Config = "", ""
		}
	}
	files.SaveBuilt(reg, report, nil)
	return nil
}

func checkRegistry(files *catalog.Files, cfg *config.Config) []finding {
	f := finding{Check: "registry", Status: fine}
	path := files.Path()
	if path == "" {
		f.Status, f.Detail = warning, "no registry: there is no config, and no -registry"
		return []finding{f}
	}
	reg, err := registry.Load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Status, f.Detail, f.Do = warning, path+" is not built yet",
			"run build-registry; otherwise the first run of a script builds it"
	case err != nil:
		f.Status, f.Detail, f.Do = broken, err.Error(), "delete it or run build-registry"
	case cfg != nil && reg.Config != "" && reg.Config != cfg.Digest():
		f.Status, f.Detail, f.Do = warning, path+" was built from other servers than those of the config",
			"run build-registry; otherwise the next run of a script builds it"
	default:
		stale, held := 0, 0
		for i := range reg.Tools {
			if reg.Tools[i].Stale {
				stale++
			} else if reg.Tools[i].Error != "" {
				held++
			}
		}
		f.Detail = fmt.Sprintf("%s: %s of %s", path, text.Count(len(reg.Tools), "tool"),
			text.Count(len(reg.Servers), "server"))
		for i := range reg.Servers {
			if s := &reg.Servers[i]; s.Error != nil && s.Tools == 0 {
				f.Status, f.Do = warning, "run build-registry when the server answers"
				f.Detail += fmt.Sprintf("; %s failed during the build", s.Name)
			}
		}
		if stale > 0 {
			f.Status, f.Do = warning, "run build-registry when their servers answer again"
			f.Detail += fmt.Sprintf(", %d stale", stale)
		}
		if held > 0 {
			f.Status, f.Do = warning, "harness describe -detail full_schema shows why; build-registry accept accepts changed "+
				"definitions"
			f.Detail += fmt.Sprintf(", %d not callable", held)
		}
		out := append([]finding{f, checkClasses(reg, cfg)}, checkRules(reg, cfg)...)
		out = append(out, checkFlow(reg, cfg)...)
		if n := silent(reg.Tools, cfg); n > 0 {
			out = append(out, finding{Check: "approval", Status: fine, Detail: fmt.Sprintf(
				"%d of %s do not declare whether they are destructive; serve -approve destructive requires approval for those, too",
				n, text.Count(len(reg.Tools), "tool"))})
		}
		return out
	}
	return []finding{f}
}

func checkModel() finding {
	m, id := embed.Default(), embed.Identity()
	f := finding{Check: "model", Status: fine,
		Detail: fmt.Sprintf("%s: %d tokens, %d dimensions, embedded", id.Name, m.Tokens(), m.Dimensions())}
	if m.Dimensions() != id.Dimensions {
		f.Status, f.Do = broken, "this build is damaged: reinstall it"
	}
	return f
}

// checkRecords reports the folder of the records of runs, and whether it is readable.
func checkRecords(ctx context.Context) []finding {
	f := finding{Check: "records", Status: fine}
	dir, _, err := stateDir(nil)
	if err == nil {
		if _, err = os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			f.Detail = "no runs in " + dir + " yet; harness run and harness serve keep them there with -state " + registry.ShellWord(dir)
			return []finding{f}
		}
	}
	var records *store.Store
	if err == nil {
		records, err = store.Open(dir, nil)
	}
	if err == nil {
		f.Detail = "no runs in " + dir + " yet"
		for s, bad := range records.List(ctx, &store.Filter{Limit: 1}) {
			if err = bad; bad == nil {
				f.Detail = fmt.Sprintf("in %s; the latest run is %s of %s (%s)", dir, s.ID, s.Time.Local().Format(time.DateTime), s.Status)
			}
		}
	}
	if err != nil {
		f.Status, f.Detail = warning, err.Error()
		f.Do = "harness runs cannot list them; -state DIR, or " + stateVariable + ", names another folder"
	}
	return []finding{f}
}

// checkApprovals reports how many calls need approval, and how an approval is proven.
func checkApprovals(ctx context.Context) []finding {
	dir, _, err := stateDir(nil)
	if err != nil { // checkRecords reports it
		return nil
	}
	f := finding{Check: "approvals", Status: fine, Detail: "users that can write " + dir + ", or run programs as this user, " +
		"can approve calls, resume runs and call the servers; so can an agent with a shell",
		Do: "against that, run harness serve as another user, who owns the folder and the config"}
	if _, err := os.Stat(dir); err != nil {
		return []finding{f}
	}
	n := 0
	store, err := store.Open(dir, nil)
	if err != nil {
		return nil
	}
	for _, err := range approval.List(ctx, store, nil) {
		if err == nil {
			n++
		}
	}
	if n > 0 {
		f.Detail = text.Count(n, "pending call") + ", see harness approvals; " + f.Detail
	}
	return []finding{f}
}

// checkTypes reports whether this build's Go version supports the types of scripts.
func checkTypes() finding {
	f := finding{Check: "types", Status: fine, Detail: runtime.Version() + ": types with methods work in scripts"}
	if err := harness.CheckTypes(); err != nil {
		f.Status, f.Detail = warning, err.Error()
		f.Do = "build with such a release; until then, scripts that need such types are refused"
	}
	return f
}

// checkSandbox runs an empty script and reports how the worker was locked.
func checkSandbox(ctx context.Context) []finding {
	f := finding{Check: "sandbox", Status: fine}
	h := harness.New(&harness.Options{BestEffort: true})
	defer h.Close()
	res, err := h.Run(ctx, &harness.Script{Source: "Return(1)"})
	if err != nil {
		f.Status, f.Detail, f.Do = broken, err.Error(), "scripts cannot run on this machine"
		return []finding{f}
	}
	b := res.Sandbox
	f.Detail = fmt.Sprintf("Landlock ABI %d, seccomp %t, limits %t; a script takes %.0f ms", b.Landlock, b.Seccomp,
		b.Rlimits, res.Timing.Total)
	if res.Status != outcome.OK {
		f.Status, f.Detail = broken, fmt.Sprintf("an empty script ends with %s", res.Status)
		if res.Error != nil {
			f.Detail += ": " + res.Error.Message
		}
	}
	out := []finding{f}
	for _, m := range b.Missing {
		out = append(out, finding{Check: "sandbox", Status: warning, Detail: "missing: " + m,
			Do: "use a kernel or container that allows it; -sandbox best-effort runs scripts without"})
	}
	return out
}
