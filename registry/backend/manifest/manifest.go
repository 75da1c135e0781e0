package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
)

const (
	// MaxFileBytes bounds a manifest.
	MaxFileBytes = 4 << 20
	// MaxTools bounds the tools of a manifest.
	MaxTools = 1000
	// verifying is how many verify commands run concurrently.
	verifying = 4
)

// Open returns the backend of a manifest. List and Call read the file each time, so that both use
// its current content.
func Open(_ context.Context, s config.Server) (backend.Backend, error) {
	if s.Path == "" {
		return nil, fmt.Errorf("server %q: a manifest needs the path of its file", s.Name)
	}
	if s.CallTimeout <= 0 {
		s.CallTimeout = config.DefaultCallTimeout
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = config.DefaultStartTimeout
	}
	m := &manifest{server: s, verified: map[program]bool{}}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m, nil
}

type manifest struct {
	server config.Server
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu       sync.Mutex
	verified map[program]bool // programs that passed verification
}

// tool is an element of cli_tools.
type tool struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Capabilities []string        `json:"capabilities"`
	MinVersion   string          `json:"min_version"`
	Verify       string          `json:"verify"`
	Usage        string          `json:"usage"`
	Command      string          `json:"command"`
	Annotations  json.RawMessage `json:"annotations"`
}

