package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/config/edit"
)

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

func (e *env) addCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add a server to the config",
		ArgsUsage: "NAME -- COMMAND…|URL",
		Description: `The config is the one that is in use here. Where there is none it is made:
.usetools/mcp.json at the top of the repository, outside of one usetools/mcp.json
in your config folder. A secret need not stand in it: ${NAME} is a variable of
the environment, ${file:PATH} a file that only you can read.

  harness add files -- npx -y @modelcontextprotocol/server-filesystem .
  harness add -env 'TOKEN=${file:~/.forge-token}' forge -- forge-mcp -read
  harness add docs https://docs.example.com/mcp
  harness add -header 'Authorization=Bearer ${TOKEN}' crm https://crm.example.com/mcp`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "env", Usage: "`NAME=VALUE` for its environment; may be repeated"},
			&cli.StringSliceFlag{Name: "header", Usage: "`NAME=VALUE` of a header to send to it; may be repeated"},
			&cli.StringFlag{Name: "cwd", Usage: "the `FOLDER` that it starts in"},
		},
		Action: e.add,
	}
}

func (e *env) add(_ context.Context, c *cli.Command) error {
	words := c.Args().Slice()
	if len(words) > 1 && words[1] == "--" {
		words = append(words[:1:1], words[2:]...)
	}
	if len(words) < 2 || strings.TrimSpace(words[0]) == "" {
		return usageError{"add wants NAME -- COMMAND…, or NAME URL"}
	}
	name := words[0]
	server := struct {
		Type    string            `json:"type,omitempty"`
		URL     string            `json:"url,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		Headers map[string]string `json:"headers,omitempty"`
		Cwd     string            `json:"cwd,omitempty"`
	}{Cwd: c.String("cwd")}
	var err error
	if server.Env, err = pairs(c, "env"); err != nil {
		return err
	}
	if server.Headers, err = pairs(c, "header"); err != nil {
		return err
	}
	if strings.HasPrefix(words[1], "http://") || strings.HasPrefix(words[1], "https://") {
		if len(words) > 2 {
			return usageError{fmt.Sprintf("add: a URL is all, and %q follows it", words[2])}
		}
		server.Type, server.URL = config.HTTP, words[1]
		err = pointless(c, true, "with a URL", "env", "cwd")
	} else if strings.Contains(words[1], "://") {
		return usageError{fmt.Sprintf("add: %q is neither a command nor an http:// or https:// URL", words[1])}
	} else {
		server.Command, server.Args = words[1], words[2:]
		err = pointless(c, true, "with a command", "header")
	}
	if err != nil {
		return err
	}
	path, err := configToAdd(c.StringSlice("config"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(server); err != nil {
		return err
	}
	err = edited(path, name, func(s edit.Syntax, text []byte) ([]byte, error) {
		all, err := s.Entries(text)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Name == name {
				return nil, fmt.Errorf("there is a server %q already; harness remove %[1]s takes it out", name)
			}
		}
		return s.Put(text, edit.Entry{Name: name, Value: bytes.TrimSpace(b.Bytes())}, "")
	})
	if err != nil {
		return err
	}
	e.said(c, "%s is in %s now; harness doctor says whether it answers", name, path)
	if cfg, err := config.Load(path); err == nil && !c.Bool("q") {
		if s, ok := cfg.Server(name); ok && s.Err != nil {
			fmt.Fprintln(e.stderr, "harness: warning:", s.Err)
		}
	}
	return nil
}

// pairs reads the values of a flag that are NAME=VALUE.
func pairs(c *cli.Command, flag string) (map[string]string, error) {
	var out map[string]string
	for _, p := range c.StringSlice(flag) {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, usageError{fmt.Sprintf("-%s: want NAME=VALUE", flag)}
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// configToAdd is the config that a new server goes into; it may not be there yet.
func configToAdd(given []string) (string, error) {
	if len(given) > 1 {
		return "", usageError{"add: several configs are given; name the one that the server goes into"}
	}
	if len(given) == 1 {
		return given[0], nil
	}
	found := config.Search(".")
	if len(found.Refused) > 0 {
		return "", usageError{found.Refused[0]}
	}
	if len(found.Files) > 0 && found.Files[0] != config.UserFile() {
		return found.Files[0], nil
	}
	if project := config.Project("."); project != "" {
		return filepath.Join(project, filepath.FromSlash(config.ProjectFile)), nil
	}
	if path := config.UserFile(); path != "" {
		return path, nil
	}
	return "", usageError{"there is no folder for your configs; name one with -config"}
}

func (e *env) removeCommand() *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "take servers out of the config",
		ArgsUsage: "SERVER…",
		Description: `Nothing else in the file changes.

  harness remove files
  harness -config .vscode/mcp.json remove files forge`,
		Action: func(_ context.Context, c *cli.Command) error {
			return e.editEach(c, "is out of", func(s edit.Syntax, text []byte, name string) ([]byte, error) {
				return s.Remove(text, name)
			})
		},
	}
}

func (e *env) enableCommand(on bool) *cli.Command {
	name, usage, is := "enable", "switch servers of the config on again", "is switched on in"
	if !on {
		name, usage, is = "disable", "switch servers of the config off", "is switched off in"
	}
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "SERVER…",
		Description: `A server that is off stays in the file, with "disabled": true, and has no tools.

  harness ` + name + ` files`,
		Action: func(_ context.Context, c *cli.Command) error {
			return e.editEach(c, is, func(s edit.Syntax, text []byte, name string) ([]byte, error) {
				return s.Enable(text, name, on)
			})
		},
	}
}

// editEach changes the servers that are named, each in the config that has it.
func (e *env) editEach(c *cli.Command, is string,
	change func(s edit.Syntax, text []byte, name string) ([]byte, error)) error {
	if !c.Args().Present() {
		return usageError{fmt.Sprintf("%s wants at least one SERVER", c.Name)}
	}
	configs := e.files(c).AllConfigs()
	if len(configs) == 0 {
		_, err := config.Load()
		return usageError{err.Error()}
	}
	for _, name := range c.Args().Slice() {
		path, err := clients.ConfigWith(configs, name)
		if err != nil {
			return usageError{err.Error()}
		}
		err = edited(path, name, func(s edit.Syntax, text []byte) ([]byte, error) { return change(s, text, name) })
		if err != nil {
			return err
		}
		e.said(c, "%s %s %s", name, is, path)
	}
	return nil
}

// edited rewrites a config with a server in it changed.
func edited(path, name string, change func(s edit.Syntax, text []byte) ([]byte, error)) error {
	after, err := clients.Edit(path, name, change)
	if err != nil {
		return usageError{err.Error()}
	}
	return clients.Rewrite(path, after)
}

// said tells what was done.
func (e *env) said(c *cli.Command, format string, args ...any) {
	if !c.Bool("q") {
		fmt.Fprintln(e.stderr, "harness:", registry.Printable(fmt.Sprintf(format, args...), 1000))
	}
}
