package console

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
)

//go:embed static templates
var files embed.FS

// Options configure a Console. Host and Records must be set.
type Options struct {
	Host    Host
	Records *store.Store
	// Secret is the key, 32 bytes, with which OpenPath signs links that open the console.
	Secret []byte
	// Holder returns the name of a token, or "" if the token is wrong. If nil, the console needs no token.
	Holder func(token string) string
	// Viewer returns the viewer for the name of a token, or nil if the token is no longer valid.
	Viewer func(name string) *Viewer
	// Tokens are the names of all valid tokens.
	Tokens []string
	// Files are the configs behind the catalog, which the console may change. If nil, it changes
	// none.
	Files *catalog.Files
	// Next returns how the sender of a request resumes a run. If nil, only pages do.
	Next func(r *http.Request) outcome.Next
	// ListTokens is the maximum size of the tool execute in a model's context, in tokens. If zero,
	// models get other tools too.
	ListTokens int
	// Kept says how long records are kept, in words.
	Kept string
	// Cluster returns the state of the cluster that runs scripts. If nil, this process runs them.
	Cluster func(context.Context) (*Cluster, error)
	// Guides has the help pages, index.html and TOPIC.html. If nil, the console has no help pages.
	Guides fs.FS
	// Version is the version of the program, Address the address of the server in words.
	Version, Address string
	// Log receives messages for the operator. If nil, they are discarded.
	Log *slog.Logger
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	opts   Options
	log    *slog.Logger
	host   Host
	store  *store.Store
	pages  pages
	logins logins
	hub    hub
	mux    *http.ServeMux
	// reading limits how many records are read at a time.
	reading *semaphore.Weighted
	// searching limits full-text searches of all records, sending limits downloads of large files,
	// checking limits checks of scripts.
	searching, sending, checking *turns
	recent                       recent
	sizes                        toolSizes
	signins                      signIns
	// changing is held while a config is read, changed and written.
	changing sync.Mutex
}

// New returns a console. Close stops its background work.
func New(o *Options) *Console {
	c := &Console{opts: *o, log: o.Log, host: o.Host, store: o.Records, reading: semaphore.NewWeighted(2),
		searching: newTurns(2), sending: newTurns(2), checking: newTurns(2)}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.pages.parse()
	c.logins.init(o.Secret)
	c.hub.init(c.store)
	c.routes()
	return c
}

// Close ends the background work of the console and its open streams.
func (c *Console) Close() { c.hub.close() }

// LoginPath is the path that receives the form with a token, before sign-in.
const LoginPath = "/login"

