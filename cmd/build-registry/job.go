package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/output"
	"github.com/usetools/usetools/cmd/internal/progress"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// job builds a registry and reports the result.
type job struct {
	configs        []string
	file           string // of the registry
	json, quiet    bool
	sample         bool            // sample all servers
	sampled        map[string]bool // servers
	stdout, stderr io.Writer
	line           *progress.Line   // shows the servers that have not answered; may be nil
	cluster        *cluster.Cluster // also receives the registry; may be nil
}

func newJob(c *cli.Command, stdout, stderr io.Writer) (*job, error) {
	j := &job{
		configs: c.StringSlice("config"), file: registryFile(c),
		json: c.Bool("json"), quiet: c.Bool("q"), stdout: stdout, stderr: stderr,
		sample: c.Bool("sample"), sampled: map[string]bool{},
	}
	if len(j.configs) == 0 {
		found := config.Search(".")
		if j.configs = found.Files; !j.quiet {
			for _, why := range found.Refused {
				fmt.Fprintln(stderr, "build-registry:", why)
			}
			if found.Elsewhere {
				fmt.Fprintln(stderr, "build-registry: the config is", j.configs[0])
			}
		}
	}
	if len(j.configs) == 0 {
		_, err := config.Load()
		return nil, usageError{err}
	}
	if err := catalog.Replaceable(j.file, j.configs); err != nil {
		return nil, usageError{err}
	}
	if !j.quiet {
		j.line = progress.New(stderr, "build-registry")
	}
	return j, nil
}

// registryFile returns the path of the registry: -o, else the file beside
// the first config. It returns "" if both are missing.
func registryFile(c *cli.Command) string {
	if f := c.String("o"); f != "" {
		return f
	}
	configs := c.StringSlice("config")
	if len(configs) == 0 {
		configs = config.Search(".").Files
	}
	if len(configs) == 0 {
		return catalog.RegistryFile
	}
	return filepath.Join(filepath.Dir(configs[0]), catalog.RegistryFile)
}

// pins returns the path of the pins file.
func (j *job) pins() string { return registry.PinsPath(j.configs, j.file) }

// previous loads the existing registry. It prints a note about one that it cannot use.
func (j *job) previous() *registry.Registry {
	old, err := registry.Load(j.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.say("%v", err)
	}
	return old
}

// say prints a note to stderr.
func (j *job) say(format string, args ...any) {
	if !j.quiet {
		j.line.Clear()
		fmt.Fprintf(j.stderr, format+"\n", args...)
	}
}

// once builds the registry and prints the report.
func (j *job) once(ctx context.Context, strict bool) error {
	cfg, err := config.Load(j.configs...)
	if err != nil {
		return usageError{err}
	}
	defer j.endLine()
	j.doubt(cfg)
	old := j.previous()
	reg, report, err := build.Build(ctx, cfg,
		&build.Options{Previous: old, Embed: j.embed, Pins: j.pins(), Progress: j.line.Event()})
	j.endLine()
	if err != nil {
		return err
	}
	answered := report.OK() > 0 || len(cfg.Servers) == 0
	if answered {
		if err := j.save(ctx, reg, old, report); err != nil {
			return err
		}
	}
	if err := j.report(reg, report, answered); err != nil {
		return err
	}
	if report.Pins != nil {
		return report.Pins
	}
	if !answered || mostFailed(report) || strict && report.OK() < len(report.Servers) {
		return errFailed
	}
	return nil
}

// endLine removes the progress line.
func (j *job) endLine() {
	j.line.Close()
	j.line = nil
}

// doubt prints the settings of a config that have no effect.
func (j *job) doubt(cfg *config.Config) {
	settings, err := catalog.SearchSettings(cfg)
	if err != nil {
		return // a command that needs them reports it
	}
	for _, doubt := range catalog.SettingsWarnings(cfg, settings, nil) {
		j.say("build-registry: warning: %s", doubt)
	}
}

// mostFailed reports whether more than half of the servers failed.
func mostFailed(r *build.Report) bool { return 2*r.OK() < len(r.Servers) }

// embed computes the vectors with the embedder that the configs name now.
func (j *job) embed(ctx context.Context, reg *registry.Registry) error {
	cfg, err := config.Load(j.configs...)
	if err != nil {
		return err
	}
	settings, err := catalog.SearchSettings(cfg)
	if err != nil {
		return err
	}
	search, err := settings.Options()
	if err != nil {
		return err
	}
	return discovery.EmbedWith(search.Embedder)(ctx, reg)
}

// save writes the registry, adds the changes to its history, and sends both to the
// cluster.
func (j *job) save(ctx context.Context, reg, old *registry.Registry, report *build.Report) error {
	if err := reg.Save(j.file); err != nil {
		return err
	}
	err := build.Record(build.HistoryFile(j.file), old, report, time.Now())
	if sampling := j.samples(ctx, report); sampling != nil {
		j.say("build-registry: warning: no samples: %s", registry.Printable(sampling.Error(), 500))
	}
	if j.cluster != nil {
		_, published := j.cluster.PublishRegistry(ctx, j.file)
		err = errors.Join(err, published)
	}
	return err
}

