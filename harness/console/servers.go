package console

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/config/edit"
	"github.com/usetools/usetools/registry/text"
)

const (
	// fewLines limits a log, and a part of a changed definition, in the list of servers; manyLines
	// limits them on the page of one server.
	fewLines, manyLines = 8, 400
	// maxLine limits a displayed line, in characters; shortLine limits a log line in the list.
	maxLine, shortLine = 1000, 240
)

// serversData is the data of the pages of servers.
type serversData struct {
	Now   time.Time
	Rows  []*serverRow
	One   bool // the page of one server
	Names []string
	Sum   string
	// Acts reports whether the console can change servers, Asks whether it can reload them. Why is
	// the reason if it cannot.
	Acts, Asks bool
	Why        string
	Loading    bool
}

// serverRow is a server on a page.
type serverRow struct {
	Name      string
	Transport string
	At        string // its command, URL or file; empty if the viewer may not see it
	State     serverState
	Since     time.Time // start of the state; zero if unknown
	Error     string    // the server's message
	Again     string    // when it is retried
	Tools     int
	Stale     int
	Tokens    int // approximate size of the tools' definitions; 0 if unknown
	Start     float64
	Calls     *called // nil if unknown
	Busy      string  // running calls and their limit
	Protocol  string
	Version   string
	Problems  []string
	Held      []string // IDs of changed tools to be accepted
	Changes   []*toolChange
	Log       []logLine
	LogError  string
	// Open reports whether the row shows details.
	Open    bool
	Enable  bool // disabled, and can be enabled
	Disable bool
	SignIn  *signingIn // the current sign-in, or nil
	Signs   bool       // supports sign-in
	Local   bool       // the browser is on this machine
}

// serverState is the state of a server.
type serverState struct {
	Key   string
	Class string
	Icon  string
	Word  string
	rank  int // problems first
}

var serverStates = map[string]serverState{
	"down":     {"down", "bad", "bad", "down", 0},
	"unusable": {"unusable", "bad", "bad", "unusable", 0},
	"signin":   {"signin", "wait", "wait", "needs sign-in", 1},
	"new":      {"new", "wait", "wait", "not loaded", 2},
	"asking":   {"asking", "run", "run", "loading", 2},
	"stopped":  {"stopped", "wait", "wait", "stopped", 3},
	"up":       {"up", "ok", "ok", "up", 4},
	"ready":    {"ready", "ok", "ok", "ready", 4},
	"file":     {"file", "off", "off", "snapshot", 5},
	"off":      {"off", "off", "off", "disabled", 6},
}

// toolChange is a pinned tool with a changed definition.
type toolChange struct {
	ID     string
	What   string
	New    bool
	Digest string // of the change; accepting requires the digest that was shown
	Parts  []changedPart
	Words  bool // the change is in texts that people and models read
	Error  string
	Cut    bool // truncated
}

type changedPart struct {
	Name  string
	Lines []changedLine
}

// changedLine is a line before (dm), after (dp) or in both (d0). Mark is its new part, between Text
// and End.
type changedLine struct{ Class, Sign, Text, Mark, End string }

// logLine is a line of a server's log. Note marks lines of the harness.
type logLine struct {
	Time, Text string
	Note       bool
}