func (c *Console) routes() {
	c.mux = http.NewServeMux()
	c.mux.HandleFunc("GET /static/{version}/{name...}", c.static)
	c.mux.HandleFunc("GET /open", c.open)
	c.mux.HandleFunc("POST "+LoginPath, c.login)
	c.mux.HandleFunc("POST /logout", c.logout)
	c.mux.HandleFunc("POST /theme", c.setTheme)
	toEditor := func(v *view) error { return v.goTo("/editor") } // the response to a form was reloaded or bookmarked
	for pattern, page := range map[string]func(*view) error{
		"GET /":       func(*view) error { return notFound("No page has this address.") },
		"GET /events": c.events,
		"GET /{$}":    c.overviewPage,

		"GET /runs":                       c.listRuns,
		"GET /runs/diff":                  c.compareTicked,
		"GET /runs/{id}":                  of((*view).run, c.runPage),
		"GET /runs/{id}/calls/{n}":        of((*view).run, c.call),
		"GET /runs/{id}/calls/{n}/{what}": c.callValue,
		"GET /runs/{id}/record":           c.recordFile,
		"GET /runs/{id}/diff":             of((*view).named, c.compareWith),
		"GET /runs/{id}/diff/{other}":     func(v *view) error { return v.goTo(comparePath(v.r.PathValue("id"), v.r.PathValue("other"))) },
		"GET /runs/{id}/compare/{other}":  c.compareRuns,
		"POST /runs/{id}/again":           of((*view).named, c.rerun),
		"POST /runs/{id}/replay":          of((*view).named, c.replay),
		"POST /runs/{id}/save":            of((*view).named, c.saveRun),
		"POST /runs/{id}/settle":          of((*view).operators, c.settle),
		"POST /runs/{id}/close":           of((*view).operators, c.closeRun),
		"POST /runs/{id}/resume":          of((*view).operators, c.resume),

		"GET /approvals":      func(v *view) error { return v.approvals("", nil) },
		"GET /approvals/{id}": func(v *view) error { return v.approvals(v.r.PathValue("id"), nil) },
		"POST /approvals":     (*view).answer,

		"GET /tools":           c.toolsPage,
		"GET /tools/{id}":      c.toolPage,
		"GET /tools/{id}/try":  func(v *view) error { return v.goTo(toolHref(v.r.PathValue("id"))) },
		"POST /tools/{id}/try": c.try,
		"GET /skills":          (*view).skillsPage,

		"GET /servers":                 c.showServers,
		"GET /servers/{name}":          c.showServers,
		"POST /servers/ask":            of((*view).configs, c.askServer),
		"POST /servers/{name}/ask":     of((*view).configs, c.askServer),
		"POST /servers/{name}/accept":  of((*view).configs, c.acceptTool),
		"POST /servers/{name}/enable":  of((*view).configs, c.switchServer),
		"POST /servers/{name}/disable": of((*view).configs, c.switchServer),
		"POST /servers/{name}/signin":  of((*view).configs, c.signIn),

		"GET /policy":       (*view).policy,
		"GET /help":         (*view).guide,
		"GET /help/{topic}": (*view).guide,

		"GET /editor":        c.editor,
		"GET /editor/names":  c.names,
		"GET /editor/check":  toEditor,
		"GET /editor/run":    toEditor,
		"GET /editor/save":   toEditor,
		"POST /editor/check": c.checkScript,
		"POST /editor/run":   c.runScript,
		"POST /editor/save":  c.saveScript,

		"GET /scripts":                of(c.allScripts, c.listScripts),
		"POST /scripts":               of(c.allScripts, c.replayScripts),
		"GET /scripts/{name}":         of((*view).script, c.scriptPage),
		"GET /scripts/{name}/replay":  func(v *view) error { return v.goTo("/scripts/" + link(v.r.PathValue("name"))) },
		"POST /scripts/{name}/replay": of((*view).script, c.replayScript),
		"POST /scripts/{name}/run":    of((*view).script, c.runSaved),
		"POST /scripts/{name}/remove": c.removeScript,
	} {
		c.mux.Handle(pattern, c.page(page))
	}
}

// of returns a handler that calls do with the result of load.
func of[T any](load func(*view) (T, error), do func(*view, T) error) func(*view) error {
	return func(v *view) error {
		x, err := load(v)
		if err != nil {
			return err
		}
		return do(v, x)
	}
}

// Has reports whether the console serves the request.
func (c *Console) Has(r *http.Request) bool {
	_, pattern := c.mux.Handler(r)
	return pattern != "" && pattern != "GET /"
}

// ServeHTTP serves the pages at the root of a host.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // without a referrer, forms have no Origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	c.mux.ServeHTTP(w, r)
}

// csp permits only files of this server, and nothing inline.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// asset is a static file, plain and compressed.
type asset struct {
	plain, packed []byte
	kind          string
}

// static has the static files by name, and a digest of all of them. The digest is part of their
// addresses, so that browsers cache them until they change, and a module imported twice is one.
type static struct {
	files   map[string]*asset
	version string
}

var assets = sync.OnceValue(func() *static {
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
	all, sum := map[string]*asset{}, sha256.New()
	fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		z.Write(b)
		z.Close()
		fmt.Fprintf(sum, "%s %d\n%s", name, len(b), b)
		all[strings.TrimPrefix(name, "static/")] = &asset{b, packed.Bytes(), kinds[path.Ext(name)]}
		return nil
	})
	return &static{all, hex.EncodeToString(sum.Sum(nil)[:6])}
})

// assetURL returns the address of a static file.
func assetURL(name string) (string, error) {
	all := assets()
	if all.files[name] == nil {
		return "", fmt.Errorf("there is no static file %q", name)
	}
	return "/static/" + all.version + "/" + name, nil
}

func (c *Console) static(w http.ResponseWriter, r *http.Request) {
	all := assets()
	a := all.files[r.PathValue("name")]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	if r.PathValue("version") == all.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = a.packed
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	io.Copy(w, bytes.NewReader(body))
}
