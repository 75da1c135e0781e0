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

// Types of servers.
const (
	Stdio    = "stdio"    // a process, messages on its stdin and stdout
	HTTP     = "http"     // streamable HTTP, legacy SSE where a server speaks nothing newer
	SSE      = "sse"      // legacy HTTP with server-sent events
	Snapshot = "snapshot" // a file with a saved tools/list result
	Manifest = "manifest" // a file that describes command-line tools
	OpenAPI  = "openapi"  // an OpenAPI 3 document and the API that it describes
)

// ManifestServer is the name of the server that a manifest of command-line
// tools is, where the manifest is itself the config.
const ManifestServer = "cli"

const (
	// DefaultStartTimeout is how long a server may take to start and answer
	// the handshake. Python servers need up to 7 s on an idle machine, `go run` and
	// `npx` with a cold cache more. Package mcp starts as many at a time as fit.
	DefaultStartTimeout = 60 * time.Second
	// DefaultCallTimeout is how long one call may take.
	DefaultCallTimeout = 60 * time.Second
	// MaxFileBytes bounds a config file.
	MaxFileBytes = 16 << 20
)

// Config is the merged content of one or more config files.
type Config struct {
	Files   []string // absolute paths, in the order they were given
	Servers []Server // sorted by name; the disabled ones are not among them
	// Disabled are the names of the servers that a file switches off, sorted.
	Disabled []string
	// Self are the names of the servers that are the harness itself over these
	// files, as its entry for other clients is; they are not among Servers.
	Self []string
	// Notes say what at the top of the files has no effect.
	Notes []string
	// UseTools are the values of the key "usetools" at the top of the files
	// that have one, as JSON, in the order of the files: other packages read
	// their own keys in it.
	UseTools []json.RawMessage
	// UseToolsFiles are the files of UseTools.
	UseToolsFiles []string
}

// Server is the definition of one server, ready to be connected to.
type Server struct {
	Name string
	Type string // one of the types above

	Command string   // stdio: an absolute path, or a name to look up in PATH
	Args    []string // stdio
	Env     Secrets  // stdio: added to the environment of this process
	// Cwd is absolute. stdio: where the server starts; empty: the current
	// folder. manifest: the workspace that its tools may work in.
	Cwd string
	// EnvFile is the file that part of Env came from; empty: none.
	EnvFile string

	URL     string  // http, sse; openapi: of the document, else empty
	Headers Secrets // http, sse, openapi: sent with every request
	OAuth   *OAuth  // http, sse: how to sign in; nil: not

	Path    string  // snapshot, manifest, openapi: absolute path of the file
	BaseURL string  // openapi: of the API; empty: as the document says
	Query   Secrets // openapi: sent with every request
	// Tags and Paths choose operations of an OpenAPI document: path.Match
	// patterns of its tags; patterns of paths like "/users/**" or
	// "GET /users/*", where ** stands for any number of parts. A leading "!"
	// excludes; nil: all.
	Tags, Paths []string

	StartTimeout time.Duration // until the handshake is done; never zero after Load
	CallTimeout  time.Duration // of one call; never zero after Load
	Concurrency  int           // calls at a time; 0: the caller's default
	MaxMessage   int           // bytes of one message from it; 0: the caller's default
	// Protocol is "legacy" (the initialize handshake), "modern"
	// (server/discover) or empty: try what suits the transport.
	Protocol string

	// Include lists the tools to use, as names or patterns of registry.Match; nil
	// means all of them, empty means none. Exclude takes away from those.
	Include, Exclude []string
	// ReadOnly leaves out the tools that do not say that they only read.
	ReadOnly bool
	// Trust is what of the server's hints about its tools counts.
	Trust Trust
	// Classes say what calls of its tools do, whatever the server says; the first
	// one that matches a tool counts, see [Server.Class].
	Classes []ClassRule
	// Private are the tools, by name or pattern of registry.Match, whose arguments
	// and results records of runs do not keep.
	Private []string
	// Sample makes build-registry call its read tools once, to infer result types.
	Sample bool
	// Idempotency is how long the server keeps an Idempotency-Key: the same call with
	// the same key is made once in that time; 0: it keeps none.
	Idempotency time.Duration
	// Session says that the server keeps state in its process, which is lost when it
	// is started again.
	Session bool
	// Verify says for some of its tools which tool tells whether a call was made.
	Verify []Verify
	// Pin makes a tool whose description or schema changed unusable until
	// somebody accepts the change.
	Pin bool

	File string // the file that defined the server
	Dir  string // that relative paths begin in: the file's folder, of a [ProjectFile] the project's
	// Notes say what in its definition has no effect.
	Notes []string
	// Err says why this server cannot be used; the others can.
	Err error

	written *definition
}

