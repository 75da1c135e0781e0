package console_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// route is a pattern of the console, as its source has it.
type route struct{ method, path string }

// routes are all of them.
func routes(t testing.TB) []route {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	list := []route{{"POST", "/login"}}
	pattern := regexp.MustCompile(`(?:HandleFunc\(|\n\t\t)"(GET|POST) (/[^"]*)"`)
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
			if m[2] != "" && m[2] != "/" {
				list = append(list, route{m[1], m[2]})
			}
		}
	}
	if len(list) < 12 {
		t.Fatalf("only %d routes: %v", len(list), list)
	}
	return list
}

// things are what the wildcards of routes may stand for.
type things struct{ runs, approvals, tools, servers, scripts []string }

// all are the things of a world.
func (w *world) all(t testing.TB) *things {
	t.Helper()
	x := &things{}
	for sum, err := range w.store.List(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		x.runs = append(x.runs, sum.ID)
	}
	for p, err := range approval.List(t.Context(), w.store, nil) {
		if err != nil {
			t.Fatal(err)
		}
		x.approvals = append(x.approvals, p.ID)
	}
	for i := range w.catalog.Registry.Tools {
		x.tools = append(x.tools, w.catalog.Registry.Tools[i].ID)
	}
	for i := range w.catalog.Registry.Servers {
		x.servers = append(x.servers, w.catalog.Registry.Servers[i].Name)
	}
	names, err := w.catalog.Scripts.Names()
	if err != nil {
		t.Fatal(err)
	}
	x.scripts = names
	return x
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// paths are the paths that a route has over things, some of each kind.
func (r route) paths(t testing.TB, x *things) []string {
	t.Helper()
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.path, "/"), "/")
	path := strings.TrimSuffix(r.path, "{$}")
	if kind == "static" {
		return []string{"/static/old/style.css", "/static/old/console.js"}
	}
	if !wildcard.MatchString(path) {
		return []string{path}
	}
	some := func(list []string, n int) []string { return list[:min(n, len(list))] }
	values := map[string][]string{"runs": some(x.runs, 30), "approvals": some(x.approvals, 6), "tools": some(x.tools, 12),
		"servers": some(x.servers, 12), "scripts": some(x.scripts, 6), "help": {"serve", "approvals"}}[kind]
	if values == nil && kind != "approvals" {
		t.Fatalf("this test does not know what stands in the path of %s %s", r.method, r.path)
	}
	var paths []string
	for i, v := range values {
		first := true
		paths = append(paths, wildcard.ReplaceAllStringFunc(path, func(name string) string {
			switch {
			case first:
				first = false
				return url.PathEscape(v)
			case kind == "runs" && strings.Contains(path, "/calls/"):
				return "1"
			case kind == "runs":
				return url.PathEscape(values[(i+1)%len(values)])
			}
			t.Fatalf("this test does not know what %s is in %s", name, r.path)
			return ""
		}))
	}
	return paths
}

// looks are the paths of all pages, parts and files, but for the stream of events and
// the link.
func looks(t testing.TB, x *things) []string {
	t.Helper()
	var list []string
	for _, r := range routes(t) {
		if r.method == "GET" && r.path != "/events" && r.path != "/open" {
			list = append(list, r.paths(t, x)...)
		}
	}
	return list
}

// evil is text that would be an element, an attribute or a script if anybody took it for
// more than text; each turns something into "evil".
var evil = []string{`<script>evil()</script>`, `"><img src=x onerror=evil() evil=1>`, `'><evil evil='1`, `{{.}}{{evil}}`,
	`javascript:evil()`, `</script></style></textarea></title></template></svg><evil>`, `--><evil><!--`, "` evil=`",
	`&lt;evil&gt;&#x3c;evil&#x3e;`, "\u202eevil\u2066\u200f", `<svg onload=evil()><style>*{color:red}</style>`,
	"\x1b]8;;evil\x07<evil>", `<a href="javascript:evil()" style="color:red">`}

const long = 100 << 10

var allEvil = strings.Join(evil, " ")

// hostile is a backend whose texts are all evil.
type hostile struct{}

