package redact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func values(v ...string) *Redactor { return New(&Secrets{Values: v}) }

func TestURLsAndArgumentsAreShownWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"https://me:hunter2@a.example:8/x/y?key=hunter3#h": "https://a.example:8/x/y",
		"https://a.example/api/mcp/s/OTYxNjk4ZGVhZA1x/mcp": "https://a.example/api/mcp/s/…/mcp",
		"https://a.example/3f0c9a1e-1b2c-4d5e-8f90-ab12":   "https://a.example/…",
		"https://a.example/eyJhbGciOiJIUzI1NiJ9.eyJ.x/mcp": "https://a.example/…/mcp",
		"https://a.example/a1b2c3d4e5f6a7b8.json":          "https://a.example/…",
		"https://a.example/v1/model-context-protocol/a%0A": "https://a.example/v1/model-context-protocol/a%0A",
		"hunter2": "…", "": "…",
	} {
		if got := URL(in); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func TestSecretsOfADefinitionAreHidden(t *testing.T) {
	s := &Secrets{
		Named: []map[string]string{{"A": "env-hunter", "MODE": "production", "DATA": "/srv/hunter",
			"API": "http://localhost:80/api", "PASSPHRASE": "hunters",
			"DB": "postgres://me:hunter10@db/x", "MULTI": "a \"hunter11\"\nb", "PEM": "hunter17\n  hunter18\r\nx", "PASSWORD": "<hunter19>"}, {
			"Authorization": "Bearer hunter2hunter2", "Proxy-Authorization": "Basic bWU6aHVudGVyMzM=",
			"Cookie": "a=b; session=a1b2c3hunterd4e5f6"},
			{"k": "hunter4 &hunter4"}},
		URLs:   []string{"https://me:hunter5@a.example/s/a1b2c3hunterd4e5f6a7/mcp?lang=english&token=hunter6&x=Hunter7#hunter8"},
		Values: []string{"hunter9"},
		Args: append(slices.Repeat([]string{"a"}, 20), "--api-key", "hunter12", "--token=hunter13", "-e", "SECRET=hunter14",
			"https://me:hunter15@x/", strings.Repeat("x ", 50)+"a1b2c3d4hunter16"),
	}
	r := New(s)
	for _, text := range []string{
		"env-hunter", "hunters", "hunter2hunter2", "me:hunter33", "hunter33", "bWU6aHVudGVyMzM=", "a1b2c3hunterd4e5f6",
		"hunter4 &hunter4", "hunter4+%26hunter4", "hunter4%20&hunter4",
		"hunter5", "bWU6aHVudGVyNQ==", "a1b2c3hunterd4e5f6a7", "hunter6", "Hunter7", "hunter8", "hunter9", "hunter10",
		`a \"hunter11\"\nb`, `a "hunter11"`, "hunter17", "hunter18", "<hunter19>", `\u003chunter19\u003e`, "hunter12", "hunter13", "hunter14", "hunter15", "a1b2c3d4hunter16",
	} {
		if got := r.Text("bad key: " + text + "!"); got != "bad key: •••!" {
			t.Errorf("%s is shown as %q", text, got)
		}
	}
	for _, text := range []string{"no production mode in /srv/hunter/x, english, at http://localhost:80/api",
		"Bearer a b"} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestErrorsKeepTheirCauseAndLoseTheirURL(t *testing.T) {
	r := values("hunter2")
	err := fmt.Errorf("asking: %w",
		&url.Error{Op: "Get", URL: "http://x/y", Err: fmt.Errorf("hunter2 at the %w", context.Canceled)})
	if got := r.Err(err); got.Error() != "••• at the context canceled" || !errors.Is(got, context.Canceled) {
		t.Errorf("got %v", got)
	}
	if r.Err(nil) != nil {
		t.Error("no error became one")
	}
}

func TestAddedValuesAreHiddenTheNewestLongest(t *testing.T) {
	r := values("hunter")
	for i := range 10000 {
		r.Add(fmt.Sprintf("token-%d", i))
	}
	if got := r.Text("hunter token-9999 token-9990 token-1"); got != "••• ••• ••• token-1" {
		t.Errorf("got %s", got)
	}
}

// What may become a secret is found at the end of a text, and what cannot is not.
func TestTheBeginningOfASecretIsFound(t *testing.T) {
	r := New(&Secrets{Values: []string{"abcabcd", "bc\nxyz"}})
	r.Add("cdefgh")
	for text, want := range map[string]int{"": 0, "x": 0, "a": 1, "abc": 3, "abcabc": 6, "abcabcabc": 6, "abcabcd": 2, "xbc\nx": 4,
		"xabcabcd ": 0, "abc\nxy": 5, "xcdefg": 5, "\xff": 0, "aaa": 1} {
		if n := r.Unfinished(text); n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
		}
	}
}

func TestJSONIsTheSameButForItsSecrets(t *testing.T) {
	r := values("hunter2", `a"b<c>d`, "nothing")
	for in, want := range map[string]string{
		`{"b":1.50,"a":"x\u0068unter2\u00e9 <>","hunter2":[1e400]} `: `{"b":1.50,"a":"x•••é \u003c\u003e","•••":[1e400]} `,
		`["\u00e9\/","a\"b<c>d","\\"]`:                               `["\u00e9\/","•••","\\"]`,
		`[]`:                                                         `[]`, `"hunter2`: `"•••`, `"x\`: `"x\`, `"\q hunter2"`: `"\q •••"`,
		`"{\"a\":\"x\\u0068unter2\"}"`: `"{\"a\":\"x•••\"}"`,
	} {
		if got := string(r.JSON([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":["hunter2\n"]}`))
	f.Add([]byte(`"\`))
	r := values("hunter2")
	f.Fuzz(func(t *testing.T, in []byte) {
		out := r.JSON(in)
		if json.Valid(in) && !json.Valid(out) {
			t.Errorf("%q became %q", in, out)
		}
		if json.Valid(out) && strings.Contains(string(out), "hunter2") {
			t.Errorf("%q keeps the secret", out)
		}
	})
}