// Allows reports whether the server's include and exclude lists let a tool through.
func (s *Server) Allows(tool string) bool {
	match := func(pattern string) bool { return registry.Match(pattern, tool) }
	return (s.Include == nil || slices.ContainsFunc(s.Include, match)) && !slices.ContainsFunc(s.Exclude, match)
}

// Secrets maps names to values that are never shown: formatted or marshalled,
// only the names appear.
type Secrets map[string]string

func (s Secrets) String() string {
	return fmt.Sprintf("%q, values hidden", s.Names())
}

// GoString keeps the values out of %#v.
func (s Secrets) GoString() string { return s.String() }

// MarshalJSON writes the names, sorted.
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

// Load reads and merges config files. A server that two files define alike is
// one server; one that they define differently gets an Err that names both.
func Load(paths ...string) (*Config, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("no config: none of %s is here, nor in the folders above up to that of the repository, nor "+
			"is %s; "+
			"harness add writes one, harness install takes a client's servers into one, -config names one",
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

// Same reports whether two configs define the same servers alike, values of env
// and headers and the content of snapshots included.
func Same(a, b *Config) bool {
	return slices.EqualFunc(a.Servers, b.Servers,
		func(x, y Server) bool { return same(x, y) && SameServer(x, y) })
}

// SameServer reports that of one server, as far as a connection to it and its
// list of tools go: Private, Sample, Idempotency, Session and Verify may differ, and
// Trust and Classes where they choose no tools.
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

// readBounded returns a file's content, or an error when it is larger than limit.
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

// definition is what a digest covers: a server as its file wrote it, before
// variables and relative paths were resolved, so that a registry stays valid
// when a project moves or a token changes. Of env and headers only the names.
type definition struct {
	Name, Type, Command string
	Args, Env           []string
	Cwd, URL            string
	Headers             []string
	Path, Content       string // Content: digest of what is at Path
	Include, Exclude    []string
	BaseURL             string   `json:",omitempty"`
	Query               []string `json:",omitempty"`
	ReadOnly            bool     `json:",omitempty"`
	Tags, Paths         []string `json:",omitempty"`
	// With ReadOnly alone, which leaves out tools by them.
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

// readOnly adds what leaves out tools that do not only read.
func (d *definition) readOnly(s *Server) {
	if d.ReadOnly = s.ReadOnly; s.ReadOnly {
		d.Trust, d.Classes = s.Trust, s.Classes
	}
}

// Digest returns "sha256:" and 64 hex digits over the server definitions as
// they are written, whatever their order, and over the content that snapshots,
// manifests and OpenAPI files had when they were loaded. Values of env and headers, and timeouts,
// do not count.
func (c *Config) Digest() string {
	defs := make([]definition, len(c.Servers))
	for i := range c.Servers {
		defs[i] = c.Servers[i].definition()
	}
	slices.SortFunc(defs, func(a, b definition) int { return cmp.Compare(a.Name, b.Name) })
	return digest(defs)
}

// Digest is that of one definition alone, as Config.Digest has it.
func (s *Server) Digest() string { return digest(s.definition()) }

func digest(definitions any) string {
	b, err := json.Marshal(definitions)
	if err != nil { // strings and slices of strings always marshal
		panic(err)
	}
	h := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(h[:])
}

// contentDigest returns the hash of a regular file, empty where there is none:
// reading a snapshot reports that, not loading a config.
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
