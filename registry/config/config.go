package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
)

// The types of servers.
const (
	Stdio    = "stdio"    // a process, messages on its stdin and stdout
	HTTP     = "http"     // streamable HTTP, or legacy SSE if the server supports nothing newer
	SSE      = "sse"      // legacy HTTP with server-sent events
	Snapshot = "snapshot" // a file with a saved tools/list result
	Manifest = "manifest" // a file that describes command-line tools
	OpenAPI  = "openapi"  // an OpenAPI 3 document and its API
)

// ManifestServer is the name of the server of a manifest of command-line tools that is itself the
// config.
const ManifestServer = "cli"

const (
	// DefaultStartTimeout is the time limit for a server's start and handshake. Python servers
	// need up to 7 s on an idle machine; `go run` and `npx` with a cold cache need more. Package
	// mcp limits how many start at the same time.
	DefaultStartTimeout = 60 * time.Second
	// DefaultCallTimeout is the time limit of one call.
	DefaultCallTimeout = 60 * time.Second
	// MaxFileBytes bounds a config file.
	MaxFileBytes = 16 << 20
)

// Config is the merged content of one or more config files.
type Config struct {
	Files   []string // absolute paths, in the given order
	Servers []Server // sorted by name, without disabled ones
	// Disabled are the sorted names of the servers that a file disables.
	Disabled []string
	// Self are the names of servers that are the harness itself with these files, such as its
	// entry for other clients. They are not among Servers.
	Self []string
	// Notes list keys at the top of the files that have no effect.
	Notes []string
	// UseTools are the values of the key "usetools" at the top of the files that have it, as
	// JSON, in the order of the files. Other packages read their own keys in it.
	UseTools []json.RawMessage
	// UseToolsFiles are the files that UseTools come from.
	UseToolsFiles []string
}

// Server is the definition of one server, ready for connecting.
type Server struct {
	Name string
	Type string // one of the types

	Command string   // stdio: an absolute path, or a name to look up in PATH
	Args    []string // stdio
	Env     Secrets  // stdio: added to this process's environment
	// Cwd is an absolute path. For stdio, it is the server's working folder; if empty, the
	// current folder. For a manifest, it is the workspace of its tools.
	Cwd string
	// EnvFile is the file of part of Env, or empty.
	EnvFile string

	URL     string  // http, sse; openapi: of the document, or empty
	Headers Secrets // http, sse, openapi: sent with every request
	OAuth   *OAuth  // http, sse: how to sign in, or nil

	Path    string  // snapshot, manifest, openapi: absolute path of the file
	BaseURL string  // openapi: of the API; if empty, the document's
	Query   Secrets // openapi: sent with every request
	// Tags and Paths select operations of an OpenAPI document: path.Match patterns of its tags;
	// patterns of paths like "/users/**" or "GET /users/*", in which ** matches any number of
	// parts. A leading "!" excludes. If nil, all operations are selected.
	Tags, Paths []string

	StartTimeout time.Duration // until the handshake is done; not zero after Load
	CallTimeout  time.Duration // of one call; not zero after Load
	Concurrency  int           // most concurrent calls; if zero, the caller's default
	MaxMessage   int           // limit of one message from it, in bytes; if zero, the caller's default
	// Protocol is "legacy" (the initialize handshake), "modern" (server/discover) or empty: try
	// the handshakes of the transport.
	Protocol string

	// Include lists the tools to use, as names or patterns of registry.Match. If nil, all tools
	// are used; if empty, none. Exclude removes tools from these.
	Include, Exclude []string
	// ReadOnly removes the tools that do not declare that they only read.
	ReadOnly bool
	// Trust says which of the server's hints about its tools are trusted.
	Trust Trust
	// Classes define what calls of its tools do, overriding the server. The first match wins, see
	// [Server.Class].
	Classes []ClassRule
	// Private lists tools, by name or pattern of registry.Match. Records of runs do not keep
	// their arguments and results.
	Private []string
	// Sample makes build-registry call its read tools once, to infer result types.
	Sample bool
	// Idempotency is how long the server remembers an Idempotency-Key and executes calls with it
	// only once. If zero, it does not.
	Idempotency time.Duration
	// Session says that the server keeps state in its process, which a restart loses.
	Session bool
	// Verify says, for some tools, which other tool finds out whether a call was made.
	Verify []Verify
	// Pin makes a tool with a changed description or schema unusable until a person accepts the
	// change.
	Pin bool

	File string // the file that defined the server
	Dir  string // base of relative paths: the file's folder, or for a [ProjectFile] the project's
	// Notes list keys in its definition that have no effect.
	Notes []string
	// Err says why this server is unusable. Other servers are not affected.
	Err error

	written *definition
}

// Allows reports whether the server's include and exclude lists allow a tool.
func (s *Server) Allows(tool string) bool {
	match := func(pattern string) bool { return registry.Match(pattern, tool) }
	return (s.Include == nil || slices.ContainsFunc(s.Include, match)) && !slices.ContainsFunc(s.Exclude, match)
}

// Secrets maps names to values that are never shown: only the names are formatted or marshalled.
type Secrets map[string]string

func (s Secrets) String() string {
	return fmt.Sprintf("%q, values hidden", s.Names())
}

// GoString keeps the values out of %#v.
func (s Secrets) GoString() string { return s.String() }

// MarshalJSON writes the sorted names.
func (s Secrets) MarshalJSON() ([]byte, error) { return json.Marshal(s.Names()) }