// showServers shows all servers, or the one named in the path.
func (c *Console) showServers(v *view) error {
	now, name := time.Now(), v.r.PathValue("name")
	runs, _ := v.recentRuns()
	d := &serversData{Now: now, One: name != ""}
	d.Rows = c.serverRows(v, runs, now, true)
	cat := c.host.Catalog(v.Viewer)
	d.Loading = cat == nil
	if cat != nil {
		d.Names = serverOrder(cat)
	}
	if v.Operator {
		d.Acts = c.opts.Files != nil && len(c.opts.Files.AllConfigs()) > 0
		d.Why = "The harness was started without a config that the console can change."
		if c.opts.Files != nil {
			_, d.Asks = c.opts.Files.Watched()
			d.Why = "There is no config. harness add creates one."
		}
	}
	d.Sum = summed(d.Rows)
	page := &Page{Title: "Servers", Nav: "servers", Class: "srvpage", Live: []string{topicServers, topicRuns}, Data: d}
	if name == "" {
		return v.show("servers.html", page)
	}
	i := slices.IndexFunc(d.Rows, func(r *serverRow) bool { return r.Name == name })
	if i < 0 {
		return notFound("No server has this name.")
	}
	r := d.Rows[i]
	r.Open = true
	if v.Operator {
		c.more(v, cat, r, manyLines)
	}
	d.Rows, page.Title = []*serverRow{r}, text.Cut(visible(name), 80)
	return v.show("servers.html", page)
}

// summed returns the number of servers in each state.
func summed(rows []*serverRow) string {
	n := map[string]int{}
	for _, r := range rows {
		n[r.State.Word]++
	}
	var out []string
	for _, word := range []string{"up", "ready", "down", "stopped", "unusable", "needs sign-in", "loading", "not loaded", "snapshot", "disabled"} {
		if n[word] > 0 {
			out = append(out, thousands(n[word])+" "+word)
		}
	}
	return strings.Join(out, ", ")
}

// serverRows returns the servers as the viewer may see them, problems first. details adds details
// from files to servers with problems.
func (c *Console) serverRows(v *view, runs []*record.Summary, now time.Time, details bool) []*serverRow {
	var rows []*serverRow
	cat := c.host.Catalog(v.Viewer)
	known := map[string]bool{}
	if cat != nil {
		calls := calledBy(since(runs, now.Add(-24*time.Hour)), serverOf, now)
		for i := range cat.Registry.Servers {
			s := &cat.Registry.Servers[i]
			known[s.Name] = true
			r := c.serverRow(v, cat, s, now)
			r.Calls = calls[s.Name]
			rows = append(rows, r)
		}
		v.toolsByServer(cat, rows)
		for _, r := range rows {
			for _, k := range c.sizes.of(cat).Servers {
				if k.Name == r.Name && k.Tools == r.Tools { // otherwise the size includes tools that the viewer may not see
					r.Tokens = k.SchemaTokens
				}
			}
		}
	}
	if v.Operator && c.opts.Files != nil && details {
		rows = c.configured(rows, known)
	}
	for _, r := range rows {
		r.Open = v.Operator && (r.State.rank <= 1 || len(r.Held) > 0 || c.signins.of(r.Name) != nil)
		if v.Operator && details && r.Open {
			c.more(v, cat, r, fewLines)
		}
	}
	slices.SortStableFunc(rows, func(a, b *serverRow) int { return cmp.Compare(a.rank(), b.rank()) })
	return rows
}

func (r *serverRow) rank() int {
	if len(r.Held) > 0 {
		return min(r.State.rank, 1)
	}
	return r.State.rank
}

// toolsByServer counts the tools of each server that the viewer may see.
func (v *view) toolsByServer(cat *catalog.Catalog, rows []*serverRow) {
	by := map[string]*serverRow{}
	for _, r := range rows {
		by[r.Name] = r
	}
	p := v.c.host.Policy(v.Viewer)
	for i := range cat.Registry.Tools {
		t := &cat.Registry.Tools[i]
		r := by[t.Server]
		if r == nil || !v.shows(cat, p, t) {
			continue
		}
		r.Tools++
		if t.Stale {
			r.Stale++
		}
		if t.Held {
			r.Held = append(r.Held, t.ID)
		}
	}
}

