package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

// toolsHost has only tools.
type toolsHost struct {
	console.Host
	catalog *catalog.Catalog
}

func (h *toolsHost) Catalog(*console.Viewer) *catalog.Catalog { return h.catalog }
func (h *toolsHost) Policy(*console.Viewer) *policy.Policy    { return nil }

func (h *toolsHost) CallTool(context.Context, *console.Viewer, string, json.RawMessage, bool) (string, error) {
	return "", fmt.Errorf("<script>\u202e%s", strings.Repeat("long ", 20000))
}

// toolsConsole gets pages over some tools, as the operator.
func toolsConsole(t testing.TB, cat *catalog.Catalog) func(method, path string, form url.Values) (int, string) {
	t.Helper()
	secret := make([]byte, 32)
	c := console.New(&console.Options{Host: &toolsHost{catalog: cat}, Records: store.Memory(10, nil), Secret: secret})
	t.Cleanup(c.Close)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(method, path string, form url.Values) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", server.URL)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	get("GET", console.OpenPath(secret), nil)
	return get
}

// What servers say of their tools is text on every page, bounded, and turns nothing
// around; names lead to the tool whatever is in them.
func TestTextsOfServersAreTextOnThePagesOfTools(t *testing.T) {
	t.Parallel()
	const bad = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\u2066\x00\x1b[31m{{.}}"
	long := bad + strings.Repeat("A", 100_000)
	yes := true
	input, err := json.Marshal(map[string]any{"type": "object", "description": long, "properties": map[string]any{
		bad: map[string]any{"type": "string", "description": long, "default": bad, "format": bad, "pattern": long},
		"e": map[string]any{"enum": []string{bad, "b"}}, "l": map[string]any{"type": "array", "items": map[string]any{"enum": []string{bad}}},
		"o": map[string]any{"type": "object", "properties": map[string]any{bad: map[string]any{"type": "integer"}}}},
		"examples": []any{map[string]any{bad: bad}}})
	if err != nil {
		t.Fatal(err)
	}
	down := long
	reg := &registry.Registry{
		Servers: []registry.Server{{Name: "s", Title: long, Transport: bad, Error: &down}, {Name: bad, Transport: "stdio"}},
		Tools: []registry.Tool{
			{Server: "s", Name: bad, Title: long, Description: long, Input: input, Category: bad, Stale: true,
				Annotations: &registry.Annotations{ReadOnly: &yes, Title: long}},
			{Server: "s", Name: "a/../b?c=1#d%2F", Description: "DEPRECATED: " + bad, Input: json.RawMessage(`{}`), Error: long},
			{Server: bad, Name: "x", Description: bad, Input: input, Held: true, Error: bad},
		}}
	reg.Normalize()
	get := toolsConsole(t, &catalog.Catalog{Registry: reg})
	paths := []string{"/tools", "/tools?q=" + url.QueryEscape(bad), "/tools?q=" + url.QueryEscape(long), "/tools?server=" + url.QueryEscape(bad),
		"/tools?class=x&category=" + url.QueryEscape(bad), "/tools/" + url.PathEscape(bad), "/tools?q=deprecated"}
	pages := map[string]string{}
	for i := range reg.Tools {
		href := "/tools/" + url.PathEscape(reg.Tools[i].ID)
		paths = append(paths, href, href+"?example=0")
		for name, form := range map[string]url.Values{"empty": {}, "filled": {"a/" + url.PathEscape(bad): {bad}, "a/e": {bad}, "a/l": {bad}},
			"json": {"json": {`{"x": "<script>alert(1)</script>"}`}}, "wrong": {"json": {bad}}} {
			_, body := get("POST", href+"/try", form)
			pages[name+" "+href] = body
		}
	}
	for _, path := range paths {
		status, body := get("GET", path, nil)
		if status != http.StatusOK && path != "/tools/"+url.PathEscape(bad) {
			t.Errorf("GET %.200s: %d", path, status)
		}
		pages[path] = body
	}
	// What is typed into a field is as it is, and turns nothing around but itself.
	fields := regexp.MustCompile(`(?s) value="[^"]*"|<textarea[^>]*>.*?</textarea>`)
	for path, body := range pages {
		for _, wrong := range []string{"<script>alert", "<img"} {
			if strings.Contains(body, wrong) {
				t.Errorf("%.200s has %q", path, wrong)
			}
		}
		if !strings.HasSuffix(path, "?example=0") {
			body = fields.ReplaceAllString(body, "")
		}
		for _, wrong := range []string{"<script>alert", "<img", "\u202e", "\u2066", "\x1b", "\x00", "ZgotmplZ", "onerror=alert(1)>\""} {
			if strings.Contains(body, wrong) {
				i := strings.Index(body, wrong)
				t.Errorf("%.200s has %q: …%.300q", path, wrong, body[max(0, i-150):])
			}
		}
		if len(body) > 600<<10 {
			t.Errorf("%.200s is %d bytes", path, len(body))
		}
		if !strings.Contains(body, "</html>") {
			t.Errorf("%.200s is no whole page", path)
		}
	}
}

func TestToolsThatAreNotThereYetAreSaidToBe(t *testing.T) {
	down := "no such program"
	for want, cat := range map[string]*catalog.Catalog{
		"The tools are being loaded": nil,
		"The config has no servers":  {Registry: &registry.Registry{}},
		"No server could be reached": {Registry: &registry.Registry{Servers: []registry.Server{{Name: "a", Error: &down}}}},
		"The servers have no tools":  {Registry: &registry.Registry{Servers: []registry.Server{{Name: "a"}}}},
	} {
		get := toolsConsole(t, cat)
		if status, body := get("GET", "/tools?q=x", nil); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d: no %q", status, want)
		}
		if status, _ := get("GET", "/tools/a.b", nil); status != http.StatusNotFound && status != http.StatusServiceUnavailable {
			t.Errorf("a tool of none: %d", status)
		}
	}
}

// manyTools are so many tools of 50 servers.
func manyTools(n int) *catalog.Catalog {
	reg := &registry.Registry{}
	verbs, things := []string{"list", "get", "create", "delete", "update", "move"}, []string{"order", "page", "ticket", "file", "invoice", "user", "branch"}
	for i := range n {
		verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
		reg.Tools = append(reg.Tools, registry.Tool{Server: fmt.Sprintf("server%d", i%50), Name: fmt.Sprintf("%s_%s_%d", verb, thing, i),
			Description: fmt.Sprintf("%s the %s number %d of the archive, with all that belongs to it", verb, thing, i),
			Input:       json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}}`)})
	}
	reg.Normalize()
	return &catalog.Catalog{Registry: reg}
}

func BenchmarkToolsPage(b *testing.B) {
	for _, n := range []int{500, 5000} {
		get := toolsConsole(b, manyTools(n))
		for name, path := range map[string]string{"list": "/tools", "phrase": "/tools?q=delete+an+old+invoice", "narrow": "/tools?server=server7&class=effect",
			"tool": "/tools/server1.get_order_1"} {
			get("GET", path, nil)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if status, _ := get("GET", path, nil); status != http.StatusOK {
						b.Fatal(status)
					}
				}
			})
		}
	}
}