func (hostile) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool := req.Tool
	if how := req.Send; how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
	}
	switch tool {
	case "fails":
		return failed(ctx, 0, "%s", allEvil)
	case "breaks":
		return nil, fmt.Errorf("%s: %w", allEvil, backend.ErrDisconnected)
	case "long":
		return text(ctx, 0, strings.Repeat("A", long)+allEvil)
	}
	return structured(ctx, 0, map[string]any{"words": allEvil, allEvil: evil})
}

// hostileWorld has evil in every text that comes from elsewhere.
func hostileWorld(t *testing.T) *world {
	t.Helper()
	quoted, _ := json.Marshal(allEvil)
	in := json.RawMessage(fmt.Sprintf(`{"type":"object","description":%[1]s,"properties":{"words":{"type":"string","title":%[1]s,`+
		`"description":%[1]s,"default":%[1]s,"examples":[%[1]s]},"kind":{"enum":[%[1]s,"b"]},%[1]s:{"type":"string"},`+
		`"many":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string","description":%[1]s}}}}}}`, quoted))
	yes := true
	tool := func(name string, reads bool) registry.Tool {
		x := registry.Tool{Server: "shop", Name: name, Title: allEvil, Description: name + " words " + allEvil, Input: in, Output: in,
			Category: allEvil, Examples: []registry.Example{json.RawMessage(`{"words":` + string(quoted) + `}`)}}
		if reads {
			x.Annotations = &registry.Annotations{ReadOnly: &yes, Title: allEvil}
		}
		return x
	}
	odd := tool(`odd"><evil evil=1>`, true)
	odd.Error = allEvil
	huge := tool("huge", true)
	huge.Description = strings.Repeat("A", long) + allEvil
	w := otherDemo(t, func(w *world) {
		down := allEvil
		reg := &registry.Registry{Servers: []registry.Server{{Name: "shop", Transport: "stdio", Title: allEvil, Version: allEvil,
			Instructions: allEvil, Protocol: allEvil, Problems: evil},
			{Name: "down", Transport: allEvil, Error: &down, Instructions: strings.Repeat("A", long)},
			{Name: `odd"><evil evil=1>`, Transport: "http"}},
			Tools: []registry.Tool{tool("looks", true), tool("changes", false), tool("fails", true), tool("breaks", false),
				tool("long", true), odd, huge}}
		reg.Normalize()
		w.catalog.Registry, w.catalog.Calls, w.catalog.Rules, w.catalog.Servers = reg, hostile{}, nil, nil
		w.catalog.Memory = nil
		w.tokens = maps.Clone(demoTokens)
		w.tokens[`"><evil>`] = "token-of-evil-0123456"
	})
	literal := "`" + strings.ReplaceAll(allEvil, "`", "` + \"`\" + `") + "`"
	for _, r := range []struct{ name, source string }{
		{"looks", "// " + strings.ReplaceAll(allEvil, "\x1b", "") + "\nUseTools(\"looks words\", " + literal + ")\nr, err := shop.Looks(shop.LooksParams{Words: " +
			literal + "})\nfmt.Println(r.Words, err)\nReturn(r)"},
		{"fails", "_, err := shop.Fails(shop.FailsParams{Words: " + literal + "})\nif err != nil { panic(err) }"},
		{"breaks", "_, err := shop.Breaks(shop.BreaksParams{Words: " + literal + "})\nfmt.Println(err)"},
		{"changes", "for i := range 3 { wg := sync.WaitGroup{}; wg.Go(func() { _, _ = shop.Changes(shop.ChangesParams{Words: fmt.Sprint(i) + " +
			literal + "}) }); wg.Wait() }"},
		{"long", "r, err := shop.Long(shop.LongParams{Words: strings.Repeat(\"A\", 100_000) + " + literal +
			"})\nfmt.Println(r.Text(), err)\nReturn(r.Text())"},
		{"source", "x := \"" + strings.Repeat("A", long) + "\"\nReturn(x)"},
		{"compile", "shop.Nothing(" + literal + ", <evil>)"},
		{"phrase", "UseTools(" + literal + ")\nReturn(1)"},
		{"panic", "panic(" + literal + ")"},
		{"named", "Return(map[string]string{" + literal + ": " + literal + "})"},
	} {
		res, err := w.run(`"><evil>`, r.source, func(s *harness.Script) {
			s.Origin.Name, s.Origin.Session = allEvil, allEvil
			s.Inputs = map[string]json.RawMessage{allEvil: quoted, "b": quoted}
			if r.name == "breaks" {
				s.Policy = &policy.Policy{Approved: []string{"*"}}
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		w.runs[r.name] = res.Run
		t.Logf("%s is %s", r.name, res.Status)
		if r.name == "changes" {
			if len(res.Waiting) == 0 {
				t.Fatalf("nothing waits: %s", res.Text())
			}
			if err := w.store.Answer(res.Waiting[0].ID, &record.Answer{Who: allEvil, How: allEvil, Word: allEvil}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.goOn(res, `"><evil>`); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.catalog.Scripts.Save(&library.Script{Name: "evil", About: allEvil, Source: "// " + allEvil + "\nReturn(1)",
		Broken: allEvil}); err != nil {
		t.Fatal(err)
	}
	return w
}

// No text of a server, a script or a person becomes markup, turns other text around, or
// makes a page endless.
func TestTextsAreNeverMarkup(t *testing.T) {
	t.Parallel()
	w := hostileWorld(t)
	c := w.signIn(t, "")
	x := w.all(t)
	paths := looks(t, x)
	for _, e := range append(evil, allEvil) {
		q := url.QueryEscape(e)
		for _, p := range []string{"/runs?status=%s&tool=%[1]s&script=%[1]s&session=%[1]s&subject=%[1]s&text=%[1]s&since=%[1]s&page=%[1]s",
			"/runs?text=%s", "/runs?tool=%s", "/runs?since=%s", "/tools?q=%s", "/tools?q=words&server=%s&class=%[1]s&category=%[1]s",
			"/policy?token=%s&tool=%[1]s", "/editor?script=%s", "/editor?run=%s", "/?hours=%s", "/open?key=%s"} {
			paths = append(paths, fmt.Sprintf(p, q))
		}
		for _, p := range []string{"/runs/", "/tools/", "/servers/", "/scripts/", "/approvals/"} {
			paths = append(paths, p+url.PathEscape(e))
		}
	}
	pages := 0
	for _, path := range paths {
		resp, body := c.do(http.MethodGet, path, nil)
		if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			continue
		}
		pages++
		if resp.StatusCode >= 500 {
			t.Errorf("%.200s: %d %.1000s", path, resp.StatusCode, body)
		}
		if len(body) > 4<<20 {
			t.Errorf("%.200s has %d bytes", path, len(body))
		}
		for _, what := range markup(body) {
			t.Errorf("%.200s: %s", path, what)
		}
	}
	t.Logf("%d pages", pages)
	if signed := w.signIn(t, `"><evil>`); signed != nil {
		for _, path := range looks(t, x) {
			resp, body := signed.do(http.MethodGet, path, nil)
			if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
				continue
			}
			for _, what := range markup(body) {
				t.Errorf("%.200s as evil: %s", path, what)
			}
		}
	}
}

// controls are those that turn text around.
const controls = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\x1b"

// markup says what a page has that no page may have, each once.
func markup(page string) []string {
	found := map[string]bool{}
	bad := func(format string, args ...any) { found[fmt.Sprintf(format, args...)] = true }
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	for n := range doc.Descendants() {
		switch n.Type {
		case html.TextNode:
			raw := n.Parent != nil && (n.Parent.Data == "textarea" || n.Parent.Data == "script") // what is edited stays as it is
			if i := strings.IndexAny(n.Data, controls); i >= 0 && !raw {
				bad("text with a control character: %q", around(n.Data, i))
			}
			if strings.Contains(n.Data, "{{") && strings.Contains(n.Data, "ZgotmplZ") {
				bad("ZgotmplZ: %q", n.Data)
			}
		case html.CommentNode:
			bad("a comment: %.100q", n.Data)
		case html.ElementNode:
			attr := map[string]string{}
			for _, a := range n.Attr {
				attr[a.Key] = a.Val
				key := strings.ToLower(a.Key)
				switch {
				case strings.HasPrefix(key, "on") || key == "style" || key == "srcdoc" || strings.Contains(key, "evil"):
					bad("<%s> with %s=%.60q", n.Data, a.Key, a.Val)
				case key == "href" || key == "src" || key == "action" || key == "formaction" || key == "xlink:href" || key == "data":
					if a.Val != "" && !strings.ContainsAny(a.Val[:1], "/#?") || strings.HasPrefix(a.Val, "//") {
						bad("<%s> with %s=%.60q", n.Data, a.Key, a.Val)
					}
				}
				if strings.Contains(a.Val, "ZgotmplZ") {
					bad("<%s %s>: ZgotmplZ", n.Data, a.Key)
				}
				if i := strings.IndexAny(a.Val, controls); i >= 0 && key != "value" {
					bad("<%s> with a control character in %s: %q", n.Data, a.Key, around(a.Val, i))
				}
			}
			switch n.Data {
			case "script":
				switch attr["type"] {
				case "module":
					if !strings.HasPrefix(attr["src"], "/static/") || n.FirstChild != nil {
						bad("a script: %v", attr)
					}
				case "application/json":
					if n.FirstChild != nil && !json.Valid([]byte(n.FirstChild.Data)) {
						bad("data that is not JSON: %.100s", n.FirstChild.Data)
					}
				default:
					bad("a script: %v", attr)
				}
			case "style", "iframe", "object", "embed", "base", "img", "image", "video", "audio", "math", "frame", "portal", "evil",
				"foreignobject", "animate", "set":
				bad("<%s>", n.Data)
			case "meta":
				if attr["http-equiv"] != "" {
					bad("a meta element: %v", attr)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func around(s string, i int) string { return s[max(0, i-20):min(len(s), i+20)] }

// Every answer forbids what is not this server's, and is kept nowhere.
func TestEveryAnswerForbidsWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	w := demo(t)
	x := w.all(t)
	clients := map[string]*client{"operator": w.signIn(t, ""), "dev": w.signIn(t, "dev"),
		"nobody": {&http.Client{Timeout: patience}, t, w}}
	for name, c := range clients {
		for _, r := range routes(t) {
			if r.path == "/events" {
				continue
			}
			for _, path := range r.paths(t, &things{x.runs[:1], x.approvals[:1], x.tools[:1], x.servers[:1], x.scripts[:1]}) {
				resp, _ := c.do(r.method, path, nil, "Origin", "", "Sec-Fetch-Site", "")
				h := resp.Header
				csp := h.Get("Content-Security-Policy")
				for _, want := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'",
					"form-action 'self'"} {
					if !strings.Contains(csp, want) {
						t.Errorf("%s %s as %s: the policy %q has no %s", r.method, path, name, csp, want)
					}
				}
				if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || strings.Contains(csp, "http") {
					t.Errorf("%s %s as %s: the policy is %q", r.method, path, name, csp)
				}
				for key, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
					"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
					if h.Get(key) != want {
						t.Errorf("%s %s as %s: %s is %q, want %q", r.method, path, name, key, h.Get(key), want)
					}
				}
				if h.Get("Cache-Control") != "no-store" {
					t.Errorf("%s %s as %s: Cache-Control is %q", r.method, path, name, h.Get("Cache-Control"))
				}
				for key := range h {
					if strings.HasPrefix(key, "Access-Control-") {
						t.Errorf("%s %s as %s has %s", r.method, path, name, key)
					}
				}
			}
		}
	}
}

// state is all that a world keeps: a digest by file, and how many effects its servers saw.
func (w *world) state(t testing.TB) map[string]string {
	t.Helper()
	got := map[string]string{"effects": fmt.Sprint(w.shop.effects.Load()), "calls": fmt.Sprint(w.shop.calls.Load())}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		got[strings.TrimPrefix(path, w.dir)] = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// changed fails where a world has changed.
func (w *world) changed(t *testing.T, was map[string]string, by string) {
	t.Helper()
	now := w.state(t)
	for name, v := range was {
		if now[name] != v {
			t.Errorf("%s changed %s: %s, now %s", by, name, v, now[name])
		}
	}
	for name := range now {
		if was[name] == "" {
			t.Errorf("%s made %s", by, name)
		}
	}
}

// resting is a world in which something waits, something failed, and nothing goes on.
func resting(t *testing.T) *world {
	t.Helper()
	w := emptyDemo(t)
	for _, d := range demoRuns {
		if !slices.Contains([]string{"uncertain", "panic", "log", "dry", "waiting", "changes"}, d.name) {
			continue
		}
		res, err := w.run(d.subject, d.source, d.change)
		if err != nil {
			t.Fatal(err)
		}
		w.runs[d.name] = res.Run
	}
	ended := len(w.runs)
	until(t, "the runs are counted", func() bool {
		counted, err := w.catalog.Usage.Runs(time.Time{})
		return err == nil && len(counted) == ended
	})
	if err := w.died(); err != nil {
		t.Fatal(err)
	}
	if err := w.catalog.Scripts.Save(&library.Script{Name: "late_orders", Source: lateScript}); err != nil {
		t.Fatal(err)
	}
	return w
}

// filled is a form with something in every field that a route may want.
func filled(w *world) url.Values {
	ids := []string{}
	for p, err := range approval.List(context.Background(), w.store, nil) {
		if err == nil {
			ids = append(ids, p.ID)
		}
	}
	return url.Values{"ids": ids, "id": ids, "answer": {"yes"}, "word": {"x"}, "call": {"2"}, "what": {"happened"}, "result": {"{}"},
		"name": {"taken"}, "about": {"x"}, "script": {logScript}, "source": {logScript}, "inputs": {"{}"}, "dry": {"1"},
		"arguments": {"{}"}, "token": {demoTokens["chief"]}, "tool": {"git.git_log"}, "tools": {"git.git_log"}, "yes": {"1"}}
}

// A request that would change something is taken from our own pages only.
func TestAChangeIsTakenFromOurPagesOnly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many requests, one after another")
	}
	w := resting(t)
	c := w.signIn(t, "")
	x := w.all(t)
	was, form := w.state(t), filled(w)
	posts := 0
	for _, r := range routes(t) {
		if r.method != "POST" {
			continue
		}
		for _, path := range r.paths(t, x) {
			for name, header := range map[string][]string{
				"another origin":     {"Origin", "http://evil.example", "Sec-Fetch-Site", ""},
				"another port":       {"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", ""},
				"no origin":          {"Origin", "", "Sec-Fetch-Site", ""},
				"the origin null":    {"Origin", "null", "Sec-Fetch-Site", ""},
				"a lookalike":        {"Origin", w.url + ".evil.example", "Sec-Fetch-Site", ""},
				"across sites":       {"Sec-Fetch-Site", "cross-site"},
				"the same site":      {"Sec-Fetch-Site", "same-site"},
				"a person's address": {"Origin", "", "Sec-Fetch-Site", "none"},
			} {
				posts++
				if resp, body := c.do(r.method, path, form, header...); resp.StatusCode != http.StatusForbidden {
					t.Errorf("POST %s from %s: %d %.300s", path, name, resp.StatusCode, body)
				}
			}
		}
	}
	t.Logf("%d posts", posts)
	w.changed(t, was, "a request from elsewhere")
	c.page("/") // and nobody was signed out
}

// Looking changes nothing, whatever is asked for.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many requests, one after another")
	}
	w := resting(t)
	clients := []*client{w.signIn(t, "chief"), w.signIn(t, "dev")}
	x := w.all(t)
	was, query := w.state(t), filled(w).Encode()
	for _, c := range clients {
		for _, r := range routes(t) {
			if r.path == "/events" || r.path == "/open" {
				continue
			}
			for _, path := range r.paths(t, x) {
				c.do(http.MethodGet, path, nil)
				c.do(http.MethodGet, path+"?"+query, nil)
				c.do(http.MethodHead, path, nil)
			}
		}
	}
	w.changed(t, was, "looking")
}

// Nobody who is not signed in sees or does anything.
func TestNobodySeesAnything(t *testing.T) {
	t.Parallel()
	w := resting(t)
	c := &client{&http.Client{Timeout: patience}, t, w}
	x := w.all(t)
	was, all := w.state(t), filled(w)
	for _, r := range routes(t) {
		if slices.Contains([]string{"/login", "/logout", "/theme", "/open", "/static/{version}/{name...}"}, r.path) {
			continue
		}
		for _, path := range r.paths(t, x) {
			var form url.Values
			if r.method == "POST" {
				form = all
			}
			if resp, body := c.do(r.method, path, form); resp.StatusCode < 400 {
				t.Errorf("%s %s: %d %.300s", r.method, path, resp.StatusCode, body)
			}
		}
	}
	w.changed(t, was, "nobody")
}

// The holder of a token sees nothing of the runs of others at any address, and does
// nothing to them.
func TestATokenSeesItsOwnRunsOnly(t *testing.T) {
	t.Parallel()
	w := resting(t)
	x := w.all(t)
	own := map[string]bool{w.runs["log"]: true, w.runs["changes"]: true, w.runs["died"]: true}
	others := &things{tools: x.tools, servers: x.servers, scripts: x.scripts}
	for _, id := range x.runs {
		if !own[id] {
			others.runs = append(others.runs, id)
		}
	}
	for _, id := range x.approvals {
		if run, _, _ := strings.Cut(id, "."); !own[run] {
			others.approvals = append(others.approvals, id)
		}
	}
	if len(others.runs) != 4 || len(others.approvals) < 12 {
		t.Fatalf("%+v", others)
	}
	names := append(slices.Clone(others.runs), "Ingrid Vasko", "are owed money", "88-1042", "s-support", "s-finance")
	c := w.signIn(t, "dev")
	was, form := w.state(t), filled(w)
	seen := func(what, path, body string) {
		t.Helper()
		for _, name := range names {
			if strings.Contains(path, name) { // a page may say the address that was asked for
				continue
			}
			if i := strings.Index(body, name); i >= 0 {
				t.Errorf("%s %s tells of %s: %q", what, path, name, around(body, i))
			}
		}
	}
	for _, r := range routes(t) {
		if r.path == "/events" || r.path == "/open" || r.path == "/login" || r.path == "/logout" {
			continue
		}
		paths := r.paths(t, others)
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.path, "/"), "/")
		theirs := wildcard.MatchString(r.path) && (kind == "runs" || kind == "approvals")
		for _, path := range paths {
			if r.method == "POST" {
				if !theirs && path != "/approvals" {
					continue // what may be done without a run of others
				}
				resp, body := c.do("POST", path, form)
				if theirs && resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusForbidden {
					t.Errorf("POST %s: %d %.300s", path, resp.StatusCode, body)
				}
				seen("POST", path, body)
				continue
			}
			for _, query := range []string{"", "?run=" + w.runs["waiting"], "?subject=support", "?session=s-support",
				"?text=owed", "?token=support", "?tool=mail.send_mail"} {
				resp, body := c.do("GET", path+query, nil)
				if theirs && resp.StatusCode != http.StatusNotFound {
					t.Errorf("GET %s: %d, want 404", path+query, resp.StatusCode)
				}
				seen("GET", path+query, body)
			}
		}
	}
	for _, id := range []string{w.runs["waiting"], w.runs["log"]} { // their run beside one's own
		resp, body := c.do("GET", "/runs/"+w.runs["log"]+"/compare/"+id, nil)
		if id != w.runs["log"] && resp.StatusCode != http.StatusNotFound {
			t.Errorf("a comparison with %s: %d %.200s", id, resp.StatusCode, body)
		}
	}
	w.changed(t, was, "a token without the right")
	c.page("/runs/" + w.runs["log"])
}

// No page has a secret of the config, a token, or what links are signed with.
func TestNoPageHasASecret(t *testing.T) {
	t.Parallel()
	w := demo(t)
	secrets := append(slices.Collect(maps.Values(w.tokens)), demoSecret, string(w.http.Secret))
	for _, token := range []string{"", "chief", "dev"} {
		c := w.signIn(t, token)
		for _, path := range looks(t, w.all(t)) {
			_, body := c.get(path)
			for _, s := range secrets {
				if i := strings.Index(body, s); i >= 0 {
					t.Errorf("%s as %q has a secret: %q", path, token, around(body, i))
				}
			}
		}
	}
}

// The cookie is for this server's pages alone, and a link makes one once.
func TestALinkWorksOnceAndItsCookieIsOurs(t *testing.T) {
	w := demo(t)
	c := &client{&http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, t, w}
	link := strings.TrimPrefix(w.link(), w.url)
	if resp, _ := c.do(http.MethodGet, strings.Replace(link, "key=", "key=x", 1), nil); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a link that nobody has made: %d", resp.StatusCode)
	}
	if resp, _ := c.do(http.MethodHead, link, nil); resp.StatusCode != http.StatusMethodNotAllowed { // which leaves it as it is
		t.Errorf("HEAD: %d", resp.StatusCode)
	}
	resp, _ := c.do(http.MethodGet, link, nil)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" || len(resp.Cookies()) != 1 {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	cookie := resp.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" ||
		len(cookie.Value) < 32 {
		t.Errorf("the cookie is %+v", cookie)
	}
	if resp, body := c.do(http.MethodGet, link, nil); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 ||
		!strings.Contains(body, "already used") {
		t.Errorf("the second time: %d %.300s", resp.StatusCode, body)
	}
	if resp, _ := c.do(http.MethodGet, "/runs", nil, "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != http.StatusOK {
		t.Errorf("with the cookie: %d", resp.StatusCode)
	}
	for _, other := range []string{cookie.Name + "=", cookie.Name + "=" + cookie.Value[1:], "usetools_1=" + cookie.Value} {
		if resp, _ := c.do(http.MethodGet, "/runs", nil, "Cookie", other); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("with the cookie %s: %d", other, resp.StatusCode)
		}
	}
	if resp, _ := c.do(http.MethodPost, "/logout", nil, "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("signing out: %d", resp.StatusCode)
	}
	if resp, _ := c.do(http.MethodGet, "/runs", nil, "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", resp.StatusCode)
	}
}