// serverRow returns the row of a server of the registry.
func (c *Console) serverRow(v *view, cat *catalog.Catalog, s *registry.Server, now time.Time) *serverRow {
	r := &serverRow{Name: s.Name, Transport: s.Transport, Protocol: s.Protocol}
	if v.Operator {
		r.Version, r.Problems = text.Cut(visible(s.Version), 80), s.Problems[:min(len(s.Problems), manyLines)]
	}
	def := definition(cat, s.Name)
	if def != nil && v.Operator {
		r.At = catalog.Where(def)
	}
	var st backend.State
	if pool, ok := cat.Calls.(interface{ State(string) backend.State }); ok {
		st = pool.State(s.Name)
	}
	message, signIn := "", false
	switch {
	case s.Error != nil:
		message, signIn = *s.Error, s.SignIn
	case !st.Down.IsZero() && st.Err != nil:
		message, signIn = st.Err.Error(), errors.Is(st.Err, backend.ErrSignIn)
	}
	key := "ready"
	switch {
	case cat.Asking != nil && slices.Contains(cat.Asking.Servers, s.Name):
		key = "asking"
	case signIn:
		key = "signin"
	case s.Transport == "" || def != nil && def.Err != nil:
		key = "unusable"
	case s.Error != nil && st.Since.IsZero():
		key = "down"
	case s.Transport == config.Snapshot && s.Error == nil:
		key = "file"
	case !st.Since.IsZero():
		key, r.Since = "up", st.Since
	case !st.Down.IsZero() && errors.Is(st.Err, backend.ErrDisconnected):
		key = "stopped"
	case !st.Down.IsZero():
		key = "down"
	}
	r.State = serverStates[key]
	if !v.Operator {
		return r
	}
	if s.Transport == config.Stdio || s.Transport == config.HTTP || s.Transport == config.SSE {
		r.Start = float64(st.Start.Microseconds()) / 1000
	}
	if st.Limit > 0 && key != "file" {
		r.Busy = fmt.Sprintf("%d of %d", st.Calls, st.Limit)
	}
	if key != "up" && key != "ready" && key != "file" {
		r.Since = st.Down
		r.Error = visible(catalog.OfServer(s.Name, message))
		if key == "down" || key == "stopped" {
			r.Again = c.askedAgain(st, now)
		}
	}
	return r
}

// definition returns the config of a server, or nil if it is unknown.
func definition(cat *catalog.Catalog, name string) *config.Server {
	if cat == nil {
		return nil
	}
	for i := range cat.Servers {
		if cat.Servers[i].Name == name {
			return &cat.Servers[i]
		}
	}
	return nil
}

// askedAgain returns when a server that is not up is retried.
func (c *Console) askedAgain(st backend.State, now time.Time) string {
	var out []string
	if st.Retry.After(now) {
		out = append(out, "calls start it again after "+st.Retry.Local().Format("15:04:05"))
	} else if !st.Down.IsZero() {
		out = append(out, "the next call starts it again")
	}
	if c.opts.Files != nil {
		if every, ok := c.opts.Files.Watched(); ok && every > 0 {
			often := every.String()
			if every%time.Minute == 0 {
				often = fmt.Sprintf("%d min", every/time.Minute)
			}
			out = append(out, "the harness tries it every "+often)
		}
	}
	return strings.Join(out, "; ")
}

// configured adds the current config: disabled servers, and servers that were not loaded yet.
func (c *Console) configured(rows []*serverRow, known map[string]bool) []*serverRow {
	paths := c.opts.Files.AllConfigs()
	if len(paths) == 0 {
		return rows
	}
	cfg, err := config.Load(paths...)
	if err != nil {
		return rows // the error is in the server's log; keep the last state
	}
	for _, r := range rows {
		if s, ok := cfg.Server(r.Name); ok {
			r.Disable, r.Signs = true, s.OAuth != nil
			continue
		}
		if slices.Contains(cfg.Disabled, r.Name) {
			r.State, r.Enable, r.Error, r.Again = serverStates["off"], true, "", ""
		}
	}
	for i := range cfg.Servers {
		if s := &cfg.Servers[i]; !known[s.Name] {
			r := &serverRow{Name: s.Name, Transport: s.Type, At: catalog.Where(s), Disable: true,
				State: serverStates["new"], Signs: s.OAuth != nil}
			if s.Err != nil {
				r.State, r.Error = serverStates["unusable"], visible(catalog.OfServer(s.Name, s.Err.Error()))
			}
			rows = append(rows, r)
		}
	}
	for _, name := range cfg.Disabled {
		if _, on := cfg.Server(name); !on && !known[name] {
			rows = append(rows, &serverRow{Name: name, State: serverStates["off"], Enable: true})
		}
	}
	return rows
}