// Names returns the sorted names.
func (s Secrets) Names() []string {
	names := make([]string, 0, len(s))
	for n := range s {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Load reads and merges config files. If two files define a server in the same way, it is one
// server. If they define it differently, it gets an Err that names both files.
func Load(paths ...string) (*Config, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("no config: found none of %s in this folder or in its parents up to the repository's root, and no "+
			"%s; "+
			"harness add creates one, harness install creates one from a client's servers, -config names one",
			strings.Join(DefaultFiles, ", "), UserFile())
	}
	c := &Config{}
	first := map[string]int{} // name → index in c.Servers
	for _, p := range paths {
		f, err := readFile(p)
		if err != nil {
			return nil, err
		}
		c.Files = append(c.Files, f.path)
		c.Disabled = append(c.Disabled, f.disabled...)
		c.Notes = append(c.Notes, f.notes...)
		if f.usetools != nil {
			c.UseTools, c.UseToolsFiles = append(c.UseTools, f.usetools), append(c.UseToolsFiles, f.path)
		}
		for _, s := range f.servers {
			i, ok := first[s.Name]
			if !ok {
				first[s.Name] = len(c.Servers)
				c.Servers = append(c.Servers, s)
				continue
			}
			if was := &c.Servers[i]; was.Err == nil && !same(*was, s) {
				was.Err = clash(*was, s)
			}
		}
	}
	c.Servers = slices.DeleteFunc(c.Servers, func(s Server) bool {
		self := s.isHarness(c.Files)
		if self {
			c.Self = append(c.Self, s.Name)
		}
		return self
	})
	slices.SortFunc(c.Servers, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(c.Self)
	slices.Sort(c.Disabled)
	c.Disabled = slices.Compact(c.Disabled)
	return c, nil
}

// Same reports whether two configs define the same servers in the same way, including values of
// env and headers and the content of snapshots.
func Same(a, b *Config) bool {
	return slices.EqualFunc(a.Servers, b.Servers,
		func(x, y Server) bool { return same(x, y) && SameServer(x, y) })
}

// SameServer reports whether two definitions are equal with regard to connections and lists of
// tools. Private, Sample, Idempotency, Session and Verify may differ, and also Trust and Classes
// if they select no tools.
func SameServer(x, y Server) bool {
	x.Trust, x.Classes, x.Private, x.Sample = y.Trust, y.Classes, y.Private, y.Sample
	x.Idempotency, x.Session, x.Verify = y.Idempotency, y.Session, y.Verify
	return same(x, y) && reflect.DeepEqual(x.definition(), y.definition())
}

func same(a, b Server) bool {
	a.File, a.Dir, a.written = "", "", nil
	b.File, b.Dir, b.written = "", "", nil
	return reflect.DeepEqual(a, b)
}

func clash(a, b Server) error {
	if a.File == b.File {
		return fmt.Errorf("server %q is defined twice in %q; rename one of them", a.Name, a.File)
	}
	return fmt.Errorf("server %q is defined in %q and, differently, in %q; rename one of them", a.Name, a.File, b.File)
}

// readBounded returns a file's content, or an error if it is larger than limit.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return data, err
}

// Server returns the server with the given name.
func (c *Config) Server(name string) (Server, bool) {
	i, ok := slices.BinarySearchFunc(c.Servers, name, func(s Server, n string) int { return cmp.Compare(s.Name, n) })
	if !ok {
		return Server{}, false
	}
	return c.Servers[i], true
}

// definition is the content of a digest: a server as its file has it, before variables and
// relative paths are resolved. So a registry stays valid if a project moves or a token changes.
// Of env and headers, it has only the names.
type definition struct {
	Name, Type, Command string
	Args, Env           []string
	Cwd, URL            string
	Headers             []string
	Path, Content       string // Content: digest of the file at Path
	Include, Exclude    []string
	BaseURL             string   `json:",omitempty"`
	Query               []string `json:",omitempty"`
	ReadOnly            bool     `json:",omitempty"`
	Tags, Paths         []string `json:",omitempty"`
	// Trust and Classes are set only with ReadOnly, which removes tools by them.
	Trust   Trust       `json:",omitempty"`
	Classes []ClassRule `json:",omitempty"`
}

func (s *Server) definition() definition {
	if s.written != nil {
		return *s.written
	}
	d := definition{
		Name: s.Name, Type: s.Type, Command: s.Command, Args: s.Args, Env: s.Env.Names(), Cwd: s.Cwd,
		URL: s.URL, Headers: s.Headers.Names(), Path: s.Path, Include: s.Include, Exclude: s.Exclude,
		BaseURL: s.BaseURL, Query: s.Query.Names(), Tags: s.Tags, Paths: s.Paths,
	}
	d.readOnly(s)
	return d
}

// readOnly adds ReadOnly and the fields by which it removes tools.
func (d *definition) readOnly(s *Server) {
	if d.ReadOnly = s.ReadOnly; s.ReadOnly {
		d.Trust, d.Classes = s.Trust, s.Classes
	}
}

// Digest returns "sha256:" and 64 hex digits over the server definitions as written, in any
// order, and over the content that snapshots, manifests and OpenAPI files had when they were
// loaded. It does not cover values of env and headers, and timeouts.
func (c *Config) Digest() string {
	defs := make([]definition, len(c.Servers))
	for i := range c.Servers {
		defs[i] = c.Servers[i].definition()
	}
	slices.SortFunc(defs, func(a, b definition) int { return cmp.Compare(a.Name, b.Name) })
	return digest(defs)
}

// Digest returns the digest of one definition, like Config.Digest.
func (s *Server) Digest() string { return digest(s.definition()) }

func digest(definitions any) string {
	b, err := json.Marshal(definitions)
	if err != nil { // strings and slices of strings always marshal
		panic(err)
	}
	h := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(h[:])
}

// contentDigest returns the hash of a regular file, or "" without such a file. Reading the snapshot
// reports that error later.
func contentDigest(path string) string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
