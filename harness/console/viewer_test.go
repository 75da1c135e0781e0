package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/present"
)

// What a token may not call is not found by it, and what servers say of their failures
// is the operator's to know.
func TestDeniedToolsAreNotFound(t *testing.T) {
	w := demo(t)
	ledger, _ := w.catalog.Registry.Server("ledger")
	theirs := []string{"get_entry", "get_price", "book_entry", "GetEntry", "GetPrice", "BookEntry", "delete_order", "DeleteOrder",
		"-deny", "ledger.*", *ledger.Error}
	paths := []string{"/tools", "/tools?server=ledger", "/tools?server=shop&class=effect", "/policy", "/policy?token=dev&tool=git.git_log",
		"/servers", "/servers/ledger", "/servers/shop", "/editor/names", "/editor/names?of=ledger", "/editor/names?of=shop",
		"/editor/names?of=ledger&type=BookEntryParams", "/tools/git.git_log", "/tools/shop.get_order"}
	for _, q := range []string{"delete an order for ever", "book an entry in the ledger", "the price of an article in the ledger", "orders",
		"a page or mail"} {
		paths = append(paths, "/tools?q="+url.QueryEscape(q))
	}
	dev, operator := w.signIn(t, "dev"), w.signIn(t, "")
	seen := map[string]bool{}
	for _, path := range paths {
		body := dev.page(path)
		full := operator.page(path)
		for _, s := range theirs {
			if strings.Contains(full, s) {
				seen[s] = true
			}
			if i := strings.Index(body, s); i >= 0 {
				t.Errorf("%s tells of %s: %q", path, s, around(body, i))
			}
		}
	}
	for _, s := range theirs {
		if !seen[s] {
			t.Errorf("the operator does not see %q on these pages: they prove nothing of it", s)
		}
	}
	for _, id := range []string{"ledger.get_entry", "ledger.book_entry", "shop.delete_order"} {
		for _, path := range []string{"/tools/" + id, "/tools/" + id + "?example=0", "/policy?token=dev&tool=" + id, "/editor?tool=" + id} {
			there, body := dev.get(path)
			gone, same := dev.get(strings.Replace(path, id, "shop.no_such_tool", 1))
			if there != gone || strings.Contains(body, "There is no ") != strings.Contains(same, "There is no ") {
				t.Errorf("GET %s: %d, of one that is not there %d", path, there, gone)
			}
		}
		if status, body := dev.post("/tools/"+id+"/try", url.Values{"json": {"{}"}}); status != http.StatusNotFound {
			t.Errorf("trying %s: %d %.300s", id, status, body)
		}
		operator.page("/tools/" + id)
	}
}

// stream opens one, and says what it tells, line by line; its end closes the channel.
func (c *client) stream(ctx context.Context, topics string) (status int, said <-chan string, body string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.w.url+"/events?topics="+url.QueryEscape(topics), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	lines := make(chan string, 1000)
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text := bufio.NewScanner(resp.Body)
		for text.Scan() {
			body += text.Text() + "\n"
		}
		close(lines)
		return resp.StatusCode, lines, body
	}
	go func() {
		defer resp.Body.Close()
		defer close(lines)
		for s := bufio.NewScanner(resp.Body); s.Scan(); {
			lines <- s.Text()
		}
	}()
	if first := <-lines; first != "retry: 2000" {
		c.t.Fatalf("the stream begins with %q", first)
	}
	return resp.StatusCode, lines, ""
}

// A stream tells of the runs that its viewer sees, and of nothing else that it is asked for.
func TestAStreamTellsOfOwnRunsOnly(t *testing.T) {
	t.Parallel()
	w := newDemo(t, "changes", "waiting")
	own, theirs := w.runs["changes"], w.runs["waiting"]
	dev, operator := w.signIn(t, "dev"), w.signIn(t, "")
	_, said, _ := dev.stream(t.Context(), "runs evil run: run:"+theirs+" run:"+own+" run:"+theirs[:4]+" run:"+own[:4])
	var got []string
	for _, step := range []struct{ close, until string }{{theirs, "runs"}, {own, "run:" + own}} {
		if status, body := operator.post("/runs/"+step.close+"/close", nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		for line := range said { // all of what came at once comes before what came later
			if got = append(got, line); line == "data: "+step.until {
				break
			}
		}
	}
	for _, line := range got {
		if line != "" && line != ": " && line != "data: runs" && line != "data: run:"+own {
			t.Errorf("%q of %q", line, got)
		}
	}
}

// Streams are bounded for each token, so that one keeps nobody from following.
func TestStreamsAreBounded(t *testing.T) {
	w := emptyDemo(t)
	dev := w.signIn(t, "dev")
	n := 0
	for ; n < 60; n++ {
		status, _, body := dev.stream(t.Context(), "runs")
		if status == http.StatusOK {
			continue
		}
		if status != http.StatusServiceUnavailable || !strings.Contains(body, fmt.Sprintf("You have %d live pages open", n)) {
			t.Errorf("stream %d: %d %s", n+1, status, body)
		}
		break
	}
	if n != 40 {
		t.Errorf("%d streams are open", n)
	}
	if status, _, body := w.signIn(t, "support").stream(t.Context(), "runs"); status != http.StatusOK {
		t.Errorf("of another token: %d %s", status, body)
	}
	dev.page("/runs")
}

// A stream ends when its browser is signed out, and when others take its place.
func TestAStreamEndsWithItsSignIn(t *testing.T) {
	w := emptyDemo(t)
	out, pushed, other := w.signIn(t, "dev"), w.signIn(t, "dev"), w.signIn(t, "support")
	_, of, _ := out.stream(t.Context(), "runs")
	_, ofPushed, _ := pushed.stream(t.Context(), "runs")
	_, still, _ := other.stream(t.Context(), "runs")
	if status, _ := out.post("/logout", nil); status != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", status)
	}
	for range of {
	}
	for range 20 {
		w.signIn(t, "dev")
	}
	for range ofPushed {
	}
	if _, err := w.run("support", logScript, nil); err != nil {
		t.Fatal(err)
	}
	for line := range still {
		if line == "data: runs" {
			return
		}
	}
	t.Error("the stream of another one has ended")
}

// A cookie that was asked for over TLS, which a proxy may end, is sent over TLS alone.
func TestACookieOverTLSIsSecure(t *testing.T) {
	w := demo(t)
	c := &client{&http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, t, w}
	for origin, secure := range map[string]bool{w.url: false, strings.Replace(w.url, "http:", "https:", 1): true} {
		resp, body := c.do(http.MethodPost, "/login", url.Values{"token": {w.tokens["dev"]}}, "Origin", origin)
		if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
			t.Fatalf("%s: %d %s", origin, resp.StatusCode, body)
		}
		if got := resp.Cookies()[0]; got.Secure != secure || !got.HttpOnly || got.SameSite != http.SameSiteStrictMode {
			t.Errorf("%s: %+v", origin, got)
		}
	}
}

// The file of a record has all of it, as harness runs show -json prints it.
func TestARecordIsSentAsItIsShown(t *testing.T) {
	w := demo(t)
	c := w.signIn(t, "")
	for _, id := range w.all(t).runs {
		run, err := w.store.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		if run.Running {
			continue
		}
		want, err := json.MarshalIndent(present.FullRecord(run), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.page("/runs/" + id + "/record"); got != string(want)+"\n" {
			t.Errorf("%s: %s", id, cmp.Diff(string(want), got))
		}
	}
}