// more adds details from files to a server: changes of its tools, and its log.
func (c *Console) more(v *view, cat *catalog.Catalog, r *serverRow, lines int) {
	r.SignIn, r.Local = c.signins.of(r.Name), transport.IsLoopback(v.r.Host)
	r.Changes, r.Log, r.LogError = nil, nil, ""
	if c.opts.Files != nil && len(r.Held) > 0 {
		pins := c.opts.Files.Pins()
		for _, id := range r.Held[:min(len(r.Held), lines)] {
			if t, ok := cat.Registry.Tool(id); ok {
				r.Changes = append(r.Changes, newChange(pins, t, lines))
			}
		}
	}
	def := definition(cat, r.Name)
	if def == nil || def.Type != config.Stdio || def.File == "" {
		return
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return
	}
	path, err := mcp.LogFile(folder, def.File, def.Name)
	if err != nil {
		return
	}
	b, err := mcp.LogTail(path, lines)
	if err != nil {
		r.LogError = err.Error()
		return
	}
	most := maxLine
	if lines == fewLines {
		most = shortLine
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		l := logLine{Text: line}
		if at, rest, ok := strings.Cut(line, " "); ok {
			if t, err := time.Parse(time.RFC3339, at); err == nil {
				l.Time, l.Text = t.Local().Format("15:04:05.000"), rest
			}
		}
		l.Text, l.Note = strings.CutPrefix(l.Text, "-- ")
		l.Text = present.Visible(l.Text, most, false)
		r.Log = append(r.Log, l)
	}
}

// newChange returns the change of a held tool, with at most so many lines for each part.
func newChange(pins *registry.Pins, t *registry.Tool, lines int) *toolChange {
	x := &toolChange{ID: t.ID, New: t.New(), Error: present.Visible(t.Error, maxLine, false)}
	accepted, now, ok := pins.Change(t.Server, t.Name)
	if pins.Err != nil {
		return x
	}
	if !ok {
		x.Error = "The change was accepted. The tool can be called after its server is reloaded."
		return x
	}
	c := build.Compare(t.ID, accepted, now)
	x.What, x.Digest = strings.Join(c.What, ", "), changeDigest(c)
	x.Words = slices.ContainsFunc(c.What, func(w string) bool { return w == "title" || w == "description" || w == "instructions" })
	for _, p := range c.Parts() {
		begin, before, after, end := p.Differ()
		part := changedPart{Name: p.Name}
		add := func(class, sign string, all []string) {
			for i, l := range all {
				if i == lines {
					x.Cut = true
					part.Lines = append(part.Lines, changedLine{Class: "d0", Text: fmt.Sprintf("… %s", count(len(all)-i, "more line"))})
					return
				}
				cut := text.Cut(l, maxLine)
				x.Cut = x.Cut || cut != l
				part.Lines = append(part.Lines, changedLine{Class: class, Sign: sign, Text: cut})
			}
		}
		add("d0", " ", begin[max(len(begin)-2, 0):])
		if len(before) == 1 && len(after) == 1 {
			add("dm", "-", before)
			begun, mark, end := marked(before[0], after[0])
			x.Cut = x.Cut || len(after[0]) > maxLine
			part.Lines = append(part.Lines, changedLine{"dp", "+", text.Cut(begun, maxLine), text.Cut(mark, maxLine),
				text.Cut(end, maxLine)})
		} else {
			add("dm", "-", before)
			add("dp", "+", after)
		}
		add("d0", " ", end[:min(len(end), 1)])
		x.Parts = append(x.Parts, part)
	}
	return x
}