// samples calls read tools of the connected servers that the user wants sampled; see
// catalog.Catalog.Sample. Each server is sampled once.
func (j *job) samples(ctx context.Context, report *build.Report) error {
	cfg, err := config.Load(j.configs...)
	if err != nil || !j.sample && !slices.ContainsFunc(cfg.Servers, func(s config.Server) bool { return s.Sample }) {
		return err
	}
	files := &catalog.Files{Configs: j.configs, Registry: j.file}
	defer files.Close()
	cat, err := files.Catalog(ctx)
	if err != nil {
		return err
	}
	wants := func(s *config.Server) bool {
		answered := slices.ContainsFunc(report.Servers, func(r build.ServerReport) bool { return r.Name == s.Name && r.Err == nil })
		if !answered || !(j.sample || s.Sample) || j.sampled[s.Name] {
			return false
		}
		j.sampled[s.Name] = true
		return true
	}
	return cat.Sample(ctx, wants, func(tool string, err error) {
		j.say("build-registry: warning: the sample of %s failed: %s", registry.Printable(tool, 200), registry.Printable(err.Error(), 300))
	})
}

// report prints the result of a build.
func (j *job) report(reg *registry.Registry, report *build.Report, written bool) error {
	if j.json {
		return output.JSON(j.stdout, report, "  ")
	}
	failed := ""
	switch n := len(report.Servers) - report.OK(); {
	case mostFailed(report):
		failed = fmt.Sprintf("; more than half of the servers failed: %d of %d", n, len(report.Servers))
	case n > 0:
		failed = fmt.Sprintf(", %d of %s failed", n, text.Count(len(report.Servers), "server"))
	}
	if j.quiet && failed == "" {
		return nil
	}
	printReport(j.stdout, report, j.quiet)
	if !written {
		fmt.Fprintf(j.stdout, "no server answered; %s was not written\n", j.file)
		return nil
	}
	fmt.Fprintf(j.stdout, "wrote %s: %s%s\n", j.file, text.Count(len(reg.Tools), "tool"), failed)
	return nil
}

// watch rebuilds the registry whenever something changes, until ctx ends.
func (j *job) watch(ctx context.Context, poll time.Duration) error {
	if poll == 0 {
		poll = build.DefaultPoll
	}
	if cfg, err := config.Load(j.configs...); err == nil {
		j.doubt(cfg)
	}
	defer j.endLine()
	first := true
	err := build.Watch(ctx, j.configs, &build.WatchOptions{
		Build: build.Options{Previous: j.previous(), Embed: j.embed, Pins: j.pins(), Progress: j.line.Event()}, Poll: poll,
	}, func(u build.Update) {
		j.endLine() // a rebuild prints its changes, not its progress
		if err := j.update(ctx, u, first); err != nil {
			fmt.Fprintln(j.stderr, "build-registry:", err)
		} else {
			first = false
		}
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !first {
		return nil // the user ended a watch that has built something
	}
	return err
}

// update saves and prints one rebuild. If no server answered, the older registry stays.
func (j *job) update(ctx context.Context, u build.Update, first bool) error {
	if u.Err != nil {
		if first {
			return nil // Watch returns it
		}
		return fmt.Errorf("%s: %w; the registry stays as it was", u.Why, u.Err)
	}
	if u.Report.OK() == 0 && len(u.Config.Servers) > 0 {
		var why strings.Builder
		for _, s := range u.Report.Servers {
			fmt.Fprintf(&why, "\n%s failed\n", s.Name)
			printFaults(&why, s)
		}
		return fmt.Errorf("%s: no server answered; %s stays as it was%s", u.Why, j.file,
			strings.TrimRight(strings.ReplaceAll(why.String(), "\n\n", "\n"), "\n"))
	}
	if err := j.save(ctx, u.Registry, u.Previous, u.Report); err != nil {
		return err
	}
	if u.Report.Pins != nil {
		fmt.Fprintln(j.stderr, "build-registry:", u.Report.Pins)
	}
	switch {
	case j.json:
		return output.JSON(j.stdout, u.Report, "")
	case first:
		return j.report(u.Registry, u.Report, true)
	}
	if j.quiet && u.Report.OK() == len(u.Report.Servers) {
		return nil
	}
	fmt.Fprintf(j.stdout, "%s  %s: %s\n", time.Now().Format(time.TimeOnly), u.Why,
		text.Count(len(u.Registry.Tools), "tool"))
	for _, s := range u.Report.Servers {
		if s.Err != nil {
			fmt.Fprintf(j.stdout, "%s failed\n", s.Name)
		}
		printFaults(j.stdout, s)
	}
	printChanges(j.stdout, u.Report)
	return nil
}
