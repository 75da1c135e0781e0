package serve_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
)

// surfer is a browser at a server: it follows redirects and keeps cookies.
type surfer struct {
	t    *testing.T
	base string
	http *http.Client
}

func newSurfer(t *testing.T, addr string) *surfer {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &surfer{t, "http://" + addr, &http.Client{Jar: jar}}
}

// get returns the status and the text of a page.
func (p *surfer) get(path string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), "GET", p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	return p.do(req)
}

// post sends a form as a page from an origin does.
func (p *surfer) post(path, origin string, form url.Values) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), "POST", p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	return p.do(req)
}

func (p *surfer) do(req *http.Request) (int, string) {
	p.t.Helper()
	res, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// A browser gets pages where MCP clients are served, and only who has the link.
func TestAConsoleOpensByItsLinkOnce(t *testing.T) {
	s, _ := serving(t, nil)
	secret := bytes.Repeat([]byte{7}, 32)
	addr := listenAlone(t, s, &serve.HTTP{Secret: secret})
	p := newSurfer(t, addr)
	if code, text := p.get("/"); code != 401 || strings.Contains(text, "<nav") {
		t.Errorf("%d\n%s", code, text)
	}
	link := console.OpenPath(secret)
	if code, text := p.get(link); code != 200 || !strings.Contains(text, "<nav") {
		t.Errorf("%d\n%s", code, text)
	}
	for _, path := range []string{"/", "/runs", "/tools", "/servers", "/policy", "/editor", "/approvals", "/scripts"} {
		if code, text := p.get(path); code != 200 || !strings.Contains(text, "Sign out") {
			t.Errorf("%s: %d\n%s", path, code, text)
		}
	}
	other := newSurfer(t, addr)
	if code, text := other.get(link); code != 403 || !strings.Contains(text, "already used") {
		t.Errorf("%d\n%s", code, text)
	}
	for _, spelled := range []string{link + "%0A", link + "%0D%0A", link[:len(link)-1] + string(link[len(link)-1]+1)} {
		if code, text := other.get(spelled); code != 403 {
			t.Errorf("%s: %d\n%s", spelled, code, text)
		}
	}
	if code, _ := other.get(console.OpenPath(bytes.Repeat([]byte{8}, 32))); code != 403 {
		t.Errorf("a link with another secret: %d", code)
	}
	c := dialHTTP(t, "http://"+addr+"/", "", "", nil) // MCP at / as before
	if got, _ := c.run("Return(1 + 1)"); !strings.Contains(got, "2") {
		t.Error(got)
	}
	if code, _ := p.post("/logout", "http://evil.example", nil); code != 403 {
		t.Errorf("a form of another page: %d", code)
	}
}

func TestAConsoleCanBeOff(t *testing.T) {
	s, _ := serving(t, nil)
	secret := bytes.Repeat([]byte{7}, 32)
	p := newSurfer(t, listenAlone(t, s, &serve.HTTP{Secret: secret, NoConsole: true}))
	for _, path := range []string{"/", "/runs", console.OpenPath(secret), "/static/x/console.js"} {
		if code, text := p.get(path); code == 200 || strings.Contains(text, "<html") {
			t.Errorf("%s: %d\n%s", path, code, text)
		}
	}
}

func TestAConsoleAloneServesNoAgents(t *testing.T) {
	s, _ := serving(t, nil)
	p := newSurfer(t, listenAlone(t, s, &serve.HTTP{ConsoleOnly: true}))
	for _, path := range []string{"/mcp", "/"} {
		if code, _ := p.post(path, p.base, nil); code == 200 {
			t.Errorf("POST %s: %d", path, code)
		}
	}
}

// Who has a token sees its own runs; the right to operate shows all.
func TestATokenOpensTheConsoleForItsHolder(t *testing.T) {
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: testRegistry(), Calls: newFake(),
			Rights: map[string][]catalog.Right{"boss": {catalog.Operate}}}, nil
	}})
	<-s.Ready()
	tokens := map[string]string{"ann": "a token of 16 bytes+", "boss": "another token of 16+"}
	addr := listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}})
	for name, token := range tokens {
		p := newSurfer(t, addr)
		if code, _ := p.post("/login", p.base, url.Values{"token": {token}}); code != 200 {
			t.Errorf("%s: %d", name, code)
		}
		if _, text := p.get("/runs"); !strings.Contains(text, "signed in as "+name) {
			t.Errorf("%s: %s", name, text)
		}
	}
	f := s.Front(&serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}, NoConsole: true}, 0)
	if v := f.Viewer("ann"); v == nil || v.Operator || v.Approves || v.Subject != "ann" {
		t.Errorf("%+v", v)
	}
	if v := f.Viewer("boss"); v == nil || !v.Operator {
		t.Errorf("%+v", v)
	}
	if v := f.Viewer("gone"); v != nil {
		t.Errorf("%+v", v)
	}
	p := newSurfer(t, addr)
	if code, _ := p.post("/login", p.base, url.Values{"token": {"a wrong one, 16 bytes"}}); code != 403 {
		t.Errorf("a wrong token: %d", code)
	}
	if code, _ := p.post("/login", p.base, url.Values{"token": {"a wrong one, 16 bytes"}}); code != 429 {
		t.Errorf("right after a wrong one: %d", code)
	}
	if code, _ := p.post("/login", p.base, url.Values{"token": {tokens["ann"]}}); code != 200 {
		t.Errorf("a right one after wrong ones: %d", code)
	}
}

