package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/config/edit"
	"github.com/usetools/usetools/registry/localfile"
)

// Plan describes changes of a client's file, and of the config that its servers are moved to. The
// texts have secrets; Hide removes them.
type Plan struct {
	Client string
	File   string `json:"file"`
	// Config is the config that the servers are moved to, or back from.
	Config string `json:"config"`
	// Before and After are the texts of the file; nil means that it does not exist. ConfigBefore
	// and ConfigAfter are those of the config.
	Before, After             []byte `json:"-"`
	ConfigBefore, ConfigAfter []byte `json:"-"`
	// Moved are the servers' names in the config, by their names in the file.
	Moved map[string]string `json:"moved"`
	// Stay are the servers that stay in the file, with reasons.
	Stay []Unmoved `json:"stay,omitempty"`
	// Folders are the servers that the file has for single folders. They stay as well.
	Folders []Unmoved `json:"folders,omitempty"`
	// Behind are this file's servers behind the harness. Direct are those that the client starts
	// itself. Left are the files that Undo does not remove.
	Behind []string `json:"behind,omitempty"`
	Direct []string `json:"direct,omitempty"`
	Left   []string `json:"left,omitempty"`
	// Backup is the path of the backup. It is empty before Write.
	Backup string `json:"backup,omitempty"`

	had     bool // the file had the harness
	undo    bool
	base    []byte // the file without the harness, for Undo
	remove  bool   // the file is to be removed
	secrets []string
}

// Unmoved is a server that is not moved.
type Unmoved struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Nothing reports whether the plan changes nothing.
func (p *Plan) Nothing() bool {
	return !p.remove && bytes.Equal(p.Before, p.After) && bytes.Equal(p.ConfigBefore, p.ConfigAfter)
}