// A page at another name that leads here (DNS rebinding) gets nothing.
func TestOtherHostsAreRefused(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for _, path := range []string{"/", "/runs", "/static/x/style.css", strings.TrimPrefix(w.link(), w.url)} {
		resp, body := c.do(http.MethodGet, path, nil, "Host", "evil.example")
		if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("GET %s as evil.example: %d %.200s", path, resp.StatusCode, body)
		}
		if len(resp.Cookies()) > 0 {
			t.Errorf("GET %s as evil.example sets %v", path, resp.Cookies())
		}
	}
}

// A form is taken up to a bound, and a wrong token not at once again.
func TestFormsAreBounded(t *testing.T) {
	t.Parallel()
	w := resting(t)
	c := w.signIn(t, "")
	x := w.all(t)
	was := w.state(t)
	huge := filled(w)
	huge.Set("script", strings.Repeat("A", 5<<20))
	huge.Set("source", huge.Get("script"))
	for _, r := range routes(t) {
		if r.method != "POST" || slices.Contains([]string{"/login", "/logout", "/theme"}, r.path) {
			continue
		}
		path := r.paths(t, x)[0]
		if resp, body := c.do("POST", path, huge); resp.StatusCode != http.StatusBadRequest &&
			resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("POST %s of 5 MB: %d %.200s", path, resp.StatusCode, body)
		}
	}
	w.changed(t, was, "a form that is too large")
	stranger := &client{&http.Client{Timeout: patience}, t, w}
	if resp, _ := stranger.do("POST", "/login", url.Values{"token": {strings.Repeat("A", 1<<20)}}); resp.StatusCode < 400 {
		t.Errorf("a token of 1 MB: %d", resp.StatusCode)
	}
	limited := false
	for range 3 {
		resp, _ := stranger.do("POST", "/login", url.Values{"token": {"wrong"}})
		limited = limited || resp.StatusCode == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("three wrong tokens were tried at once")
	}
	said := make(chan string, 60) // at the same time
	for range cap(said) {
		go func() {
			_, body := stranger.do("POST", "/login", url.Values{"token": {"wrong"}})
			said <- body
		}()
	}
	compared := 0
	for range cap(said) {
		if strings.Contains(<-said, "This token is unknown") {
			compared++
		}
	}
	if compared > 30 {
		t.Errorf("%d wrong tokens were compared at once", compared)
	}
}

// The stream of events names topics, and takes as many as a page has.
func TestTheStreamTellsNobodyOfOthers(t *testing.T) {
	t.Parallel()
	w := emptyDemo(t)
	c := w.signIn(t, "dev")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	own, err := w.run("dev", pushScript, nil)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := w.run("support", logScript, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/events?topics="+
		url.QueryEscape("run:"+own.Run+" run:"+theirs.Run+" evil\ndata:x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, kind)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && lines.Text() != "" {
		if !strings.HasPrefix(lines.Text(), "retry: ") {
			t.Errorf("the stream begins with %q", lines.Text())
		}
	}
}