// With -approvals console what is said in the console counts, and the run goes on; what
// another process says in files does not.
func TestTheConsoleOfTheServerSaysYes(t *testing.T) {
	alone(t, "one signs in to one instance")
	dir := t.TempDir()
	store, err := store.Open(dir, &store.StoreOptions{AnswerKey: bytes.Repeat([]byte{3}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	at, f, s := approving(t, &serve.Options{Approvals: serve.ApprovalsConsole, Records: store})
	ann := dialHTTP(t, at, "", twoTokens["ann"], nil)
	_, a := ann.run(deleting)
	id := a.Waiting[0].ID
	other := folderStore(t, dir)
	if err := other.Answer(id, &record.Answer{Yes: true, Who: "somebody"}); err != nil {
		t.Fatal(err)
	}
	p := newSurfer(t, strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/mcp"))
	if code, text := p.post("/login", p.base, url.Values{"token": {twoTokens["bob"]}}); code != 200 {
		t.Fatalf("%d\n%s", code, text)
	}
	code, page := p.get("/approvals/" + id)
	if code != 200 || !strings.Contains(page, `name="answer" value="yes"`) || f.calls.Load() != 0 {
		t.Fatalf("%d, %d calls\n%s", code, f.calls.Load(), page)
	}
	_, value, _ := strings.Cut(page, `name="ids" value="`)
	value, _, _ = strings.Cut(value, `"`)
	if code, page = p.post("/approvals", p.base, url.Values{"answer": {"yes"}, "ids": {value}}); code != 200 ||
		!strings.Contains(page, "Approved: 1 call of files.delete_file. Run "+a.Run) {
		t.Fatalf("%d\n%s", code, page)
	}
	until(t, func() bool {
		run, err := s.Records().Load(a.Run)
		return err == nil && run.End != nil && run.End.Status == string(outcome.OK)
	})
	if f.calls.Load() != 1 {
		t.Errorf("%d calls", f.calls.Load())
	}
}

// Who follows a link of another site to a page of a run gets to it: the browser asks once
// more, and then sends its cookie. Nothing else of another site is answered.
func TestALinkOfAnotherSiteLeadsToThePage(t *testing.T) {
	s, _ := serving(t, nil)
	p := newSurfer(t, listenAlone(t, s, &serve.HTTP{Secret: bytes.Repeat([]byte{7}, 32)}))
	visit := func(method, path, mode string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, p.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Accept": "text/html", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode,
			"Sec-Fetch-Dest": "document"} {
			req.Header.Set(k, v)
		}
		return p.do(req)
	}
	if code, text := visit("GET", "/runs", "navigate"); code != 200 || !strings.Contains(text, `http-equiv="refresh"`) {
		t.Errorf("%d\n%s", code, text)
	}
	for _, x := range [][3]string{{"GET", "/runs", "cors"}, {"POST", "/login", "navigate"}, {"GET", "/metrics", "navigate"},
		{"GET", "/mcp", "navigate"}} {
		if code, _ := visit(x[0], x[1], x[2]); code != 403 {
			t.Errorf("%q: %d", x, code)
		}
	}
}

// Where only the console's yes counts, the only token, which scripts are sent with, does
// not open it.
func TestTheOnlyTokenDoesNotAnswerItself(t *testing.T) {
	s, _ := serving(t, &serve.Options{Approvals: serve.ApprovalsConsole})
	secret := bytes.Repeat([]byte{7}, 32)
	p := newSurfer(t, listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123"}}, Secret: secret}))
	if code, _ := p.post("/login", p.base, url.Values{"token": {"token-of-ann-0123"}}); code != 403 {
		t.Errorf("the token: %d", code)
	}
	if code, _ := p.get(console.OpenPath(secret)); code != 200 {
		t.Errorf("the link: %d", code)
	}
}

// The forms of the console are among the bodies that are bounded.
func TestLargeFormsWaitForRoom(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, nil)
	<-s.Ready()
	tokens := map[string]string{"ann": "a token of 16 bytes+", "bob": "another token of 16+"}
	f, addr := fronting(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}}, 100*time.Millisecond)
	surfers := map[string]*surfer{}
	for name, token := range tokens {
		p := newSurfer(t, addr)
		if code, text := p.post("/login", p.base, url.Values{"token": {token}}); code != 200 {
			t.Fatal(code, text)
		}
		surfers[name] = p
	}
	for range 8 {
		if err := f.HoldBody(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
	}
	large := url.Values{"script": {"Return(1)"}, "more": {strings.Repeat("a", 1<<20)}}
	small := url.Values{"script": {"Return(1)"}}
	for _, x := range []struct {
		name string
		form url.Values
		want int
	}{{"ann", large, 503}, {"ann", small, 200}, {"bob", large, 200}} {
		p := surfers[x.name]
		if code, text := p.post("/editor/check", p.base, x.form); code != x.want || (code == 503) != strings.Contains(text, "try again later") {
			t.Errorf("%s: %d %.300s", x.name, code, text)
		}
	}
}
