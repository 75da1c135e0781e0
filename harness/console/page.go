package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/text"
)

// maxNotices limits the notices that wait for a browser's next page; the latest are kept.
const maxNotices = 20

// MaxForm limits a submitted form, in bytes: a script and its inputs. MaxLogin is the limit before
// sign-in.
const MaxForm, MaxLogin = 4 << 20, 8 << 10

// view is a request of a signed-in viewer.
type view struct {
	*Viewer
	c       *Console
	w       http.ResponseWriter
	r       *http.Request
	browser *browser
	inTurn  bool // has a turn to read records
	// documents has the colours of the viewer's servers. It is nil before the first document.
	documents *present.HTMLOptions
}

// html returns a document as HTML.
func (v *view) html(d present.Document) (template.HTML, error) {
	if v.documents == nil {
		hue, _ := v.hues()
		v.documents = &present.HTMLOptions{Hue: hue}
	}
	return d.HTML(v.documents)
}

// terminal returns a sentence with a command that does what a page cannot. It returns "" if the
// viewer cannot run commands.
func (v *view) terminal(args ...string) string {
	command := v.next().Command
	if command == nil {
		return ""
	}
	return " In a terminal: " + command(args...)
}

// next returns how the viewer resumes a run. Only operators get a command.
func (v *view) next() (n outcome.Next) {
	if v.c.opts.Next != nil {
		n = v.c.opts.Next(v.r)
	}
	if !v.Operator {
		n.Command = nil
	}
	return n
}

// Page is the data of the layout template. Its field Data is the data of the page's own template.
type Page struct {
	Title string // of the window, without the program's name
	Nav   string // its navigation entry: runs, tools …
	Class string // of body and main
	// Live are the topics that update the page, see hub. If empty, the page is static.
	Live []string
	// Module is a JavaScript file of static that the page needs besides console.js, or "".
	Module string
	Data   any

	Viewer  *Viewer
	Notices []notice
	Waiting int // pending calls that the viewer may see
	Tools   int
	Servers int
	Help    bool // the server has guides
	Version string
	Address string
	Kept    string
	Theme   string // light or dark; if empty, as the system
	Now     time.Time
	c       *Console
	made    func() // called after the page is rendered, before it is sent
}

// problem is an error page: a status, the problem, and the next step.
type problem struct {
	Status int
	Title  string
	Text   string
	// Next is the address of the next step and Do its label. If empty, it is the overview.
	Next, Do string
}

func (p *problem) Error() string { return p.Text }

func notFound(text string) error {
	return &problem{Status: http.StatusNotFound, Title: "Not found", Text: text}
}

func forbidden(text string) error {
	return &problem{Status: http.StatusForbidden, Title: "Not allowed", Text: text}
}

func badRequest(text string) error {
	return &problem{Status: http.StatusBadRequest, Title: "Invalid request", Text: text}
}

