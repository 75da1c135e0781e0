package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

func yesFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "yes", Usage: usage, Local: true}
}

func (e *env) installCommand() *cli.Command {
	return &cli.Command{
		Name:      "install",
		Usage:     "replace the servers of a client by the harness",
		ArgsUsage: "CLIENT",
		Description: `CLIENT is ` + strings.Join(clients.Names(), ", ") + `.
It moves the client's servers into a config: those of a project into
.usetools/mcp.json there, those of all projects into usetools/mcp.json in your
config folder. One entry is left, which starts harness serve with that config. If
the client has servers in both files, those of the project stay, so that there is
one tool execute. Servers that the harness cannot start for the client (those that
ask with ${input:…}) stay, too.

It prints the difference, without the values of env and headers, and asks.
Comments, order and other keys are kept, and a backup is written.

  harness install cursor
  harness install claude -yes
  harness uninstall cursor`,
		Flags: []cli.Flag{yesFlag("change the files without asking")},
		Action: func(ctx context.Context, c *cli.Command) error {
			client, err := theClient(c)
			if err != nil {
				return err
			}
			exe, err := os.Executable()
			if err != nil {
				return err
			}
			if dir := filepath.Dir(exe); filepath.Base(dir) == "exe" && strings.Contains(dir, "go-build") {
				return usageError{"go run deletes this program when it ends: go install ./cmd/... first, " +
					"then run the installed harness"}
			}
			shared := onPath(exe)
			plans, err := client.Plans(".", exe, shared)
			if err != nil {
				return usageError{err.Error()}
			}
			e.sayServers(c, client.Name, plans)
			own := plans[0].Config == config.UserFile()
			used, _ := filepath.Abs(append(e.files(c).AllConfigs(), plans[0].Config)[0])
			if (own || c.IsSet("config")) && used != plans[0].Config && used != plans[0].File {
				e.say(c, "the entry uses the config %s, but harness run uses %s here; for an entry with the latter: harness uninstall %s, "+
					"then paste the output of %s", plans[0].Config, used, client.Name, lines(c)("serve", "-print-config", client.Name))
			}
			switch {
			case own:
			case shared != exe:
				e.say(c, "the entry names %s and %s, not paths of this machine: it works wherever %[1]s is on PATH", shared, config.ProjectFile)
			default:
				e.say(c, "the entry names %s, a path of this machine; if harness is on PATH, install writes its name", exe)
			}
			return e.carryOut(ctx, c, plans, "the harness is already installed there, with the config "+plans[0].Config)
		},
	}
}

func (e *env) uninstallCommand() *cli.Command {
	return &cli.Command{
		Name:      "uninstall",
		Usage:     "restore the servers of a client",
		ArgsUsage: "CLIENT",
		Description: `Puts the servers that install moved back into the client's files and removes the
entry of the harness. Later changes to the files are kept. The config keeps the
servers; harness remove removes them there. The output lists the backups.

  harness uninstall cursor`,
		Flags: []cli.Flag{yesFlag("change the files without asking")},
		Action: func(ctx context.Context, c *cli.Command) error {
			client, err := theClient(c)
			if err != nil {
				return err
			}
			files, err := client.ExistingFiles(".")
			if err != nil {
				return err
			}
			var plans []*clients.Plan
			for _, f := range files {
				p, err := client.Undo(f)
				if err != nil {
					return usageError{err.Error()}
				}
				if p != nil {
					plans = append(plans, p)
				}
			}
			if err := e.carryOut(ctx, c, plans, "the harness is not in "+client.Where()); err != nil || c.Bool("q") {
				return err
			}
			for _, p := range plans {
				e.say(c, "kept: %s (backups)", strings.Join(p.Left, ", "))
				if names := slices.Sorted(maps.Values(p.Moved)); len(names) > 0 {
					e.say(c, "the config still has the servers of the client; to remove them: %s",
						registry.Command("-config", p.Config)(append([]string{"remove"}, names...)...))
				}
			}
			return nil
		},
	}
}

// onPath returns the name of a program if it is on PATH, else its path.
func onPath(exe string) string {
	name := strings.TrimSuffix(filepath.Base(exe), ".exe")
	found, err := exec.LookPath(name)
	a, errA := os.Stat(found)
	b, errB := os.Stat(exe)
	if err == nil && errA == nil && errB == nil && os.SameFile(a, b) {
		return name
	}
	return exe
}

// sayServers prints the servers that a client gets from each of its files.
func (e *env) sayServers(c *cli.Command, client string, plans []*clients.Plan) {
	names := func(all []string) string { return cmp.Or(strings.Join(all, ", "), "no server") }
	for i, p := range plans {
		what := names(p.Direct) + " (directly: only one file has the harness, so that there is one execute)"
		if i == 0 {
			what = "execute, for " + names(p.Behind)
			if len(p.Direct) > 0 {
				what += "; directly: " + names(p.Direct)
			}
		}
		e.say(c, "%s gets from %s: %s", client, p.File, what)
	}
}

func theClient(c *cli.Command) (*clients.Client, error) {
	client, err := clients.Get(c.Args().First())
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return client, nil
}

// carryOut shows the changes of plans, asks, and makes them.
func (e *env) carryOut(ctx context.Context, c *cli.Command, plans []*clients.Plan, nothing string) error {
	plans = slices.DeleteFunc(plans, (*clients.Plan).Nothing)
	if len(plans) == 0 && !c.Bool("json") {
		e.say(c, "%s", nothing)
		return nil
	}
	shown := e.stdout
	if c.Bool("json") {
		shown = e.stderr
	}
	var files []string
	for _, p := range plans {
		files = append(files, p.File)
		if c.Bool("q") && c.Bool("yes") {
			continue
		}
		for _, f := range []struct {
			name          string
			before, after []byte
		}{{p.Config, p.ConfigBefore, p.ConfigAfter}, {p.File, p.Before, p.After}} {
			text := p.Hide(string(diff.Diff(f.name, f.before, f.name+" (new)", f.after)))
			d := present.Document{&present.UnifiedDiff{Text: text}}
			if err := d.Terminal(shown, &present.Options{Width: -1, Colour: lifetime.Terminal(shown)}); err != nil {
				return err
			}
		}
		for _, s := range slices.Concat(p.Stay, p.Folders) {
			e.tell(fmt.Sprintf("%s stays in %s: %s", registry.Quoted(s.Name), p.File, s.Reason))
		}
		for _, was := range slices.Sorted(maps.Keys(p.Moved)) {
			if is := p.Moved[was]; is != was {
				e.tell(fmt.Sprintf("%s is named %s in %s, which has another server of that name", registry.Quoted(was), registry.Quoted(is), p.Config))
			}
		}
	}
	if !c.Bool("yes") && len(plans) > 0 && !e.agreed(ctx, fmt.Sprintf("change %s?", strings.Join(files, " and "))) {
		return failure{1, "nothing was changed; -yes changes the files without asking"}
	}
	for _, p := range plans {
		if err := p.Write(); err != nil {
			return err
		}
		e.say(c, "%s %s; restart the client to use it", map[bool]string{true: "removed", false: "changed"}[p.After == nil], p.File)
		if p.Backup != "" {
			e.say(c, "backup: %s", p.Backup)
		}
	}
	if c.Bool("json") {
		return e.print(map[string]any{"changed": append([]*clients.Plan{}, plans...)})
	}
	return nil
}
