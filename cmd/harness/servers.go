package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/registry/backend/openapi"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/config/edit"
)

func (e *env) addCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add a server to the config",
		ArgsUsage: "NAME -- COMMAND…|URL|FILE",
		Description: `The server is added to the config that is used in this folder. If there is none, add
makes one: .usetools/mcp.json at the top of the repository, or outside a repository
usetools/mcp.json in your config folder. Secrets can stay outside of it: ${NAME} is
an environment variable, ${file:PATH} a file that only you can read.

A file, or a URL that returns a top-level openapi or swagger, is added as an OpenAPI
document, any other URL as an MCP server. A command that is not found, a URL that does
not answer or an invalid document is an error, and nothing is written; -force adds the
server anyway.

  harness add files -- npx -y @modelcontextprotocol/server-filesystem .
  harness add -env 'TOKEN=${file:~/.forge-token}' forge -- forge-mcp -read
  harness add docs https://docs.example.com/mcp
  harness add pets openapi.json
  harness add -header 'Authorization=Bearer ${TOKEN}' crm https://crm.example.com/mcp`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "env", Usage: "environment variable `NAME=VALUE` of the server; may be repeated"},
			&cli.StringSliceFlag{Name: "header", Usage: "HTTP header `NAME=VALUE` for the server; may be repeated"},
			&cli.StringFlag{Name: "cwd", Usage: "start the server in `FOLDER`"},
			&cli.BoolFlag{Name: "force", Usage: "add the server even if it cannot be reached"},
		},
		Action: e.add,
	}
}