// page returns a handler for signed-in viewers. It rejects changes that do not come from a page of
// this console, and turns an error into a page.
func (c *Console) page(show func(*view) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := c.browser(r)
		who := c.viewer(b)
		if who == nil && r.Header.Get("Sec-Fetch-Site") == "cross-site" && Visits(r) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, reloadPage)
			return
		}
		if who == nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="usetools"`)
			c.showSignIn(w, r, http.StatusUnauthorized, "")
			return
		}
		v := &view{Viewer: who, c: c, w: w, r: r, browser: b}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if !ours(r) {
				v.fail(forbidden("The form was sent from another page."))
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
			if err := r.ParseForm(); err != nil {
				v.fail(badRequest("The form is larger than 4 MB, or is not a form."))
				return
			}
			bodyIsRead(w)
		}
		defer v.rest()
		if err := show(v); err != nil {
			v.fail(err)
		}
	})
}

// why returns the message of an error that the viewer may see. Errors may name files and servers,
// so only the operator sees them; a *problem is for everybody.
func (v *view) why(err error) string {
	var as *problem
	switch {
	case errors.As(err, &as):
		return as.Text
	case v.Operator:
		return present.Visible(text.Cut(err.Error(), 1000), 2000, false)
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	}
	v.c.log.Error("a page of the console", "path", v.r.URL.Path, "token", v.Token, "error", err)
	return "see the server's log for the reason"
}

// fail writes the page of an error.
func (v *view) fail(err error) {
	p := &problem{Status: http.StatusInternalServerError, Title: "An error occurred", Text: err.Error()}
	var as *problem
	switch {
	case errors.As(err, &as):
		p = as
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAmbiguous):
		p.Status, p.Title = http.StatusNotFound, "Run not found"
		p.Text = "No record of this run exists, or you do not have access. Old records are removed."
		p.Next, p.Do = "/runs", "All runs"
	case v.r.Context().Err() != nil:
		return
	case !v.Operator: // an error may name files and servers
		v.c.log.Error("a page of the console", "path", v.r.URL.Path, "token", v.Token, "error", err)
		p.Text = "See the server's log for the reason."
	}
	if p.Next == "" {
		p.Next, p.Do = "/", "Show the overview"
	}
	v.write(p.Status, "problem.html", &Page{Title: p.Title, Data: p})
}

// show writes a page.
func (v *view) show(name string, p *Page) error {
	v.write(http.StatusOK, name, p)
	return nil
}

// write sets the data of the layout and writes a page.
func (v *view) write(status int, name string, p *Page) {
	p.Viewer, p.c, p.Now = v.Viewer, v.c, time.Now()
	p.Help = v.c.opts.Guides != nil
	p.Version, p.Address, p.Kept = v.c.opts.Version, v.r.Host, v.c.opts.Kept
	p.Theme = themeOf(v.r)
	if cat := v.c.host.Catalog(v.Viewer); cat != nil {
		p.Tools, p.Servers = v.countTools(cat), len(cat.Registry.Servers)
	}
	p.made = v.rest
	p.Waiting = v.c.hub.waits(v.Viewer)
	if v.r.Header.Get("X-Part") == "" { // not a part of a page that was already shown
		d := &v.c.logins
		d.mu.Lock()
		p.Notices, v.browser.notices = v.browser.notices, nil
		d.mu.Unlock()
	}
	v.c.send(v.w, status, name, p)
}

// send writes a page, or an error if it cannot be rendered.
func (c *Console) send(w http.ResponseWriter, status int, name string, p *Page) {
	t := c.pages.all[name]
	var b bytes.Buffer
	err := fmt.Errorf("unknown page %s", name)
	if t != nil {
		err = t.ExecuteTemplate(&b, "layout", p)
	}
	if p.made != nil {
		p.made()
	}
	if err != nil {
		c.log.Error("making a page", "page", name, "error", err)
		http.Error(w, "the page could not be rendered; see the server's log", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// part writes a part of a page, defined by one of the page's templates.
func (v *view) part(page, name string, data any) error {
	html, err := v.render(page, name, data)
	if err != nil {
		return err
	}
	v.rest()
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(v.w, html)
	return nil
}

// render returns a part of a page as HTML.
func (v *view) render(page, name string, data any) (string, error) {
	t := v.c.pages.all[page]
	if t == nil {
		return "", fmt.Errorf("unknown page %s", page)
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// showSignIn writes the sign-in page.
func (c *Console) showSignIn(w http.ResponseWriter, r *http.Request, status int, why string) {
	c.send(w, status, "signin.html", &Page{Title: "Sign in", c: c, Version: c.opts.Version, Address: r.Host, Theme: themeOf(r),
		Data: struct {
			Why    string
			Tokens bool
		}{why, c.opts.Holder != nil}})
}

// say adds a notice to the browser's next page; kind is ok, wait or bad.
func (v *view) say(kind, format string, args ...any) {
	v.notify(notice{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// notify adds a notice, which may have a next step, to the browser's next page.
func (v *view) notify(n notice) {
	d := &v.c.logins
	d.mu.Lock()
	defer d.mu.Unlock()
	all := append(v.browser.notices, n)
	v.browser.notices = all[max(0, len(all)-maxNotices):]
}

// goTo redirects the browser to a page of this console.
func (v *view) goTo(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

const themeCookie = "usetools_theme"

func themeOf(r *http.Request) string {
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return ""
}

// setTheme saves the theme. It needs no sign-in.
func (c *Console) setTheme(w http.ResponseWriter, r *http.Request) {
	if !ours(r) {
		http.Error(w, "sent from another page", http.StatusForbidden)
		return
	}
	theme := r.URL.Query().Get("to")
	cookie := &http.Cookie{Name: themeCookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		MaxAge: 400 * 24 * 3600, Value: theme}
	if theme != "light" && theme != "dark" {
		cookie.Value, cookie.MaxAge = "", -1
	}
	http.SetCookie(w, cookie)
	w.WriteHeader(http.StatusNoContent)
}

// pages are the templates of the pages, each with the layout.
type pages struct{ all map[string]*template.Template }

func (p *pages) parse() {
	funcs := template.FuncMap{
		"asset": assetURL, "icon": icon, "status": statusMark, "statusWord": present.StatusWord, "ago": present.Ago, "duration": present.Duration, "count": count, "plural": plural, "titled": titled, "titleCode": titleCode, "hasName": present.HasName, "failed": present.IsFailure, "zone": zone,
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"day":   day, "now": time.Now, "join": strings.Join, "thousands": thousands, "visible": visible, "oneLine": oneLine, "hue": hue, "dict": dict,
		"prose": prose, "pct": pct, "clock": func(t time.Time) string { return t.Local().Format("15:04:05") }, "cutTo": text.Cut, "partOf": partOf, "verdictClass": verdictClass, "verdictWord": verdictWord, "stateWord": stateWord, "toolHref": toolHref, "words": func(s string) string { return strings.ReplaceAll(s, "_", " ") }, "link": link, "noLine": func() string { return noLine },
	}
	layout := template.Must(template.New("").Funcs(funcs).ParseFS(files, "templates/layout.html", "templates/parts/*.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	p.all = map[string]*template.Template{}
	for _, name := range names {
		if path.Base(name) != "layout.html" {
			p.all[path.Base(name)] = template.Must(template.Must(layout.Clone()).ParseFS(files, name))
		}
	}
}

// dict returns a map for a template with several values: name, value, …
func dict(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		m[fmt.Sprint(kv[i])] = kv[i+1]
	}
	return m
}

// visible escapes characters that are invisible or change the direction of text.
func visible(s string) string { return present.Visible(s, 4000, false) }

// serverOf returns the server of a tool's ID.
func serverOf(tool string) string {
	server, _, _ := strings.Cut(tool, ".")
	return server
}

// hue returns the colour class of a tool's server.
func hue(servers []string, tool string) string { return hueOf(servers, serverOf(tool)) }

// hueOf returns the colour class of a server: s1 to s8, by its position among the servers.
func hueOf(servers []string, server string) string {
	i := slices.Index(servers, server)
	if i < 0 {
		return "s5"
	}
	return fmt.Sprintf("s%d", i%8+1)
}

// icon returns one of the console's drawings.
func icon(name string) template.HTML { return template.HTML(icons[name]) }

var icons = map[string]string{
	"ok":      `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 8.5l3 3 6-7" fill="none" stroke="currentColor" stroke-width="2"/></svg>`,
	"bad":     `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" stroke-width="2"/></svg>`,
	"wait":    `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5.5 3.5v9M10.5 3.5v9" fill="none" stroke="currentColor" stroke-width="2.4"/></svg>`,
	"unknown": `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5.3 5.8a2.7 2.5 0 1 1 4.2 2.1C8.5 8.5 8 9 8 10M8 11.8v1.6" fill="none" stroke="currentColor" stroke-width="1.8"/></svg>`,
	"off":     `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 8h9" fill="none" stroke="currentColor" stroke-width="2"/></svg>`,
	"run":     `<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="20 12"/></svg>`,
	"brand":   `<svg viewBox="0 0 16 16" aria-hidden="true"><rect x="1" y="2" width="6" height="3" rx=".7" fill="currentColor"/><rect x="5" y="6.5" width="10" height="3" rx=".7" fill="var(--accent)"/><rect x="3" y="11" width="7" height="3" rx=".7" fill="currentColor"/></svg>`,
	"theme":   `<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" fill="currentColor"/></svg>`,
}

// statusMark returns the icon and the word of a status.
func statusMark(status string) template.HTML {
	class, sign := statusClass(status), statusClass(status)
	if status == "uncertain" || status == record.Died || status == "lost" {
		sign = "unknown"
	}
	return template.HTML(`<span class="st `+class+`">`+icons[sign]) + template.HTML(template.HTMLEscapeString(present.Visible(present.StatusWord(status), 40, false))) + "</span>"
}

// statusClass returns the colour of a status, on lists and in the plot: ok, bad, wait, run or off.
func statusClass(status string) string {
	switch {
	case status == "ok":
		return "ok"
	case present.IsFailure(status):
		return "bad"
	case status == record.Running:
		return "run"
	case status == "canceled":
		return "off"
	}
	return "wait"
}
