package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// What one tenant keeps pushes out what it keeps itself, in however many
// sessions, and where all together have too much, what the largest of them keeps.
func TestStoredValuesOfOneTenantStayWhateverOthersKeep(t *testing.T) {
	k := newKeeper()
	large := json.RawMessage(bytes.Repeat([]byte("1"), 8<<20))
	read := func(session string) int { return len(k.forScript("", session, `Stored("r1", &v)`, nil)) }
	keeps := func(tenant string, sessions int) {
		for i := range sessions {
			session := fmt.Sprint(tenant, i)
			for _, id := range k.keep(tenant, session, large, large) {
				if id == "" {
					t.Error("not kept")
				}
			}
		}
	}
	k.keep("bob", "bob", json.RawMessage("1"))
	keeps("alice", 20)
	if read("bob") != 1 {
		t.Error("alice's values pushed out bob's")
	}
	if k.size > keepTenant+1 || k.size < keepTenant-len(large) {
		t.Errorf("alice has %d bytes, want at most %d", k.size, keepTenant)
	}
	if read("alice0") != 0 || read("alice19") != 1 {
		t.Error("alice's oldest are not those that went")
	}
	for _, tenant := range []string{"carol", "dave"} {
		keeps(tenant, 4)
	}
	keeps("erin", 3)
	keeps("frank", 2)
	if k.size > keepAll {
		t.Errorf("%d bytes, want at most %d", k.size, keepAll)
	}
	if read("bob") != 1 || read("erin0") != 1 || read("frank0") != 1 {
		t.Error("who has less gave way to who has more")
	}
}

// What is kept for clients without a session is read by its handle, with the token
// that it was kept for, wherever the handle stands.
func TestHandlesNeedNoSession(t *testing.T) {
	k := newKeeper()
	value := json.RawMessage(`"x"`)
	id := k.keep("ann", "", value)[0]
	if len(id) != handleSize || id == k.keep("ann", "", value)[0] {
		t.Fatalf("the handle %q", id)
	}
	named, other := fmt.Sprintf("Stored(%q, &v)", id), "id := \"\"; Input(`id`, &id); Stored(id, &v)"
	for _, x := range []struct {
		tenant, session, source string
		inputs                  map[string]json.RawMessage
		want                    int
	}{
		{"ann", "", named, nil, 1},
		{"ann", "http-1", named, nil, 1},
		{"ann", "", other, map[string]json.RawMessage{"id": json.RawMessage(`"` + id + `"`)}, 1},
		{"ann", "", other, nil, 0},
		{"ann", "", "Stored(id[:8] + id[8:], &v)", nil, 0},
		{"bob", "", named, nil, 0},
		{"ann", "", "Return(1) // " + id, nil, 0},
	} {
		if got := k.forScript(x.tenant, x.session, x.source, x.inputs); len(got) != x.want {
			t.Errorf("%+v: got %v", x, got)
		}
	}
	for range keepHandles {
		k.keep("ann", "", value)
	}
	if len(k.all) != keepHandles || len(k.forScript("ann", "", named, nil)) != 0 {
		t.Errorf("%d values are kept", len(k.all))
	}
}
