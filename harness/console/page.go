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

// maxSaid is how many sentences a browser has for its next page, the latest.
const maxSaid = 20

// MaxForm bounds what a form may send, in bytes: a script and its inputs. MaxLogin is that
// of who is not signed in.
const MaxForm, MaxLogin = 4 << 20, 8 << 10

// view is a request for a page, by somebody who may see it.
type view struct {
	*Viewer
	c       *Console
	w       http.ResponseWriter
	r       *http.Request
	browser *browser
	inTurn  bool // it has a turn to read records
	// documents has the colours of the viewer's servers; nil before the first document.
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

// terminal returns a sentence with the command for what a page cannot do. It returns ""
// if the viewer cannot run commands.
func (v *view) terminal(args ...string) string {
	command := v.next().Command
	if command == nil {
		return ""
	}
	return " In a terminal: " + command(args...)
}

// next returns how the viewer resumes a run; commands are for operators.
func (v *view) next() (n outcome.Next) {
	if v.c.opts.Next != nil {
		n = v.c.opts.Next(v.r)
	}
	if !v.Operator {
		n.Command = nil
	}
	return n
}

// Page is what the layout shows of any page; Data is the page's own.
type Page struct {
	Title string // of the window, without the program's
	Nav   string // the entry of the navigation that it belongs to: runs, tools …
	Class string // of body and main
	// Live are the topics that change it, see hub; empty: it stays as it is.
	Live []string
	// Module is a JavaScript file of static that it needs besides console.js; empty: none.
	Module string
	Data   any

	Viewer  *Viewer
	Said    []notice
	Waiting int // calls that wait for a person, as far as the viewer may see them
	Tools   int
	Servers int
	Help    bool // there are guides
	Version string
	Address string
	Kept    string
	Theme   string // light or dark; "" as the system
	Now     time.Time
	c       *Console
	made    func() // called once the page is rendered, before it is sent
}

// problem is an answer that is no page: a status, what is wrong, and what to do.
type problem struct {
	Status int
	Title  string
	Text   string
	// Next is the address of what to do, and Do says it; empty: the overview.
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

// page makes a handler of what shows a page or does something: who asks is known, a
// request that changes something is one of our own pages', and an error becomes an
// answer.
func (c *Console) page(show func(*view) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := c.browser(r)
		who := c.viewer(b)
		if who == nil && r.Header.Get("Sec-Fetch-Site") == "cross-site" && Visits(r) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, comeAgain)
			return
		}
		if who == nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="usetools"`)
			c.door(w, r, http.StatusUnauthorized, "")
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

// why says what went wrong as far as the viewer may know: an error may name files and
// servers, so that only the operator reads it. What is said to everybody is a *problem.
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
	return "the log of the server has the reason"
}

// fail answers with what is wrong.
func (v *view) fail(err error) {
	p := &problem{Status: http.StatusInternalServerError, Title: "An error occurred", Text: err.Error()}
	var as *problem
	switch {
	case errors.As(err, &as):
		p = as
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAmbiguous):
		p.Status, p.Title = http.StatusNotFound, "Run not found"
		p.Text = "There is no record of this run, or you may not see it. Old records are removed."
		p.Next, p.Do = "/runs", "All runs"
	case v.r.Context().Err() != nil:
		return
	case !v.Operator: // an error may name files and servers
		v.c.log.Error("a page of the console", "path", v.r.URL.Path, "token", v.Token, "error", err)
		p.Text = "The log of the server has the reason."
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

// write fills in what the layout needs and writes a page.
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
	if v.r.Header.Get("X-Part") == "" { // which is of a page that was shown before
		d := &v.c.doors
		d.mu.Lock()
		p.Said, v.browser.said = v.browser.said, nil
		d.mu.Unlock()
	}
	v.c.send(v.w, status, name, p)
}

// send writes a page, or that it could not be made.
func (c *Console) send(w http.ResponseWriter, status int, name string, p *Page) {
	t := c.pages.all[name]
	var b bytes.Buffer
	err := fmt.Errorf("there is no page %s", name)
	if t != nil {
		err = t.ExecuteTemplate(&b, "layout", p)
	}
	if p.made != nil {
		p.made()
	}
	if err != nil {
		c.log.Error("making a page", "page", name, "error", err)
		http.Error(w, "the page could not be made; the server's log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// part writes a part of a page, which a template of that page defines.
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

// render is a part of a page as HTML.
func (v *view) render(page, name string, data any) (string, error) {
	t := v.c.pages.all[page]
	if t == nil {
		return "", fmt.Errorf("there is no page %s", page)
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// door is the page for who is not signed in.
func (c *Console) door(w http.ResponseWriter, r *http.Request, status int, why string) {
	c.send(w, status, "door.html", &Page{Title: "Sign in", c: c, Version: c.opts.Version, Address: r.Host, Theme: themeOf(r),
		Data: struct {
			Why    string
			Tokens bool
		}{why, c.opts.Holder != nil}})
}

// say has the next page of the browser begin with a sentence; kind is ok, wait or bad.
func (v *view) say(kind, format string, args ...any) {
	v.tell(notice{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// tell is say with an address of what to do next.
func (v *view) tell(n notice) {
	d := &v.c.doors
	d.mu.Lock()
	defer d.mu.Unlock()
	said := append(v.browser.said, n)
	v.browser.said = said[max(0, len(said)-maxSaid):]
}

// goTo sends the browser to another page of ours.
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

// setTheme keeps the theme; it needs nobody to be signed in.
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

// pages are the templates: the layout with each page.
type pages struct{ all map[string]*template.Template }

func (p *pages) parse() {
	funcs := template.FuncMap{
		"asset": assetURL, "icon": icon, "status": statusMark, "statusWord": present.StatusWord, "ago": present.Ago, "duration": present.Duration, "count": count, "plural": plural, "titled": titled, "titleCode": titleCode, "hasName": present.HasName, "failed": present.NotWell, "zone": zone,
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"day":   day, "now": time.Now, "join": strings.Join, "thousands": thousands, "visible": visible, "whole": whole, "hue": hue, "dict": dict,
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

// dict is a map for a template that is given several values: name, value, …
func dict(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		m[fmt.Sprint(kv[i])] = kv[i+1]
	}
	return m
}

// visible is a text in which what does not show, or turns the text around, is an escape.
func visible(s string) string { return present.Visible(s, 4000, false) }

// serverOf is the server of a tool's ID.
func serverOf(tool string) string {
	server, _, _ := strings.Cut(tool, ".")
	return server
}

// hue is the class of the colour of a tool's server.
func hue(servers []string, tool string) string { return hueOf(servers, serverOf(tool)) }

// hueOf is the class of a server's colour: s1 to s8, by its place among the servers.
func hueOf(servers []string, server string) string {
	i := slices.Index(servers, server)
	if i < 0 {
		return "s5"
	}
	return fmt.Sprintf("s%d", i%8+1)
}

// icon is one of our own drawings.
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

// statusMark is the sign and the word of a status.
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
	case present.NotWell(status):
		return "bad"
	case status == record.Running:
		return "run"
	case status == "canceled":
		return "off"
	}
	return "wait"
}
