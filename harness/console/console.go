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
	// Secret is what OpenPath makes links with that open the console; 32 bytes.
	Secret []byte
	// Holder is the name of who has a token, "" for nobody; nil: there are none.
	Holder func(token string) string
	// Viewer is who has a token, by its name; nil: it is not taken any more.
	Viewer func(name string) *Viewer
	// Tokens are the names of all tokens that are taken.
	Tokens []string
	// Files are what the catalog is from: the configs that the console may change;
	// nil: it changes none.
	Files *catalog.Files
	// Next returns how the sender of a request resumes a run. If nil, only pages do.
	Next func(r *http.Request) outcome.Next
	// ListTokens is what the tool execute takes of a model's context at most; 0:
	// models do not get that tool alone.
	ListTokens int
	// Kept says in words how long records are kept.
	Kept string
	// Cluster says how the cluster is that runs the scripts; nil: this process does.
	Cluster func(context.Context) (*Cluster, error)
	// Guides has the pages of the help, index.html and TOPIC.html. If nil, there is no help.
	Guides fs.FS
	// Version is that of the program; Address where it is served, as people name it.
	Version, Address string
	// Log receives what the operator should know; nil: nobody.
	Log *slog.Logger
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	opts  Options
	log   *slog.Logger
	host  Host
	store *store.Store
	pages pages
	doors doors
	hub   hub
	mux   *http.ServeMux
	// reading bounds how many records are read at a time.
	reading *semaphore.Weighted
	// searching bounds the searches for a text in all records, sending the large files
	// that are on their way, checking the scripts that are checked.
	searching, sending, checking *turns
	recent                       recent
	sizes                        toolSizes
	signins                      signIns
	// changing is held by who reads a config, changes and writes it.
	changing sync.Mutex
}

// New returns a console. Close ends what it follows.
func New(o *Options) *Console {
	c := &Console{opts: *o, log: o.Log, host: o.Host, store: o.Records, reading: semaphore.NewWeighted(2),
		searching: newTurns(2), sending: newTurns(2), checking: newTurns(2)}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.pages.parse()
	c.doors.init(o.Secret)
	c.hub.init(c.store)
	c.routes()
	return c
}

// Close ends what the console follows and its open streams.
func (c *Console) Close() { c.hub.close() }

// LoginPath is where the form with a token is sent, by who is not signed in yet.
const LoginPath = "/login"

func (c *Console) routes() {
	c.mux = http.NewServeMux()
	c.mux.HandleFunc("GET /static/{version}/{name...}", c.static)
	c.mux.HandleFunc("GET /open", c.open)
	c.mux.HandleFunc("POST "+LoginPath, c.login)
	c.mux.HandleFunc("POST /logout", c.logout)
	c.mux.HandleFunc("POST /theme", c.setTheme)
	again := func(v *view) error { return v.goTo("/editor") } // a form's answer was reloaded or bookmarked
	for pattern, page := range map[string]func(*view) error{
		"GET /":       func(*view) error { return notFound("There is no page at this address.") },
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
		"POST /runs/{id}/again":           of((*view).named, c.again),
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
		"GET /editor/check":  again,
		"GET /editor/run":    again,
		"GET /editor/save":   again,
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

// of is the handler of what load finds by the path.
func of[T any](load func(*view) (T, error), do func(*view, T) error) func(*view) error {
	return func(v *view) error {
		x, err := load(v)
		if err != nil {
			return err
		}
		return do(v, x)
	}
}

// Has reports whether the console has what a request is for.
func (c *Console) Has(r *http.Request) bool {
	_, pattern := c.mux.Handler(r)
	return pattern != "" && pattern != "GET /"
}

// ServeHTTP serves the pages, at the root of a host.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with none, forms have no origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	c.mux.ServeHTTP(w, r)
}

// csp allows what this server serves, and nothing in a page itself.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// asset is a file of static, as it is and packed.
type asset struct {
	plain, packed []byte
	kind          string
}

// static are the files of static by name, and what is in them all in short. It stands
// in their addresses, so that a browser keeps them as long as they are the same, and a
// module that two others import is one.
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

// assetURL is where a file of static is.
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
