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

// Bounds of what is kept for Stored.
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

// keeper keeps large results for later scripts. In a session they have numbers; what
// is kept for clients without one has a handle, which is all that it takes to read
// it, with the same token where there are tokens. The oldest go first, of the session
// or the tenant that has too much; where all have too much together, of the tenant
// that has the most.
type keeper struct {
	handles Kept // keeps what has a handle; nil: that is in all, too

	mu   sync.Mutex
	all  []*keptValue   // by age, the oldest first
	next map[string]int // by session: the number of its next value
}

type keptValue struct {
	tenant  string
	session string // empty: id is a handle
	id      string
	value   json.RawMessage
	until   time.Time
}

// Kept keeps values by handles at one place for several instances of a server. A value
// has up to 16 MiB, and is kept for 30 minutes, or until its tenant has others of 64 MB.
type Kept interface {
	Keep(ctx context.Context, tenant, handle string, value json.RawMessage) error
	// Kept returns nil where a tenant has no value of a handle.
	Kept(ctx context.Context, tenant, handle string) (json.RawMessage, error)
}

func newKeeper(handles Kept) *keeper { return &keeper{handles: handles, next: map[string]int{}} }

// keep keeps a value of a tenant's session, empty for none, and returns its ID, "" if it
// is too large or Kept does not take it.
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

// surplus is the value that must go as a tenant's session has kept another one;
// -1: none.
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

// forScript returns the values that a script of a tenant's session may mean: those
// whose handles it or its inputs have, and of the session, if there is one, those
// whose numbers it has, all where it has none of them.
// The error is that a value cannot be read now.
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
	if err := k.elsewhere(ctx, named, tenant, source, inputs); err != nil {
		return nil, fmt.Errorf("reading what is kept for Stored: %w; nothing has run", err)
	}
	for _, v := range k.of(tenant, session) { // without the lock: inputs may be large
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

// elsewhere adds the values that k.handles has of the handles in a script and its inputs.
func (k *keeper) elsewhere(ctx context.Context, to map[string]json.RawMessage, tenant, source string,
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

// digest stands for a tenant, in whose name there may be a token, outside this process.
func digest(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:16])
}

// handlesIn adds to a list what may be handles in a text: words of as many letters and
// digits as they have. There are at most maxHandles.
func handlesIn(list []string, text []byte) []string {
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') }) {
		if len(word) == handleSize && len(list) < maxHandles && !slices.Contains(list, string(word)) {
			list = append(list, string(word))
		}
	}
	return list
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

func newHandle() string { return strings.ToLower(rand.Text()[:handleSize]) }

// forget drops what a session kept.
func (k *keeper) forget(session string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = slices.DeleteFunc(k.all, func(v *keptValue) bool { return v.session == session })
	delete(k.next, session)
}
