package console_test

import (
	"net/http"
	"testing"
)

func TestGuidesAreShown(t *testing.T) {
	c := demo(t).signIn(t, "dev")
	contains(t, c.page("/help"), `<a href="/help/serve">Serve agents</a>`)
	contains(t, c.page("/help/serve"), "<h1 id=\"serve-agents\">Serve agents</h1>", `<a href="/help/approvals">`, "All guides")
	for _, path := range []string{"/help/nothing", "/help/..%2fhelp.go"} {
		if status, body := c.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d: %s", path, status, body)
		}
	}
}