// marked splits a line around its new part.
func marked(before, after string) (begin, mark, end string) {
	a, b := []rune(before), []rune(after)
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return string(b[:i]), string(b[i : len(b)-j]), string(b[len(b)-j:])
}

// changeDigest returns a digest that identifies a change.
func changeDigest(c build.Change) string {
	b, err := json.Marshal(c)
	if err != nil { // unreachable: schemas in a registry are valid JSON
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// backToServer redirects to the page that the action came from.
func backToServer(v *view) error {
	name := v.r.PathValue("name")
	if name == "" || v.r.PostFormValue("from") == "list" {
		return v.goTo("/servers")
	}
	return v.goTo("/servers/" + url.PathEscape(name))
}

// configs returns the configs for actions that change them, which only the operator may.
func (v *view) configs() (*catalog.Files, error) {
	f := v.c.opts.Files
	switch {
	case !v.Operator:
		return nil, forbidden("Only the operator can reload or change servers.")
	case f == nil || len(f.AllConfigs()) == 0:
		return nil, &problem{Status: http.StatusConflict, Title: "No config", Next: "/servers", Do: "All servers",
			Text: "The harness was started without a config that the console can change."}
	}
	return f, nil
}

// askServer reloads the tools of a server, or of all servers if the path names none.
func (c *Console) askServer(v *view, f *catalog.Files) error {
	name := v.r.PathValue("name")
	if cat := c.host.Catalog(v.Viewer); name != "" && (cat == nil || !hasServer(cat, name)) {
		return notFound("No server has this name.")
	}
	what := "All servers are"
	if name != "" {
		what = visible(name) + " is"
	}
	if f.Ask(name) {
		v.say("ok", "%s being reloaded. This page updates itself.", what)
	} else {
		v.say("wait", "This harness does not watch its servers. Run build-registry, and restart the harness.")
	}
	return backToServer(v)
}

func hasServer(cat *catalog.Catalog, name string) bool {
	_, ok := cat.Registry.Server(name)
	return ok
}

// switchServer enables or disables a server in its config, like harness enable and disable.
func (c *Console) switchServer(v *view, f *catalog.Files) error {
	name, on := v.r.PathValue("name"), strings.HasSuffix(v.r.URL.Path, "/enable")
	c.changing.Lock()
	defer c.changing.Unlock()
	path, err := clients.ConfigWith(f.AllConfigs(), name)
	if err != nil {
		return &problem{Status: http.StatusNotFound, Title: "Not here", Next: "/servers", Do: "All servers", Text: visible(err.Error())}
	}
	after, err := clients.Edit(path, name, func(s edit.Syntax, text []byte) ([]byte, error) { return s.Enable(text, name, on) })
	if err == nil {
		err = clients.Rewrite(path, after)
	}
	if err != nil {
		return fmt.Errorf("%s was not changed: %w", path, err)
	}
	is := "on"
	if !on {
		is = "off"
	}
	c.log.Info("a server was switched "+is, "server", name, "who", v.Name, "config", path)
	if _, watched := f.Watched(); watched {
		v.say("ok", "%s is switched %s in %s. This page updates itself.", visible(name), is, path)
	} else {
		v.say("ok", "%s is switched %s in %s. Restart the harness to apply it: it does not watch its servers.",
			visible(name), is, path)
	}
	c.Changed(topicServers)
	return backToServer(v)
}

// acceptTool accepts the changed definition of a pinned tool, like build-registry accept.
func (c *Console) acceptTool(v *view, f *catalog.Files) error {
	name, id := v.r.PathValue("name"), v.r.PostFormValue("tool")
	a, err := f.Acceptance()
	if err != nil {
		return fmt.Errorf("nothing was accepted: %w", err)
	}
	if t, ok := a.Registry.Tool(id); !ok || t.Server != name {
		return notFound("This server has no tool with this ID.")
	}
	change := a.Change(id)
	if changeDigest(change) != v.r.PostFormValue("digest") {
		v.say("wait", "%s has changed again since this page was loaded. Check the new change before you accept it.", visible(id))
		return backToServer(v)
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), time.Minute)
	defer cancel()
	if err := a.Accept(ctx, change); err != nil {
		return fmt.Errorf("nothing was accepted: %w", err)
	}
	c.log.Info("a changed tool was accepted", "tool", id, "what", change.What, "who", v.Name)
	v.say("ok", "The new definition of %s is accepted.", visible(id))
	c.Changed(topicServers)
	return backToServer(v)
}

// signInWait limits a sign-in, signInPage the time until the server sends the address of its page.
const signInWait, signInPage = 5 * time.Minute, 15 * time.Second

// signIns are the sign-ins that are running or failed.
type signIns struct {
	mu  sync.Mutex
	all map[string]*signingIn
}

// signingIn is a sign-in.
type signingIn struct {
	URL, Host string // the sign-in page; empty until the server sends it
	Error     string // why it failed
	over      bool
}

// of returns a copy of the sign-in to a server, or nil.
func (s *signIns) of(name string) *signingIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[name]; x != nil {
		copied := *x
		return &copied
	}
	return nil
}

