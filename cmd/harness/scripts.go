package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

func (e *env) saveCommand() *cli.Command {
	return &cli.Command{
		Name:      "save",
		Usage:     "save a script under a name, for RunScript",
		ArgsUsage: "NAME SCRIPT|-",
		Description: `The script is checked, not run, and saved with its tools and the hashes of their
definitions. Other scripts run it in one line:

  v, err := RunScript("daily-digest", map[string]any{"days": 1})

A script with the line // usetools:name NAME WHAT IT DOES before its first statement
is saved when a run of it succeeds. RunScript returns the value of the script, or its
output. Clients of serve with other tokens can run it, but not change it. The description
is that of the script's skill, by which agents find it; at a terminal, save asks for it.

With -cluster, all front ends and runners of the cluster have it.

  harness save daily-digest -about "What changed since yesterday" digest.go
  harness save -cluster nats://a:4222 daily-digest digest.go
  harness scripts
  echo 'v, err := RunScript("daily-digest", nil); if err != nil { panic(err) }; Return(v)' | harness run -`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "about", Usage: "`WHAT` it does, in one line, for agents and searches"},
			&cli.BoolFlag{Name: "with-record",
				Usage: "save the record of its last run, too, for scripts -replay"},
			stateFlag("the `DIR` with that record (default: $USETOOLS_STATE, else usetools in your state folder)"),
			e.sandboxFlag(),
		}, join.Flags()...),
		Action: e.save,
	}
}

func (e *env) save(ctx context.Context, c *cli.Command) error {
	name := c.Args().First()
	if err := library.CheckName(name); err != nil {
		return usageError{err.Error()}
	}
	source, err := e.source(c.Args().Get(1))
	if err != nil {
		return err
	}
	var store *store.Store
	var run string
	if err := recordsApart(c); err != nil {
		return err
	}
	if c.Bool("with-record") {
		if store, run, err = e.lastRunOf(ctx, c, source); err != nil {
			return err
		}
	}
	files, err := e.sharedFiles(ctx, c)
	if err != nil {
		return err
	}
	cat, err := files.Catalog(ctx)
	if err != nil {
		return err
	}
	h := e.harness(c, &harness.Options{Catalog: files.Catalog})
	res, err := h.Check(ctx, &harness.Script{Source: source})
	if err != nil {
		return err
	}
	if res.Status != outcome.OK {
		e.report(res, c.Bool("q"))
		return exit(res.Status.ExitCode())
	}
	about := c.String("about")
	if _, says, ok := library.Header(source); ok && about == "" {
		about = says
	}
	if about == "" && c.Args().Get(1) != "-" && e.asksHere(c) {
		if about, err = e.answer(ctx, "What does it do, and when is it useful? Agents and searches read this line (may be left empty): "); err != nil {
			return err
		}
	}
	warning, err := harness.SaveScript(cat, name, about, source, res)
	if err == nil && store != nil {
		err = store.Copy(run, cat.Scripts.Record(name))
	}
	if err != nil {
		return err
	}
	if about == "" && !c.Bool("json") {
		e.say(c, "it has no description: -about \"WHAT IT DOES\" adds one, which agents and searches read")
	}
	return e.saySaved(c, name, warning)
}

// recordsApart returns an error for keeping a record with a script that a cluster has.
func recordsApart(c *cli.Command) error {
	return pointless(c, join.URL(c) != "", "with -cluster, whose processes share scripts without records: omit it", "with-record")
}

// saySaved reports that a script was saved.
func (e *env) saySaved(c *cli.Command, name, warning string) error {
	if c.Bool("json") {
		out := map[string]any{"saved": name}
		if warning != "" {
			out["warning"] = warning
		}
		return e.print(out)
	}
	if warning != "" {
		e.say(c, "warning: %s", warning)
	}
	e.say(c, "saved: RunScript(%q, map[string]any{…}) runs it", name)
	return nil
}

func (e *env) scriptsCommand() *cli.Command {
	return &cli.Command{
		Name:      "scripts",
		Usage:     "list and search the saved scripts",
		ArgsUsage: "[WORDS…]",
		Description: `WORDS search the scripts; the best match comes first. A script whose tools have
changed is checked again; one that no longer compiles is marked broken, with the
reason. The list omits scripts of clients of serve with tokens: each token has its own
scripts. Exit code 2 if nothing matches.

  harness scripts
  harness scripts weekly report
  harness scripts show daily-digest
  harness scripts -replay                  check them against their records
  harness scripts delete daily-digest
  harness scripts -cluster nats://a:4222   those of a cluster`,
		Flags: append([]cli.Flag{e.sandboxFlag(),
			&cli.BoolFlag{Name: "replay",
				Usage: "replay scripts that have a record, without servers; exit code 1 if one differs", Local: true}},
			join.Flags()...),
		Commands: []*cli.Command{
			{Name: "show", Usage: "print a script's source", ArgsUsage: "NAME", Action: e.onScripts(e.showScript)},
			{Name: "delete", Usage: "remove scripts", ArgsUsage: "NAME…", Action: e.onScripts(e.deleteScripts)},
		},
		Action: e.onScripts(e.scripts),
	}
}

// sharedFiles are the files that the flags name, with the registry and the saved scripts of
// the cluster where they name one.
func (e *env) sharedFiles(ctx context.Context, c *cli.Command) (*catalog.Files, error) {
	files := e.files(c)
	cl, err := e.connected(ctx, c, nil)
	if err == nil {
		err = shared(ctx, c, cl, files)
	}
	return files, err
}

