package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// opens gets a link as a browser does, and then another page, and returns the status
// and that page.
func opens(t *testing.T, link, path string) (int, string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	res, err := browser.Get(strings.TrimSpace(link))
	if err == nil && res.StatusCode == http.StatusOK {
		res.Body.Close()
		res, err = browser.Get("http://" + res.Request.URL.Host + path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// harness console prints a link to a page on the runs of a folder.
func TestConsoleOpensAPageOnARun(t *testing.T) {
	dir := shop(t)
	if got := inFolder(t, dir, nil, `fmt.Println("hello")`, "run", "-state", "kept", "-"); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	cmd := asCommand(t, dir, nil, "console", "-state", "kept", "-no-watch", "-q")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if code, page := opens(t, link, "/runs"); code != 200 || !strings.Contains(page, `href="/runs/`) {
		t.Errorf("%d\n%s", code, page)
	}
}

func TestConsoleIsOfThisMachineAlone(t *testing.T) {
	dir := shop(t)
	for addr, want := range map[string]string{"0.0.0.0:0": "harness serve -http with -token-file", "nowhere": "want host:port"} {
		if got := inFolder(t, dir, nil, "", "console", "-http", addr, "-state", "kept"); got.Code != exitUsage ||
			!strings.Contains(got.Stderr, want) {
			t.Errorf("%s: %+v", addr, got)
		}
	}
}
