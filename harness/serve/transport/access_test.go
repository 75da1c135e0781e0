package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Large bodies of one token leave room for those of another, and small ones wait
// for none.
func TestLargeBodiesWaitForRoom(t *testing.T) {
	b := NewBodies(map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	hold := func(token string, size int64) func() {
		t.Helper()
		release, err := b.Acquire(t.Context(), token, size)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	var first func()
	for _, token := range []string{"a", "b", "c", "d"} {
		for _, size := range []int64{MaxBody, MaxBody, MaxBody, MaxBody, MaxBody, MaxBody, MaxBody, MaxBody} {
			first = hold(token, size)
		}
		if _, err := b.Acquire(over, token, MaxBody); err == nil {
			t.Fatalf("%s has more than its share", token)
		}
		hold(token, smallBody)
	}
	if _, err := b.Acquire(over, "e", MaxBody); err == nil {
		t.Fatal("all have more than there is")
	}
	hold("e", smallBody)
	first()
	hold("e", MaxBody)
}

// Where nobody needs a token, a page whose name leads here must not be taken
// for one of ours.
func TestOnlyOwnNamesAreServedWithoutATokenOrAWord(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	open, tokens := &Endpoint{Address: "box.example:7337", Insecure: true},
		&Endpoint{Address: "0.0.0.0:7337", Tokens: map[string]string{"ann": "token-of-ann-0123"}}
	named := &Endpoint{Address: "0.0.0.0:7337", Insecure: true, Hosts: []string{"tools.example"}}
	for _, x := range []struct {
		h     *Endpoint
		local string
		host  string
		want  bool
	}{
		{open, "192.0.2.1", "evil.example:7337", false}, {open, "192.0.2.1", "evil.example", false},
		{open, "192.0.2.1", "", false},
		{open, "192.0.2.1", "192.0.2.1:7337", true}, {open, "192.0.2.1", "192.0.2.1", true},
		{open, "2001:db8::1", "[2001:db8::1]:7337", true},
		{open, "2001:db8::1", "[2001:db8::1]", true}, {open, "192.0.2.1", name + ":7337", true},
		{open, "192.0.2.1", strings.ToUpper(name), true},
		{open, "192.0.2.1", "localhost:7337", true}, {open, "192.0.2.1", "Box.example:7337", true},
		{open, "192.0.2.1", name + ".evil.example", false},
		{open, "192.0.2.1", "192.0.2.1.evil.example", false}, {open, "127.0.0.1", "evil.example", false},
		{open, "127.0.0.1", "box.example", false},
		{tokens, "192.0.2.1", "any.example", true}, {tokens, "127.0.0.1", "any.example", false},
		{named, "192.0.2.1", "tools.example:7337", true}, {named, "192.0.2.1", "evil.example", false},
		{named, "192.0.2.1", "192.0.2.1", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/mcp", nil)
		r.Host = x.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(x.local)}))
		if got := x.h.hostOK(r); got != x.want {
			t.Errorf("%s at %s, of %+v: %v", x.host, x.local, x.h, got)
		}
	}
}

func TestAnOpenAddressNeedsATokenOrAWord(t *testing.T) {
	for addr, want := range map[string]string{"0.0.0.0:80": "-insecure", "example.org:80": "-insecure",
		"7337": "want host:port"} {
		if err := (&Endpoint{Address: addr}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, h := range []*Endpoint{{Address: "127.0.0.1:0"}, {Address: "[::1]:0"}, {Address: ":0"}, {Address: "0.0.0.0:0", Insecure: true}, {Address: "0.0.0.0:0", Tokens: map[string]string{"a": "b"}}} {
		if err := h.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestTokensAreReadFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# ours\nann 0123456789abcdef\n\nfedcba9876543210\n")
	got, err := ReadTokens(file, "env-0123456789abcdef")
	if err != nil || len(got) != 3 || got["ann"] != "0123456789abcdef" || got["line 4"] != "fedcba9876543210" {
		t.Error(got, err)
	}
	for _, bad := range []string{"short\n", "", "a b c\n", "ann 0123456789abcdef\nann fedcba9876543210\n",
		"ann 0123456789abcdef\n0123456789abcdef\n"} {
		write(bad)
		if _, err := ReadTokens(file, ""); err == nil || strings.Contains(err.Error(), "short") ||
			strings.Contains(err.Error(), "0123") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
