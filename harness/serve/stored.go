package serve

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of what is kept for Stored.
const (
	keepFor     = 30 * time.Minute
	keepEach    = 16 << 20  // bytes for one session
	keepTenant  = 64 << 20  // bytes for all sessions of a tenant
	keepAll     = 256 << 20 // bytes for all
	keepResults = 32        // values for one session
	keepHandles = 1024      // values of a tenant without a session
)

// keeper keeps large results for later scripts. In a session they have numbers; what
// is kept for clients without one has a handle, which is all that it takes to read
// it, with the same token where there are tokens. The oldest go first, of the session
// or the tenant that has too much; where all have too much together, of the tenant
// that has the most.
type keeper struct {
	mu   sync.Mutex
	all  []*keptValue // by age, the oldest first
	size int
	next map[string]int // by session: the number of its next value
}

type keptValue struct {
	tenant  string
	session string // empty: id is a handle
	id      string
	value   json.RawMessage
	until   time.Time
}

func newKeeper() *keeper { return &keeper{next: map[string]int{}} }

// keep keeps values of a tenant's session, empty for none, and returns their IDs, ""
// for one that is too large.
func (k *keeper) keep(tenant, session string, values ...json.RawMessage) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(time.Now())
	ids := make([]string, len(values))
	for i, v := range values {
		if len(v) == 0 || len(v) > keepEach {
			continue
		}
		if session == "" {
			ids[i] = strings.ToLower(rand.Text()[:handleSize])
		} else {
			k.next[session]++
			ids[i] = fmt.Sprintf("r%d", k.next[session])
		}
		k.all = append(k.all, &keptValue{tenant, session, ids[i], v, time.Now().Add(keepFor)})
		k.size += len(v)
	}
	for i := k.surplus(tenant, session); i >= 0; i = k.surplus(tenant, session) {
		k.drop(i)
	}
	return ids
}

// surplus is the value that must go as a tenant's session has kept another one;
// -1: none.
func (k *keeper) surplus(tenant, session string) int {
	own, n, sizes := 0, 0, map[string]int{} // of the session; of each tenant
	for _, v := range k.all {
		sizes[v.tenant] += len(v.value)
		if v.tenant == tenant && v.session == session {
			own, n = own+len(v.value), n+1
		}
	}
	each, most := keepEach, keepResults
	if session == "" { // many clients
		each, most = keepTenant, keepHandles
	}
	switch {
	case own > each || n > most:
		return slices.IndexFunc(k.all, func(v *keptValue) bool { return v.tenant == tenant && v.session == session })
	case sizes[tenant] > keepTenant:
		return slices.IndexFunc(k.all, func(v *keptValue) bool { return v.tenant == tenant })
	case k.size > keepAll:
		most := slices.Max(slices.Collect(maps.Values(sizes)))
		return slices.IndexFunc(k.all, func(v *keptValue) bool { return sizes[v.tenant] == most })
	}
	return -1
}

func (k *keeper) drop(i int) {
	k.size -= len(k.all[i].value)
	k.all = append(k.all[:i:i], k.all[i+1:]...)
}

func (k *keeper) expire(now time.Time) {
	for len(k.all) > 0 && now.After(k.all[0].until) {
		k.drop(0)
	}
}

// forScript returns the values that a script of a tenant's session may mean: those
// whose handles it or its inputs have, and of the session, if there is one, those
// whose numbers it has, all where it has none of them.
func (k *keeper) forScript(tenant, session, source string, inputs map[string]json.RawMessage) map[string]json.RawMessage {
	if !strings.Contains(source, "Stored") {
		return nil
	}
	has := func(handle string) bool {
		if strings.Contains(source, handle) {
			return true
		}
		for _, in := range inputs {
			if bytes.Contains(in, []byte(handle)) {
				return true
			}
		}
		return false
	}
	named, rest := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, v := range k.of(tenant, session) { // without the lock: inputs may be large
		switch {
		case v.session == "" && has(v.id), v.session != "" && strings.Contains(source, `"`+v.id+`"`):
			named[v.id] = v.value
		case v.session != "":
			rest[v.id] = v.value
		}
	}
	if len(named) > 0 {
		return named
	}
	return rest
}

// of are the values of a session, and those of its tenant that have handles.
func (k *keeper) of(tenant, session string) (found []*keptValue) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(time.Now())
	for _, v := range k.all {
		if v.session == "" && v.tenant == tenant || v.session != "" && v.session == session {
			found = append(found, v)
		}
	}
	return found
}

// handleSize is the size of a handle: letters and digits of rand.Text, 80 bits.
const handleSize = 16

// forget drops what a session kept.
func (k *keeper) forget(session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.all) - 1; i >= 0; i-- {
		if k.all[i].session == session {
			k.drop(i)
		}
	}
	delete(k.next, session)
}