// newServer is the entry of a server in a config.
type newServer struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	Path    string            `json:"path,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
}

func (e *env) add(ctx context.Context, c *cli.Command) error {
	words := c.Args().Slice()
	isCommand := len(words) > 1 && words[1] == "--"
	if isCommand {
		words = append(words[:1:1], words[2:]...)
	}
	if len(words) < 2 || strings.TrimSpace(words[0]) == "" {
		return usageError{"add wants NAME -- COMMAND…, NAME URL or NAME FILE"}
	}
	name := words[0]
	path, err := configToAdd(c.StringSlice("config"))
	if err != nil {
		return err
	}
	server, err := serverOf(ctx, c, name, words[1:], isCommand)
	if err != nil {
		return err
	}
	server.place(path, c.IsSet("cwd"))
	value, err := marshalPlain(server)
	if err != nil {
		return err
	}
	err = edited(path, name, func(s edit.Syntax, text []byte) ([]byte, error) {
		all, err := s.Entries(text)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Name == name {
				return nil, fmt.Errorf("there is already a server %q; harness remove %[1]s removes it", name)
			}
		}
		return s.Put(text, edit.Entry{Name: name, Value: value}, "")
	})
	if err != nil {
		return err
	}
	e.say(c, "added %s to %s; harness doctor shows whether it answers", name, path)
	if server.Cwd != "" && !c.IsSet("cwd") {
		here, _ := os.Getwd()
		e.say(c, "it starts in %s, because its arguments name files there; -cwd FOLDER sets another folder", here)
	}
	e.say(c, `to infer result types from its read tools: build-registry -sample, or "sample": true in its "usetools"`)
	if cfg, err := config.Load(path); err == nil {
		if s, ok := cfg.Server(name); ok && s.Err != nil {
			e.say(c, "warning: %v", s.Err)
		}
	}
	return nil
}

// place makes the paths of a server relative to the config: its command, its document and
// its folder. The folder is the current one if the arguments name files in it.
func (s *newServer) place(configFile string, hasCwd bool) {
	if !hasCwd && slices.ContainsFunc(s.Args, func(arg string) bool {
		_, err := os.Stat(arg)
		return err == nil && !filepath.IsAbs(arg)
	}) {
		s.Cwd = "."
	}
	if filepath.IsAbs(s.Command) {
		if s.Command = pathIn(configFile, s.Command); !filepath.IsAbs(s.Command) {
			s.Command = "./" + s.Command
		}
	}
	for _, path := range []*string{&s.Path, &s.Cwd} {
		if *path != "" && !strings.Contains(*path, "$") {
			*path = pathIn(configFile, *path)
		}
	}
}

// serverOf returns the server that a name and the words behind it describe: a command, a
// URL or a file. Unless -force is given, it returns an error for an unreachable one.
func serverOf(ctx context.Context, c *cli.Command, name string, words []string, isCommand bool) (*newServer, error) {
	s := &newServer{Cwd: c.String("cwd")}
	var err error
	if s.Env, err = pairs(c, "env"); err != nil {
		return nil, err
	}
	if s.Headers, err = pairs(c, "header"); err != nil {
		return nil, err
	}
	first := words[0]
	isURL := strings.HasPrefix(first, "http://") || strings.HasPrefix(first, "https://")
	switch {
	case isCommand:
	case isURL, isDocumentName(first):
		if len(words) > 1 {
			return nil, usageError{fmt.Sprintf("add: %q follows a URL or a file; only a command has arguments", words[1])}
		}
	case strings.Contains(first, "://"):
		return nil, usageError{fmt.Sprintf("add: %q is neither a command nor an http:// or https:// URL", first)}
	default:
		isCommand = true
	}
	switch {
	case isCommand:
		s.Command, s.Args = first, words[1:]
		err = cmp.Or(pointless(c, true, "with a command", "header"), s.findCommand())
	case isURL:
		s.Type, s.URL = config.HTTP, first
		if err = pointless(c, true, "with a URL", "env", "cwd"); err == nil {
			err = s.reach(ctx, name)
		}
	default:
		s.Type = config.OpenAPI
		s.Path, _ = filepath.Abs(first) // reading it reports what is wrong
		if err = pointless(c, true, "with a file", "env", "cwd"); err == nil {
			err = s.reach(ctx, name)
		}
	}
	var unusable usageError
	if err != nil && !errors.As(err, &unusable) {
		if c.Bool("force") {
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, usageError{fmt.Sprintf("%v; nothing was written; to add it anyway: harness add -force %s …", err, name)}
	}
	return s, err
}

// isDocumentName reports whether a word before -- names an OpenAPI document: it has such an
// extension, or it is a file but not a program.
func isDocumentName(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".json", ".yaml", ".yml":
		return true
	}
	info, err := os.Stat(word)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, err = exec.LookPath(word)
	return err != nil
}

// findCommand makes the path of the server's command absolute. It returns an error if the
// command does not exist.
func (s *newServer) findCommand() error {
	if strings.ContainsRune(s.Command, '$') {
		return nil // only the server's environment knows it
	}
	if strings.ContainsAny(s.Command, `/\`) && !filepath.IsAbs(s.Command) {
		s.Command, _ = filepath.Abs(filepath.Join(s.Cwd, s.Command)) // LookPath reports what is wrong
	}
	if _, err := exec.LookPath(s.Command); err != nil {
		return fmt.Errorf("finding the command of the server: %w", err)
	}
	return nil
}

// reach fetches the server's URL to see whether it is an OpenAPI document, and reads the
// document of a URL or file.
func (s *newServer) reach(ctx context.Context, name string) error {
	server, err := s.load(name)
	if err != nil {
		return err
	}
	if s.URL != "" {
		isDocument, err := openapi.IsAt(ctx, server)
		if err != nil || !isDocument {
			return err
		}
		s.Type, server.Type = config.OpenAPI, config.OpenAPI
	}
	b, err := openapi.Open(ctx, server)
	if err != nil {
		return err
	}
	return b.Close()
}

// load returns the server as the config reader would, with variables expanded.
func (s *newServer) load(name string) (config.Server, error) {
	dir, err := os.MkdirTemp("", "usetools-add")
	if err != nil {
		return config.Server{}, err
	}
	defer os.RemoveAll(dir)
	text, err := marshalPlain(map[string]any{"mcpServers": map[string]any{name: s}})
	if err != nil {
		return config.Server{}, err
	}
	path := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return config.Server{}, err
	}
	cfg, err := config.Load(path)
	if err != nil {
		return config.Server{}, err
	}
	server, _ := cfg.Server(name)
	return server, server.Err
}

// pathIn returns a file's path for a config: relative if the file is below the folder
// against which the config's paths are resolved, else absolute.
func pathIn(configFile, file string) string {
	base, err1 := filepath.Abs(configFile)
	abs, err2 := filepath.Abs(file)
	if errors.Join(err1, err2) != nil {
		return file
	}
	if rel, err := filepath.Rel(config.BaseDir(base), abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return abs
}

// marshalPlain is json.Marshal without escapes for HTML.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// pairs parses the NAME=VALUE values of a flag.
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

// configToAdd returns the path of the config for a new server. The file may not exist yet.
func configToAdd(given []string) (string, error) {
	if len(given) > 1 {
		return "", usageError{"add: got several configs; name the one to add the server to"}
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
	return "", usageError{"your system has no config folder; -config FILE names a config"}
}

func (e *env) removeCommand() *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove servers from the config",
		ArgsUsage: "SERVER…",
		Description: `The rest of the file stays as it is.

  harness remove files
  harness -config .vscode/mcp.json remove files forge`,
		Action: func(_ context.Context, c *cli.Command) error {
			return e.editEach(c, "was removed from", func(s edit.Syntax, text []byte, name string) ([]byte, error) {
				return s.Remove(text, name)
			})
		},
	}
}

func (e *env) enableCommand(on bool) *cli.Command {
	name, usage, is := "enable", "enable disabled servers of the config", "is enabled in"
	if !on {
		name, usage, is = "disable", "disable servers of the config", "is disabled in"
	}
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "SERVER…",
		Description: `A disabled server stays in the file, with "disabled": true, and has no tools.

  harness ` + name + ` files`,
		Action: func(_ context.Context, c *cli.Command) error {
			return e.editEach(c, is, func(s edit.Syntax, text []byte, name string) ([]byte, error) {
				return s.Enable(text, name, on)
			})
		},
	}
}

// editEach changes the named servers, each in the config that defines it.
func (e *env) editEach(c *cli.Command, is string,
	change func(s edit.Syntax, text []byte, name string) ([]byte, error)) error {
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
		e.say(c, "%s %s %s", name, is, path)
	}
	return nil
}

// edited rewrites a config with one server changed.
func edited(path, name string, change func(s edit.Syntax, text []byte) ([]byte, error)) error {
	after, err := clients.Edit(path, name, change)
	if err != nil {
		return usageError{err.Error()}
	}
	return clients.Rewrite(path, after)
}