// saved opens the saved scripts that the flags name.
func (e *env) saved(ctx context.Context, c *cli.Command) (*catalog.Files, *library.Library, error) {
	files, err := e.sharedFiles(ctx, c)
	if err != nil || files.Library != nil {
		return files, files.Library, err
	}
	path := files.Path()
	if path == "" {
		return nil, nil, usageError{"scripts are saved per registry: name one with -registry, or a config with -config"}
	}
	dir, err := library.Path(path)
	return files, library.Open(dir), err
}

// onScripts returns a command's action on the saved scripts.
func (e *env) onScripts(do func(context.Context, *cli.Command, *catalog.Files, *library.Library) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		files, lib, err := e.saved(ctx, c)
		if err != nil {
			return err
		}
		err = do(ctx, c, files, lib)
		if errors.As(err, new(*library.NotFoundError)) {
			return notFound("%v", err)
		}
		return err
	}
}

func (e *env) scripts(ctx context.Context, c *cli.Command, files *catalog.Files, lib *library.Library) error {
	list, err := lib.List()
	if err != nil {
		return err
	}
	h := e.harness(c, &harness.Options{})
	if len(list) > 0 {
		cat, err := files.Catalog(ctx)
		if err != nil {
			return err
		}
		for _, s := range list {
			if err := h.Recheck(ctx, cat, s); err != nil {
				return err
			}
		}
	}
	if words := strings.Join(c.Args().Slice(), " "); words != "" {
		if list, err = findScripts(list, words); err != nil {
			return err
		}
	}
	var replays map[string]*harness.ReplayedRecord
	if c.Bool("replay") {
		replays = map[string]*harness.ReplayedRecord{}
		for _, s := range list {
			replays[s.Name] = harness.ReplayScript(ctx, h.Replay, lib, s)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	out := map[string]any{"scripts": append([]*library.Script{}, list...), "total": len(list)}
	t := &present.Table{Columns: present.Columns("script", "tools", "about")}
	for _, s := range list {
		row := present.Cells(s.Name, cmp.Or(strings.Join(toolIDs(s), ", "), "no tools"), s.About)
		if s.Broken != "" {
			row.Below = append(row.Below, present.Words(present.Bad, "broken: "+s.Broken))
		}
		if replays != nil {
			row.Below = append(row.Below, present.Words(present.Plain, replays[s.Name].Words()))
		}
		t.Rows = append(t.Rows, row)
	}
	if replays != nil {
		out["replays"] = replays
	}
	if err := e.output(c, out, present.Document{t}); err != nil {
		return err
	}
	if len(list) == 0 && c.Args().Present() {
		return notFound("no saved script matches")
	}
	for _, r := range replays {
		if !r.Same && r.Skipped == "" {
			return exit(1)
		}
	}
	return nil
}

// lastRunOf returns the store and the ID of a script's last finished run.
func (e *env) lastRunOf(ctx context.Context, c *cli.Command, source string) (*store.Store, string, error) {
	records, err := e.store(c, nil)
	if err != nil {
		return nil, "", err
	}
	for s, err := range records.List(ctx, &store.Filter{Limit: mostLooked}) {
		if err != nil || s.Status == record.Running || s.Status == record.Died {
			continue
		}
		r, err := records.Load(s.ID)
		if err != nil {
			continue
		}
		if ran, err := r.Text(r.Begin.Script); err == nil && ran == source {
			return records, s.ID, nil
		}
	}
	return nil, "", usageError{fmt.Sprintf("no record in %s has a run of this script: harness run -state DIR SCRIPT makes one",
		records.Dir())}
}

// mostLooked is how many records are searched for a run of a script.
const mostLooked = 2000

func toolIDs(s *library.Script) []string {
	var ids []string
	for _, t := range s.Tools {
		ids = append(ids, t.ID)
	}
	return ids
}

// leastFit is the smallest accepted score of a script, relative to the best one.
const leastFit = .1

// findScripts searches scripts as tools are searched. It omits scripts with a low score and,
// if the words do not name a script, those that contain none of the words.
func findScripts(list []*library.Script, words string) ([]*library.Script, error) {
	reg := &registry.Registry{}
	by := map[string]*library.Script{}
	for _, s := range list {
		by[s.Name] = s
		reg.Tools = append(reg.Tools, registry.Tool{Server: "saved", Name: s.Name,
			Description: strings.TrimSpace(s.About + ". " + strings.Join(toolIDs(s), ", "))})
	}
	reg.Normalize()
	ix, err := discovery.New(reg, nil)
	if err != nil {
		return nil, err
	}
	page, err := ix.Search(discovery.Query{Text: words, Limit: discovery.MaxLimit, Detail: discovery.NameOnly})
	if err != nil {
		return nil, err
	}
	meant, err := ix.Resolve(words, nil)
	if err != nil {
		return nil, err
	}
	var out []*library.Script
	for _, h := range page.Results {
		if h.Score >= leastFit && (meant.Verdict != discovery.NotFound || strings.HasPrefix(h.Why, "words")) {
			out = append(out, by[h.Name])
		}
	}
	return out, nil
}

func (e *env) showScript(_ context.Context, c *cli.Command, _ *catalog.Files, lib *library.Library) error {
	if err := library.CheckName(c.Args().First()); err != nil {
		return usageError{err.Error()}
	}
	s, err := lib.Load(c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return e.print(s)
	}
	_, err = io.WriteString(e.stdout, s.Source)
	return err
}

func (e *env) deleteScripts(_ context.Context, c *cli.Command, _ *catalog.Files, lib *library.Library) error {
	for _, name := range c.Args().Slice() {
		if err := library.CheckName(name); err != nil {
			return usageError{err.Error()}
		}
		if err := lib.Delete(name); err != nil {
			return err
		}
	}
	return nil
}
