package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

func (e *env) genCommand() *cli.Command {
	return &cli.Command{
		Name:      "gen",
		Usage:     "write the tools as Go packages, for editors and for reading",
		ArgsUsage: "[SERVER…]",
		Description: `Writes a Go module named servers, with one package per server (SERVER is a config key
or a package), so that editors complete scripts and go vet checks them. Without -o the
files are printed, each below a line -- NAME --.

Keep a script in the module, in a folder with a copy of usetools.go, which declares
UseTools, Return, Input and Stored for the editor; first_script is an example. A second
run replaces the generated files and keeps your scripts.

  harness gen -o servers && go -C servers vet ./...
  harness run servers/first_script/main.go`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "write into `DIR`"},
		},
		Action: on(e.known, e.gen),
	}
}

func (e *env) gen(_ context.Context, c *cli.Command, known *known) error {
	servers, err := serversNamed(known.view, c.Args().Slice())
	if err != nil {
		return err
	}
	dir := c.String("o")
	if dir != "" {
		if err := wrappers.WriteModule(dir, servers); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		return e.print(map[string]any{"dir": dir, "packages": packagesOf(servers)})
	case dir == "":
		module := wrappers.Module(servers)
		for _, name := range slices.Sorted(maps.Keys(module)) {
			fmt.Fprintf(e.stdout, "-- %s --\n%s", name, module[name])
		}
	default:
		tools := 0
		for _, s := range servers {
			tools += len(s.Tools)
		}
		e.say(c, "wrote %s: %s of %s", dir, text.Count(tools, "tool"), text.Count(len(servers), "server"))
	}
	return nil
}

// serversNamed returns the servers with the given names, or all if names is empty.
func serversNamed(view *wrappers.View, names []string) ([]*wrappers.Server, error) {
	if len(names) == 0 {
		return view.Servers(), nil
	}
	var out []*wrappers.Server
	for _, name := range names {
		s, ok := view.Server(name)
		if !ok {
			s, ok = view.Package(name)
		}
		if !ok {
			return nil, usageError{fmt.Sprintf("there is no server %q; harness tools lists them", name)}
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// generatedPackage is a package in the JSON output of gen.
type generatedPackage struct {
	Server string   `json:"server"`
	Path   string   `json:"path"` // as scripts import it
	Funcs  []string `json:"funcs"`
}

func packagesOf(servers []*wrappers.Server) []generatedPackage {
	out := []generatedPackage{}
	for _, s := range servers {
		p := generatedPackage{Server: s.Name, Path: s.Path(), Funcs: []string{}}
		for _, t := range s.Tools {
			p.Funcs = append(p.Funcs, t.Func)
		}
		out = append(out, p)
	}
	return out
}