// file is the content of a manifest.
type file struct {
	CLITools []json.RawMessage `json:"cli_tools"`
	LLMTools []struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	} `json:"llm_tools"`
	APIKeys []struct {
		ID          string `json:"id"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
	} `json:"api_keys"`
}

// List implements backend.Backend. It takes at most the server's StartTimeout.
func (m *manifest) List(ctx context.Context) (*backend.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, m.server.StartTimeout)
	defer cancel()
	f, tools, problems, err := m.read()
	if err != nil {
		return nil, err
	}
	reasons := m.verify(ctx, tools)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("server %q: verifying its programs: %w", m.server.Name, err)
	}
	raws := make([]json.RawMessage, len(tools))
	unusable := map[string]error{}
	for i, t := range tools {
		raws[i] = t.definition()
		if reasons[i] != nil {
			unusable[t.ID] = reasons[i]
		}
	}
	l := &backend.Listing{Server: registry.Server{
		Name: m.server.Name, Transport: config.Manifest, Title: "Command-line tools", Instructions: f.instructions(),
	}}
	var more []string
	l.Tools, more = backend.DecodeTools(m.server.Name, raws)
	problems = append(append(problems, more...), f.missingKeys()...)
	for i := range l.Tools {
		t := &l.Tools[i]
		if reason := unusable[t.Name]; reason != nil {
			t.Stale, t.Error = true, reason.Error()
			problems = append(problems, fmt.Sprintf("tool %q cannot be called: %v", t.Name, reason))
		}
	}
	l.Server.Problems = problems
	return l, nil
}

// read reads the manifest. It reports unusable tools as problems.
func (m *manifest) read() (f *file, tools []tool, problems []string, err error) {
	fail := func(err error) (*file, []tool, []string, error) {
		return nil, nil, nil, fmt.Errorf("server %q: reading the manifest %q: %w", m.server.Name, m.server.Path, err)
	}
	data, err := localfile.Read(m.server.Path, MaxFileBytes)
	if err != nil {
		return fail(err)
	}
	f, tools, problems, err = decode(data)
	if err != nil {
		return fail(err)
	}
	return f, tools, problems, nil
}

// decode decodes the content of a manifest.
func decode(data []byte) (f *file, tools []tool, problems []string, err error) {
	f = &file{}
	if err := json.Unmarshal(config.PlainJSON(data), f); err != nil {
		return nil, nil, nil, err
	}
	if f.CLITools == nil {
		return nil, nil, nil, errors.New(`no tools; want a list under the key "cli_tools"`)
	}
	if n := len(f.CLITools); n > MaxTools {
		f.CLITools = f.CLITools[:MaxTools]
		problems = append(problems, fmt.Sprintf("it has %d tools; only the first %d are read", n, MaxTools))
	}
	for i, raw := range f.CLITools {
		var t tool
		switch err := json.Unmarshal(raw, &t); {
		case err != nil:
			problems = append(problems, fmt.Sprintf("tool %d (%q) left out: %v", i+1, t.ID, err))
		case t.ID == "":
			problems = append(problems, fmt.Sprintf("tool %d omitted: it has no id", i+1))
		default:
			tools = append(tools, t)
		}
	}
	return f, tools, problems, nil
}

const (
	inputSchema = `{"type":"object","properties":{` +
		`"args":{"type":"array","items":{"type":"string"},"description":"Arguments, one each; no shell reads them."},` +
		`"stdin":{"type":"string","description":"What the program reads from its standard input."},` +
		`"cwd":{"type":"string","description":"Working folder, relative to the workspace and inside it; the workspace itself when omitted."}},` +
		`"additionalProperties":false}`
	outputSchema = `{"type":"object","properties":{` +
		`"stdout":{"type":"string"},"stderr":{"type":"string"},` +
		`"exitCode":{"type":"integer","description":"0 usually means success; -1: ended by a signal."},` +
		`"truncated":{"type":"boolean","description":"True when a stream was longer than what is kept of it."}},` + //english:allow pinned definitions contain it
		`"required":["stdout","stderr","exitCode"]}`
)

// definition returns the tool in the form of a tools/list result.
func (t *tool) definition() json.RawMessage {
	b, err := json.Marshal(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
	}{t.ID, t.Name, t.text(), json.RawMessage(inputSchema), json.RawMessage(outputSchema), t.Annotations})
	if err != nil { // strings, and JSON that was decoded before
		panic(err)
	}
	return b
}

// text returns everything that the manifest says about the tool.
func (t *tool) text() string {
	var lines []string
	add := func(prefix, s string) {
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, prefix+s)
		}
	}
	if add("", t.Description); len(lines) == 0 {
		add("Runs ", t.Name)
	}
	add("Usage: ", t.Usage)
	add("Capabilities: ", strings.Join(t.Capabilities, ", "))
	add("Minimum version: ", t.MinVersion)
	return strings.Join(lines, "\n")
}

// instructions returns a text about the other content of the manifest.
func (f *file) instructions() string {
	var b strings.Builder
	b.WriteString("Programs run without a shell, in the workspace; an exit code other than 0 is not an error.")
	for i, t := range f.LLMTools {
		if i == 0 {
			b.WriteString("\nThe agent's own tools, not called from here:")
		}
		fmt.Fprintf(&b, "\n- %s: %s", t.ID, t.Description)
	}
	for i, k := range f.APIKeys {
		if i == 0 {
			b.WriteString("\nAPI keys:")
		}
		fmt.Fprintf(&b, "\n- %s (%s): %s", k.ID, keyState(k.ID), k.Description)
	}
	return b.String()
}

func keyState(name string) string {
	if os.Getenv(name) == "" {
		return "not set"
	}
	return "set"
}

// missingKeys returns problems for the required API keys that are not set.
func (f *file) missingKeys() []string {
	var problems []string
	for _, k := range f.APIKeys {
		if k.Required && os.Getenv(k.ID) == "" {
			problems = append(problems, fmt.Sprintf("the API key %q is required and not set; set that environment variable",
				k.ID))
		}
	}
	return problems
}

// folder returns the working folder for a call. It is inside the workspace, also after following
// symbolic links.
func (m *manifest) folder(cwd string) (string, error) {
	root, err := filepath.Abs(m.server.Cwd)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return "", fmt.Errorf("the workspace: %w", err)
	}
	if cwd == "" {
		return root, nil
	}
	dir := filepath.FromSlash(cwd)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("cwd %q: no such folder in the workspace", cwd)
	}
	if rel, err := filepath.Rel(root, dir); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("cwd %q is outside the workspace", cwd)
	}
	return dir, nil
}

// Close implements backend.Backend.
func (m *manifest) Close() error {
	m.cancel()
	return nil
}