// Hide replaces the values of env, headers and the like in a text for showing.
func (p *Plan) Hide(text string) string {
	pairs := make([]string, 0, 2*len(p.secrets))
	for _, s := range p.secrets {
		pairs = append(pairs, s, "•••")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Files returns the client's files with servers, each with its config. A project's file comes
// first; the search for it starts at dir. If no file has servers, Files returns the one for all
// projects.
func (c *Client) Files(dir string) ([][2]string, error) {
	user, err := c.userFile()
	if err != nil {
		return nil, err
	}
	if config.UserFile() == "" {
		return nil, errors.New("the user has no config folder")
	}
	var out [][2]string
	if folder := c.projectFolder(dir); folder != "" {
		in := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
		out = append(out, [2]string{in(c.project), in(config.ProjectFile)})
	}
	out = append(out, [2]string{user, config.UserFile()})
	with := slices.DeleteFunc(slices.Clone(out), func(f [2]string) bool {
		text, err := read(f[0])
		if err != nil || text == nil {
			return err == nil // an unreadable file is an error later
		}
		entries, err := c.syntax(f[0]).Entries(text)
		return err == nil && len(entries) == 0
	})
	if len(with) > 0 {
		return with, nil
	}
	return out[len(out)-1:], nil
}

// projectFolder returns the nearest folder, from dir up, that has the client's file, or "".
func (c *Client) projectFolder(dir string) string {
	if c.project == "" {
		return ""
	}
	return config.Above(dir, c.project)
}

// Plans plans to replace the client's servers by the harness, started by a command, in one file. A
// client in a project reads the project's file and the one for all projects. If the latter has
// servers to move, it gets the harness, and the project's servers stay in place or are put back
// there. shared is the command for a project's file.
func (c *Client) Plans(dir, command, shared string) ([]*Plan, error) {
	files, err := c.Files(dir)
	if err != nil {
		return nil, err
	}
	plan := func(f [2]string) (*Plan, error) {
		if f[1] != config.UserFile() {
			return c.Install(f[0], f[1], shared)
		}
		return c.Install(f[0], f[1], command)
	}
	p, err := plan(files[len(files)-1])
	if err != nil || len(files) == 1 {
		return []*Plan{p}, err
	}
	other := &Plan{Client: c.Name, File: files[1][0], undo: true, Before: p.Before, After: p.Before}
	if p.had || len(p.Moved) > 0 {
		if other, err = c.Undo(files[0][0]); other == nil && err == nil {
			other = &Plan{Client: c.Name, File: files[0][0], undo: true}
			other.Before, err = read(other.File)
			other.After = other.Before
		}
	} else {
		p, err = plan(files[0])
	}
	if err == nil {
		other.Direct, err = c.direct(other)
	}
	return []*Plan{p, other}, err
}

// direct returns the names of the servers that a plan leaves in its file.
func (c *Client) direct(p *Plan) (out []string, err error) {
	entries, err := c.syntax(p.File).Entries(p.After)
	for i := range entries {
		if !runsHarness(&entries[i]) {
			out = append(out, entries[i].Name)
		}
	}
	return out, err
}

// Install plans to move the servers in a file of the client into a config. command is the program
// of the harness.
func (c *Client) Install(file, configFile, command string) (*Plan, error) {
	p := &Plan{Client: c.Name, File: resolved(file), Config: resolved(configFile), Moved: map[string]string{}}
	name := entryName
	if configFile != config.UserFile() {
		name = projectEntryName
	}
	var err error
	if p.Before, err = read(p.File); err != nil {
		return nil, err
	}
	if p.ConfigBefore, err = read(p.Config); err != nil {
		return nil, err
	}
	rec, err := c.recorded(p.File)
	if err != nil {
		return nil, err
	}
	p.base = p.Before
	syntax := c.syntax(p.File)
	if rec != nil { // servers that were moved before count as still there, and are not moved twice
		if p.base, _, err = c.without(rec, p.File, p.Before); err != nil {
			return nil, err
		}
	}
	entries, err := syntax.Entries(p.base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	var gone []string
	first := ""
	p.ConfigAfter = p.ConfigBefore
	into := ConfigSyntax(p.Config, p.ConfigBefore, "")
	if there, err := into.Entries(p.ConfigBefore); err == nil {
		for i := range there {
			p.noteSecrets(there[i].Value)
		}
	}
	for i := range entries {
		e := &entries[i]
		p.noteSecrets(e.Value)
		why := c.reasonToStay(e)
		switch {
		case runsHarness(e):
			p.had = true
			gone = append(gone, e.Name)
		case why != "":
			p.Stay = append(p.Stay, Unmoved{e.Name, why})
			continue
		case rec != nil && rec.Moved[e.Name] != "":
			p.Moved[e.Name] = rec.Moved[e.Name]
			gone = append(gone, e.Name)
		default:
			if p.ConfigAfter, err = p.move(into, c.forConfig(e)); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Config, err)
			}
			gone = append(gone, e.Name)
		}
		if first == "" {
			first = e.Name
		}
	}
	for slices.ContainsFunc(p.Stay, func(s Unmoved) bool { return s.Name == name }) {
		name += "-harness" // another server has this name
	}
	p.Folders = c.ofFolders(p.Before)
	named := p.Config
	if configFile != config.UserFile() {
		named = config.ProjectFile // a client starts the servers of a project in its folder
	}
	own, err := c.harness(name, []string{command, "-config", named, "serve"}, "", false)
	if err != nil {
		return nil, err
	}
	if p.After, err = syntax.Put(p.base, own, first); err == nil {
		p.After, err = syntax.Remove(p.After, slices.DeleteFunc(gone, func(n string) bool { return n == name })...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	if p.Direct, err = c.direct(p); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	if p.ConfigAfter == nil { // the harness needs an existing config
		p.ConfigAfter = []byte("{\n  \"mcpServers\": {}\n}\n")
	}
	behind, err := into.Entries(p.ConfigAfter)
	for i := range behind {
		p.Behind = append(p.Behind, behind[i].Name)
	}
	return p, err
}

// ofFolders returns the servers that claude mcp add stores for single folders. In these folders the
// client still has them, beside execute.
func (c *Client) ofFolders(text []byte) (out []Unmoved) {
	var file struct {
		Projects map[string]struct {
			MCPServers map[string]json.RawMessage `json:"mcpServers"`
		} `json:"projects"`
	}
	if c.Name != "claude" || json.Unmarshal(text, &file) != nil {
		return nil
	}
	for _, folder := range slices.Sorted(maps.Keys(file.Projects)) {
		for _, name := range slices.Sorted(maps.Keys(file.Projects[folder].MCPServers)) {
			out = append(out, Unmoved{name, fmt.Sprintf("it is only for the folder %s; to move it, run there: "+
				"claude mcp remove %s -s local, and harness add", folder, registry.ShellWord(name))})
		}
	}
	return out
}

// move adds an entry to the config. If the config has another server of this name, the entry gets a
// new name.
func (p *Plan) move(into edit.Syntax, e edit.Entry) ([]byte, error) {
	there, err := into.Entries(p.ConfigAfter)
	if err != nil {
		return nil, err
	}
	was := e.Name
	for n := 1; ; n++ {
		i := slices.IndexFunc(there, func(o edit.Entry) bool { return o.Name == e.Name })
		if i < 0 {
			break
		}
		if sameJSON(there[i].Value, e.Value) {
			p.Moved[was] = e.Name
			return p.ConfigAfter, nil
		}
		e.Name = was + "-" + p.Client
		if n > 1 {
			e.Name += fmt.Sprint("-", n)
		}
	}
	p.Moved[was] = e.Name
	return into.Put(p.ConfigAfter, e, "")
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// ConfigSyntax returns how a config writes its servers. They are under "servers" if the server with
// the name is there, or if the config has no "mcpServers".
func ConfigSyntax(path string, text []byte, name string) edit.Syntax {
	var keys map[string]json.RawMessage
	if json.Unmarshal(config.PlainJSON(text), &keys) != nil {
		return edit.Of(path, "mcpServers")
	}
	var named map[string]json.RawMessage
	_, has := keys["mcpServers"]
	if servers, other := keys["servers"]; other {
		if json.Unmarshal(servers, &named); !has || named[name] != nil {
			return edit.Of(path, "servers")
		}
	}
	return edit.Of(path, "mcpServers")
}

// ConfigWith returns the config that has a server.
func ConfigWith(configs []string, name string) (string, error) {
	var there []string
	for _, path := range configs {
		text, err := localfile.Read(path, config.MaxFileBytes)
		if err != nil {
			return "", err
		}
		all, err := ConfigSyntax(path, text, name).Entries(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		for _, other := range all {
			if other.Name == name {
				return path, nil
			}
			there = append(there, other.Name)
		}
	}
	return "", fmt.Errorf("unknown server %q in %s; the servers are: %s",
		name, strings.Join(configs, ", "), strings.Join(there, ", "))
}

// Edit returns the text of a config after a change of a server in it. The file need not exist.
// Rewrite writes the text.
func Edit(path, name string, change func(s edit.Syntax, text []byte) ([]byte, error)) ([]byte, error) {
	text, err := localfile.Read(path, config.MaxFileBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	after, err := change(ConfigSyntax(path, text, name), text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return after, nil
}

// reasonToStay says why a server must stay in the file. If it can be moved, it returns "".
func (c *Client) reasonToStay(e *edit.Entry) string {
	var where struct {
		Command                 any    `json:"command"`
		URL, HTTPURL, ServerURL string // as the clients spell them; case does not matter
	}
	err := json.Unmarshal(e.Value, &where)
	switch {
	case err != nil:
		return "its entry is not valid"
	case where.Command == nil && where.URL == "" && where.HTTPURL == "" && where.ServerURL == "":
		return "it has neither command nor url"
	case bytes.Contains(e.Value, []byte("${input:")):
		return "it uses ${input:…}, and only an editor can ask the user"
	case c.literal && bytes.Contains(e.Value, []byte("${")):
		return "it has a literal ${…}, which a config would expand"
	}
	return ""
}

// forConfig returns an entry as a config writes it.
func (c *Client) forConfig(e *edit.Entry) edit.Entry {
	out := edit.Entry{Name: e.Name, Value: e.Value, Source: e.Source}
	if c.key == "" { // a config has no TOML
		out.Source = ""
	}
	if c.Name == "gemini" { // it writes variables as $NAME
		out.Value, out.Source = json.RawMessage(config.Braced(string(e.Value))), config.Braced(e.Source)
	}
	var old struct { // earlier versions of Zed
		Command struct {
			Path string            `json:"path"`
			Args []string          `json:"args"`
			Env  map[string]string `json:"env,omitempty"`
		} `json:"command"`
	}
	if json.Unmarshal(e.Value, &old) == nil && old.Command.Path != "" {
		out.Source = ""
		out.Value, _ = json.Marshal(struct { // strings
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env,omitempty"`
		}{old.Command.Path, old.Command.Args, old.Command.Env})
	}
	return out
}

func runsHarness(e *edit.Entry) bool {
	var s config.Server
	var has struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	if json.Unmarshal(e.Value, &has) != nil {
		return false
	}
	s.Type, s.Command, s.Args = config.Stdio, has.Command, has.Args
	return s.RunsHarness()
}

var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^}]*\}|\$\w+|^Bearer `) })

// minSecret is the least length of a hidden value.
const minSecret = 6

// noteSecrets notes the values of an entry that must not be shown: all that are not just references to
// variables.
func (p *Plan) noteSecrets(value json.RawMessage) {
	var e map[string]json.RawMessage
	if json.Unmarshal(value, &e) != nil {
		return
	}
	for _, key := range []string{"env", "headers", "http_headers", "query"} {
		var values map[string]any
		if json.Unmarshal(e[key], &values) != nil {
			continue
		}
		for _, v := range values {
			s, ok := v.(string)
			if !ok || len(s) < minSecret || strings.TrimSpace(reference().ReplaceAllString(s, "")) == "" {
				continue
			}
			p.secrets = append(p.secrets, s)
			if quoted, err := json.Marshal(s); err == nil { // as it is written in the file
				p.secrets = append(p.secrets, string(quoted[1:len(quoted)-1]))
			}
		}
	}
}

// Write writes the plan: a backup of the file with a record of the change, then the config, then
// the file. It returns an error if a file has changed since.
func (p *Plan) Write() error {
	for path, was := range map[string][]byte{p.File: p.Before, p.Config: p.ConfigBefore} {
		if now, err := read(path); err != nil || !bytes.Equal(now, was) {
			return fmt.Errorf("%s has changed meanwhile; try again", path)
		}
	}
	if err := p.backUp(); err != nil {
		return err
	}
	if !bytes.Equal(p.ConfigBefore, p.ConfigAfter) {
		if err := Rewrite(p.Config, p.ConfigAfter); err != nil {
			return err
		}
	}
	if p.remove {
		return os.Remove(p.File)
	}
	return Rewrite(p.File, p.After)
}

// ignored is the .gitignore of a project's config folder, which also has caches and locks.
const ignored = "# Written by harness. Of this folder only these files are to be committed.\n*\n!.gitignore\n!mcp.json\n!" +
	registry.PinsFile + "\n"

// Rewrite replaces the text of a file and keeps its mode. A new file is only for its user. A
// symbolic link is followed. The folder of a project's config gets a .gitignore.
func Rewrite(path string, text []byte) error {
	path = resolved(path)
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if inProject(path) {
		ignore := filepath.Join(filepath.Dir(path), ".gitignore")
		if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
			if err := localfile.Write(ignore, []byte(ignored), 0o644); err != nil {
				return err
			}
		}
	}
	return localfile.Write(path, text, mode)
}

// inProject reports whether a file is in a project's config folder.
func inProject(path string) bool {
	return filepath.Base(filepath.Dir(path)) == filepath.Dir(filepath.FromSlash(config.ProjectFile))
}

// resolved returns a path with its symbolic links followed.
func resolved(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// read reads a file. If the file does not exist, it returns nil.
func read(path string) ([]byte, error) {
	text, err := localfile.Read(path, config.MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	if err != nil {
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	return text, err
}
