package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness/cluster/clustertest"
)

func valueOf(size int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
}

// What is kept at one instance is read at another, for the same tenant alone.
func TestWhatIsKeptIsReadAtAnyInstance(t *testing.T) {
	t.Parallel()
	one, other := two(t)
	for i, size := range []int{2, 500, maxPart, maxPart + 1, 3 << 20, maxKept} {
		value, handle := valueOf(size), fmt.Sprintf("handle%d", i)
		must(t, one.Kept().Keep(t.Context(), "ann", handle, value))
		got, err := other.Kept().Kept(t.Context(), "ann", handle)
		if err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes: %v, got %d", size, err, len(got))
		}
		if got, err := other.Kept().Kept(t.Context(), "bob", handle); got != nil || err != nil {
			t.Errorf("bob reads %d bytes of ann's: %v", len(got), err)
		}
	}
	if got, err := one.Kept().Kept(t.Context(), "ann", "none"); got != nil || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, size := range []int{0, maxKept + 1} {
		if err := one.Kept().Keep(t.Context(), "ann", "x", make([]byte, size)); err == nil {
			t.Errorf("%d bytes are kept", size)
		}
	}
	if err := other.Kept().Keep(t.Context(), "ann", "handle0", valueOf(5)); err == nil {
		t.Error("a handle is used twice")
	}
}

// What one tenant keeps pushes out its own alone, the oldest first.
func TestATenantHasSoMuchRoom(t *testing.T) {
	t.Parallel()
	c := connect(t, Options{URL: clustertest.Server(t)})
	k := c.Kept()
	has := func(tenant, handle string) bool {
		t.Helper()
		v, err := k.Kept(t.Context(), tenant, handle)
		must(t, err)
		return v != nil
	}
	must(t, k.Keep(t.Context(), "bob", "old", valueOf(5)))
	must(t, k.Keep(t.Context(), "ann", "small", valueOf(5)))
	for i := range 5 {
		must(t, k.Keep(t.Context(), "ann", fmt.Sprint("large", i), valueOf(15<<20)))
	}
	for handle, want := range map[string]bool{"small": false, "large0": false, "large1": true, "large4": true} {
		if has("ann", handle) != want {
			t.Errorf("%s is kept: %v", handle, !want)
		}
	}
	must(t, k.Keep(t.Context(), "carl", "h0", valueOf(5)))
	must(t, k.Keep(t.Context(), "carl", "h1", valueOf(5)))
	e, err := c.get(t.Context(), keptKey("carl"))
	must(t, err)
	var list []keptValue
	must(t, json.Unmarshal(e.Value(), &list))
	for len(list) < maxKeptHandles { // as Keep does
		list = append(list, keptValue{"more", 5, time.Now()})
	}
	all, err := json.Marshal(list)
	must(t, err)
	_, err = c.swap(t.Context(), keptKey("carl"), all, e.Revision(), keptFor)
	must(t, err)
	must(t, k.Keep(t.Context(), "carl", "last", valueOf(5)))
	if has("carl", "h0") || !has("carl", "h1") || !has("bob", "old") {
		t.Error("the wrong ones went")
	}
}

// What others publish there is no value.
func TestMessagesThatAreNoValues(t *testing.T) {
	t.Parallel()
	c := connect(t, Options{URL: clustertest.Server(t)})
	publish := func(handle, parts, data string) {
		m := nats.NewMsg(keptSubjects("ann", handle) + "value")
		m.Data = []byte(data)
		m.Header.Set(ownerHeader, "x")
		m.Header.Set(partsHeader, parts)
		_, err := c.js.PublishMsg(t.Context(), m)
		must(t, err)
	}
	publish("nothing", "", "1")
	publish("negative", "-1", "1")
	publish("text", "0", "no json")
	publish("endless", "33", "1")
	for _, handle := range []string{"nothing", "negative", "text", "endless"} {
		if v, err := c.Kept().Kept(t.Context(), "ann", handle); err == nil {
			t.Errorf("%s: %d bytes", handle, len(v))
		}
	}
	publish("half", "1", "[")
	if v, err := c.Kept().Kept(t.Context(), "ann", "half"); v != nil || err != nil {
		t.Errorf("half: %s, %v", v, err)
	}
}

// The lines of all processes are read in the order in which they were stored, once.
func TestTheAuditOfAllProcesses(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	one, other := connect(t, Options{URL: url, Name: "one"}), connect(t, Options{URL: url, Name: "other"})
	read := func(since time.Time) string {
		t.Helper()
		var b strings.Builder
		must(t, one.ReadAudit(t.Context(), since, &b))
		return b.String()
	}
	if got := read(time.Time{}); got != "" {
		t.Errorf("%q of nothing", got)
	}
	var want strings.Builder
	for i := range 10 {
		for _, c := range []*Cluster{one, other} {
			line := fmt.Sprintf("{\"type\":\"run\",\"n\":%d}\n", i)
			want.WriteString(line)
			if n, err := c.Audit().Write([]byte(line)); err != nil || n != len(line) {
				t.Fatal(n, err)
			}
		}
	}
	many := strings.Repeat(strings.Repeat("x", 100)+"\n", 3*maxPart/100)
	want.WriteString(many)
	if n, err := other.Audit().Write([]byte(many)); err != nil || n != len(many) {
		t.Fatal(n, err)
	}
	if got := read(time.Now().Add(-time.Hour)); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	if got := read(time.Now().Add(time.Hour)); got != "" {
		t.Errorf("of the future: %q", got)
	}
	other.conn.Close()
	if _, err := other.Audit().Write([]byte("late\n")); err == nil {
		t.Error("written without a cluster")
	}
}
