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
	read := func(session string) int { return len(k.forScript(session, `Stored("r1", &v)`)) }
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