// change replaces the sign-in to a server. If to returns nil, it removes the sign-in.
func (s *signIns) change(name string, to func(x *signingIn) *signingIn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*signingIn{}
	}
	if x := to(s.all[name]); x != nil {
		s.all[name] = x
	} else {
		delete(s.all, name)
	}
}

// signIn starts a sign-in, like build-registry signin. Its page redirects the browser to a port of
// this machine.
func (c *Console) signIn(v *view, f *catalog.Files) error {
	name := v.r.PathValue("name")
	if !transport.IsLoopback(v.r.Host) {
		v.say("wait", "The sign-in page returns to the machine of the harness. Run there: build-registry signin %s",
			registry.ShellWord(name))
		return backToServer(v)
	}
	cfg, err := config.Load(f.AllConfigs()...)
	if err != nil {
		return err
	}
	s, ok := cfg.Server(name)
	switch {
	case !ok:
		return notFound("No server has this name.")
	case s.Err != nil:
		return s.Err
	}
	begun := false
	c.signins.change(name, func(x *signingIn) *signingIn {
		if x == nil || x.over {
			x, begun = &signingIn{}, true
		}
		return x
	})
	if !begun {
		return backToServer(v)
	}
	led := make(chan struct{})
	begun = c.hub.begin(func() {
		ctx, cancel := context.WithTimeout(c.hub.ctx, signInWait)
		defer cancel()
		once := sync.OnceFunc(func() { close(led) })
		defer once()
		err := mcp.SignIn(ctx, s, nil, func(page string) {
			host := page
			if u, err := url.Parse(page); err == nil {
				host = u.Host
			}
			c.signins.change(name, func(*signingIn) *signingIn { return &signingIn{URL: page, Host: visible(host)} })
			once()
		})
		c.signins.change(name, func(*signingIn) *signingIn {
			if err == nil {
				return nil
			}
			return &signingIn{Error: catalog.OfServer(name, err.Error()), over: true}
		})
		if err == nil {
			c.log.Info("signed in to a server", "server", name, "who", v.Name)
			f.Ask(name)
		}
		c.Changed(topicServers)
	})
	if !begun {
		c.signins.change(name, func(*signingIn) *signingIn { return nil })
		return backToServer(v)
	}
	select {
	case <-led:
	case <-time.After(signInPage):
	case <-v.r.Context().Done():
	}
	return backToServer(v)
}
