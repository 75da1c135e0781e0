package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Large bodies of one token leave room for those of another, and small ones wait
// for none.
func TestLargeBodiesWaitForRoom(t *testing.T) {
	b := newBodies(map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	hold := func(token string, size int64) func() {
		t.Helper()
		release, err := b.acquire(t.Context(), token, size)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	var first func()
	for _, token := range []string{"a", "b", "c", "d"} {
		for _, size := range []int64{maxBody, maxBody, maxBody, maxBody, maxBody, maxBody, maxBody, maxBody} {
			first = hold(token, size)
		}
		if _, err := b.acquire(over, token, maxBody); err == nil {
			t.Fatalf("%s has more than its share", token)
		}
		hold(token, smallBody)
	}
	if _, err := b.acquire(over, "e", maxBody); err == nil {
		t.Fatal("all have more than there is")
	}
	hold("e", smallBody)
	first()
	hold("e", maxBody)
}

// Where nobody needs a token, a page whose name leads here must not be taken
// for one of ours.
func TestOnlyOwnNamesAreServedWithoutATokenOrAWord(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	open, tokens := &HTTP{Address: "box.example:7337", Insecure: true},
		&HTTP{Address: "0.0.0.0:7337", Tokens: map[string]string{"ann": "token-of-ann-0123"}}
	named := &HTTP{Address: "0.0.0.0:7337", Insecure: true, Hosts: []string{"tools.example"}}
	for _, x := range []struct {
		h     *HTTP
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
		if got := (&door{h: x.h}).hostOK(r); got != x.want {
			t.Errorf("%s at %s, of %+v: %v", x.host, x.local, x.h, got)
		}
	}
}

// A flood of sessions keeps nobody away for long: those that are not used make
// room, of whoever has the most.
func TestUnusedSessionsMakeRoom(t *testing.T) {
	s := &Server{sessions: map[*session]struct{}{}, kept: newKeeper(nil)}
	f := &front{s: s, door: door{h: &HTTP{}}, stateful: map[string]*session{}}
	add := func(id, subject string, unused time.Duration) {
		f.stateful[id] = &session{s: s, id: id, mcp: mcp.NewServer(&mcp.Implementation{}, nil), token: subject,
			used: time.Now().Add(-unused)}
	}
	for i := range maxSessions - 2 {
		add(fmt.Sprint("flood", i), "flood", 2*unusedTime)
	}
	add("oldest", "flood", 3*unusedTime)
	add("other", "other", 4*unusedTime)
	// A stream that is open keeps no session, but those without go first.
	for id := range f.stateful {
		if id != "oldest" && id != "flood7" {
			f.visit(id, http.MethodGet)
		}
	}
	for _, gone := range []string{"oldest", "flood7"} {
		if !f.room("flood") || f.stateful[gone] != nil || f.stateful["other"] == nil {
			t.Errorf("%s was to go, the session that has been unused the longest of the one who has the most", gone)
		}
		add("again"+gone, "other", 0)
		f.visit("again"+gone, http.MethodGet)
	}
	if !f.room("flood") || len(f.stateful) != maxSessions-1 {
		t.Error("sessions with an open stream made no room")
	}
	add("more", "flood", 0)
	for _, c := range f.stateful {
		c.used = time.Now()
	}
	if f.room("flood") {
		t.Error("a session in use made room for another of the same client")
	}
	if !f.room("third") || len(f.stateful) != maxSessions-1 {
		t.Error("one client's sessions kept another client away")
	}
	add("third", "third", 0)
	for id, c := range f.stateful {
		c.used = time.Now().Add(-2 * unusedTime)
		defer f.visit(id, http.MethodPost)()
	}
	if f.room("fourth") {
		t.Error("a session with a request made room")
	}
}

// Who has one of several tokens is one tenant in all sessions; elsewhere each
// session is one.
func TestTenantsAreTokensOrSessions(t *testing.T) {
	twoTokens := map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}
	for name, x := range map[string]struct {
		h   HTTP
		one bool
	}{
		"two tokens": {HTTP{Tokens: twoTokens}, true},
		"one token":  {HTTP{Tokens: map[string]string{"ann": twoTokens["ann"]}}, false},
		"loopback":   {HTTP{}, false},
		"insecure":   {HTTP{Insecure: true}, false},
	} {
		f := &front{door: door{h: &x.h}}
		first, second := &session{id: "1", owner: f.owner("ann")}, &session{id: "2", owner: f.owner("ann")}
		if got := first.tenant() == second.tenant(); got != x.one {
			t.Errorf("%s: two sessions of ann are one tenant: %v", name, got)
		}
		if bob := (&session{id: "3", owner: f.owner("bob")}); bob.tenant() == first.tenant() {
			t.Errorf("%s: ann and bob are one tenant", name)
		}
	}
}

// An approval of a dry run is none of the run itself.
func TestAnApprovalOfADryRunIsForNoOther(t *testing.T) {
	a, b := &executeArgs{Script: "x"}, &executeArgs{Script: "x", DryRun: true}
	if a.hash() == b.hash() {
		t.Error("one question stands for both")
	}
}
