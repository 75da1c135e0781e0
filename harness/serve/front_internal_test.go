package serve

import (
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/usetools/usetools/harness/serve/transport"
)

// A flood of sessions keeps nobody away for long: those that are not used make
// room, of whoever has the most.
func TestUnusedSessionsMakeRoom(t *testing.T) {
	s := &Server{sessions: map[*session]struct{}{}, kept: newKeeper(nil)}
	f := &front{s: s, h: &HTTP{}, stateful: map[string]*session{}}
	add := func(id, subject string, unused time.Duration) {
		f.stateful[id] = &session{s: s, id: id, mcp: mcp.NewServer(&mcp.Implementation{}, nil), token: subject,
			used: time.Now().Add(-unused)}
	}
	for i := range maxSessions - 2 {
		add(fmt.Sprint("flood", i), "flood", 2*unusedTime)
	}
	add("oldest", "flood", 3*unusedTime)
	add("other", "other", 4*unusedTime)
	f.stateful["flood7"].used = time.Now().Add(-3*unusedTime + time.Second)
	for _, gone := range []string{"oldest", "flood7"} {
		if !f.room("flood") || f.stateful[gone] != nil || f.stateful["other"] == nil {
			t.Errorf("%s was to go, the session that has been unused the longest of the one who has the most", gone)
		}
		add("again"+gone, "other", 0)
	}
	if !f.room("flood") || len(f.stateful) != maxSessions-1 {
		t.Error("unused sessions made no room")
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
		defer f.visit(id)()
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
		h   transport.Endpoint
		one bool
	}{
		"two tokens": {transport.Endpoint{Tokens: twoTokens}, true},
		"one token":  {transport.Endpoint{Tokens: map[string]string{"ann": twoTokens["ann"]}}, false},
		"loopback":   {transport.Endpoint{}, false},
		"insecure":   {transport.Endpoint{Insecure: true}, false},
	} {
		f := &front{h: &HTTP{Endpoint: x.h}}
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
