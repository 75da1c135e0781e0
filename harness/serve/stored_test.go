package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func storedFor(t *testing.T, k *keeper, tenant, session, source string, inputs map[string]json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	found, err := k.forScript(t.Context(), tenant, session, source, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What one tenant keeps pushes out what it keeps itself, in however many
// sessions, and where all together have too much, what the largest of them keeps.
func TestStoredValuesOfOneTenantStayWhateverOthersKeep(t *testing.T) {
	k := newKeeper(nil)
	large := json.RawMessage(bytes.Repeat([]byte("1"), 8<<20))
	read := func(session string) int { return len(storedFor(t, k, "", session, `Stored("r1", &v)`, nil)) }
	keeps := func(tenant string, sessions int) {
		for i := range sessions {
			session := fmt.Sprint(tenant, i)
			for range 2 {
				if k.keep(tenant, session, large) == "" {
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
	if sizeOf(k) > keepTenant+1 || sizeOf(k) < keepTenant-len(large) {
		t.Errorf("alice has %d bytes, want at most %d", sizeOf(k), keepTenant)
	}
	if read("alice0") != 0 || read("alice19") != 1 {
		t.Error("alice's oldest are not those that went")
	}
	for _, tenant := range []string{"carol", "dave"} {
		keeps(tenant, 4)
	}
	keeps("erin", 3)
	keeps("frank", 2)
	if sizeOf(k) > keepAll {
		t.Errorf("%d bytes, want at most %d", sizeOf(k), keepAll)
	}
	if read("bob") != 1 || read("erin0") != 1 || read("frank0") != 1 {
		t.Error("who has less gave way to who has more")
	}
}

// What is kept for clients without a session is read by its handle, with the token
// that it was kept for, wherever the handle stands.
func TestHandlesNeedNoSession(t *testing.T) {
	k := newKeeper(nil)
	value := json.RawMessage(`"x"`)
	id := k.keep("ann", "", value)
	if len(id) != handleSize || id == k.keep("ann", "", value) {
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
		if got := storedFor(t, k, x.tenant, x.session, x.source, x.inputs); len(got) != x.want {
			t.Errorf("%+v: got %v", x, got)
		}
	}
	for range keepHandles {
		k.keep("ann", "", value)
	}
	if len(k.all) != keepHandles || len(storedFor(t, k, "ann", "", named, nil)) != 0 {
		t.Errorf("%d values are kept", len(k.all))
	}
}

// shelf is a Kept of all instances of a test; err fails it.
type shelf struct {
	all map[string]json.RawMessage
	err error
}

func (s *shelf) Keep(_ context.Context, tenant, handle string, value json.RawMessage) error {
	if s.err == nil {
		s.all[tenant+" "+handle] = value
	}
	return s.err
}

func (s *shelf) Kept(_ context.Context, tenant, handle string) (json.RawMessage, error) {
	return s.all[tenant+" "+handle], s.err
}

// What one instance keeps with a handle another one reads, and nobody else's; what a
// session keeps stays with it.
func TestHandlesAreReadAtAnyInstance(t *testing.T) {
	all := &shelf{all: map[string]json.RawMessage{}}
	one, two := newKeeper(all), newKeeper(all)
	value := json.RawMessage(`"x"`)
	secret := "ann\x00token"
	id := one.keep(secret, "", value)
	number := one.keep(secret, "s", value)
	if len(id) != handleSize || number != "r1" || len(all.all) != 1 {
		t.Fatalf("%q, %q, %v", id, number, all.all)
	}
	for at := range all.all {
		if strings.Contains(at, "token") {
			t.Errorf("a token is told: %q", at)
		}
	}
	named := fmt.Sprintf("Stored(%q, &v)", id)
	inputs := map[string]json.RawMessage{"id": json.RawMessage(`{"from":"` + id + `"}`)}
	for _, x := range []struct {
		tenant, source string
		inputs         map[string]json.RawMessage
		want           int
	}{
		{secret, named, nil, 1},
		{secret, "Stored(id, &v)", inputs, 1},
		{secret, "Return(id)", inputs, 0},
		{secret, "Stored(`" + id + "x`, &v)", nil, 0},
		{"bob", named, nil, 0},
	} {
		if got := storedFor(t, two, x.tenant, "", x.source, x.inputs); len(got) != x.want {
			t.Errorf("%+v: got %v", x, got)
		}
	}
	all.err = errors.New("the shelf is gone")
	if got := one.keep("ann", "", value); got != "" {
		t.Errorf("kept as %q", got)
	}
	if _, err := two.forScript(t.Context(), secret, "", named, nil); !errors.Is(err, all.err) {
		t.Error(err)
	}
}

func FuzzHandlesIn(f *testing.F) {
	f.Add([]byte(`Stored("k7f3m2qa2x7b4c5d", &v); responsibilities`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := handlesIn(nil, text)
		if len(got) > maxHandles {
			t.Errorf("%d handles", len(got))
		}
		for _, h := range got {
			if len(h) != handleSize || !bytes.Contains(text, []byte(h)) {
				t.Errorf("%q", h)
			}
		}
	})
}

func sizeOf(k *keeper) (n int) {
	for _, v := range k.all {
		n += len(v.value)
	}
	return n
}
