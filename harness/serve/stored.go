package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the values kept for Stored.
const (
	keepFor     = 30 * time.Minute
	keepEach    = 16 << 20  // bytes for one session
	keepTenant  = 64 << 20  // bytes for all sessions of a tenant
	keepAll     = 256 << 20 // bytes for all
	keepResults = 32        // values for one session
	keepHandles = 1024      // values of a tenant without a session
	maxHandles  = 32        // values of Kept for one script
	keepWait    = 10 * time.Second
)

// keeper keeps large results for later scripts. Values of a session are numbered. Values of clients
// without a session have handles; a client reads them with the handle and, if there are tokens, the
// same token. Values are evicted oldest first, of the session or tenant that exceeds its bound, or
// of the tenant with the most if all exceed theirs together.
type keeper struct {
	handles Kept // keeps values with handles; if nil, all has them

	mu   sync.Mutex
	all  []*keptValue   // by age, the oldest first
	next map[string]int // number of the last value, by session
}

type keptValue struct {
	tenant  string
	session string // if empty, id is a handle
	id      string
	value   json.RawMessage
	until   time.Time
}

// Kept keeps values by handles for several instances of a server. A value has up to 16 MiB. It is
// kept for 30 minutes, or until its tenant has 64 MB of later ones.
type Kept interface {
	Keep(ctx context.Context, tenant, handle string, value json.RawMessage) error
	// Kept returns nil if the tenant has no value with the handle.
	Kept(ctx context.Context, tenant, handle string) (json.RawMessage, error)
}

func newKeeper(handles Kept) *keeper { return &keeper{handles: handles, next: map[string]int{}} }

// keep keeps a value of a tenant's session and returns its ID. session may be empty. It returns ""
// if the value is too large or Kept fails.
func (k *keeper) keep(tenant, session string, value json.RawMessage) (id string) {
	if len(value) == 0 || len(value) > keepEach {
		return ""
	}
	if k.handles != nil && session == "" {
		ctx, cancel := context.WithTimeout(context.Background(), keepWait)
		defer cancel()
		if id = newHandle(); k.handles.Keep(ctx, digest(tenant), id, value) != nil {
			return ""
		}
		return id
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expire(time.Now())
	if id = newHandle(); session != "" {
		k.next[session]++
		id = fmt.Sprintf("r%d", k.next[session])
	}
	k.all = append(k.all, &keptValue{tenant, session, id, value, time.Now().Add(keepFor)})
	for i := k.surplus(tenant, session); i >= 0; i = k.surplus(tenant, session) {
		k.all = slices.Delete(k.all, i, i+1)
	}
	return id
}

// surplus returns the index of the value to evict after a tenant's session has added one, or -1.
func (k *keeper) surplus(tenant, session string) int {
	own, n, all, sizes := 0, 0, 0, map[string]int{} // bytes and values of the session; bytes of all and of each tenant
	for _, v := range k.all {
		all += len(v.value)
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
	case all > keepAll:
		most := slices.Max(slices.Collect(maps.Values(sizes)))
		return slices.IndexFunc(k.all, func(v *keptValue) bool { return sizes[v.tenant] == most })
	}
	return -1
}

func (k *keeper) expire(now time.Time) {
	k.all = slices.DeleteFunc(k.all, func(v *keptValue) bool { return now.After(v.until) })
}

// forScript returns the values that a script of a tenant's session may read: those whose handles
// are in the script or its inputs, and those of the session whose numbers are in the script.
// Without such values, it returns all of the session. It returns an error if a value cannot be read
// now.
func (k *keeper) forScript(ctx context.Context, tenant, session, source string, inputs map[string]json.RawMessage) (
	map[string]json.RawMessage, error) {
	if !strings.Contains(source, "Stored") {
		return nil, nil
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
	if err := k.addHandles(ctx, named, tenant, source, inputs); err != nil {
		return nil, fmt.Errorf("reading stored values: %w; nothing has run", err)
	}
	for _, v := range k.valuesOf(tenant, session) { // without the lock: inputs may be large
		switch {
		case v.session == "" && has(v.id), v.session != "" && strings.Contains(source, `"`+v.id+`"`):
			named[v.id] = v.value
		case v.session != "":
			rest[v.id] = v.value
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	return rest, nil
}

// addHandles adds the values of k.handles whose handles are in a script or its inputs.
func (k *keeper) addHandles(ctx context.Context, to map[string]json.RawMessage, tenant, source string,
	inputs map[string]json.RawMessage) error {
	if k.handles == nil {
		return nil
	}
	handles := handlesIn(nil, []byte(source))
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		handles = handlesIn(handles, inputs[name])
	}
	ctx, cancel := context.WithTimeout(ctx, keepWait)
	defer cancel()
	size := 0
	for _, h := range handles {
		v, err := k.handles.Kept(ctx, digest(tenant), h)
		if err != nil {
			return err
		}
		if size += len(v); v != nil && size <= keepTenant {
			to[h] = v
		}
	}
	return nil
}

// digest returns the name of a tenant outside this process. The tenant's own name may contain a
// token.
func digest(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:16])
}

// handlesIn adds the words of a text that may be handles to a list of at most maxHandles.
func handlesIn(list []string, text []byte) []string {
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') }) {
		if len(word) == handleSize && len(list) < maxHandles && !slices.Contains(list, string(word)) {
			list = append(list, string(word))
		}
	}
	return list
}

// valuesOf returns the values of a session, and those of its tenant that have handles.
func (k *keeper) valuesOf(tenant, session string) (found []*keptValue) {
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

func newHandle() string { return strings.ToLower(rand.Text()[:handleSize]) }

// forget drops what a session kept.
func (k *keeper) forget(session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = slices.DeleteFunc(k.all, func(v *keptValue) bool { return v.session == session })
	delete(k.next, session)
}
