package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Bounds of the values kept for Stored.
const (
	keptFor        = 30 * time.Minute
	maxKept        = 16 << 20 // bytes of a value
	maxKeptTenant  = 64 << 20 // bytes of a tenant
	maxKeptHandles = 1024     // values of a tenant
)

// Kept stores values under handles for keptFor.
type Kept struct{ c *Cluster }

// Kept returns the values that all instances of a server share.
func (c *Cluster) Kept() Kept { return Kept{c} }

// Keep stores a value of up to 16 MiB. It evicts the tenant's oldest values if all together exceed
// 64 MiB, or 1024 in number.
func (k Kept) Keep(ctx context.Context, tenant, handle string, value json.RawMessage) error {
	if len(value) == 0 || len(value) > maxKept {
		return fmt.Errorf("the value has %d bytes: want 1 to %d", len(value), maxKept)
	}
	evicted, err := k.list(ctx, tenant, keptValue{handle, len(value), time.Now()})
	if err != nil {
		return err
	}
	for _, old := range evicted {
		if err := k.c.purge(ctx, k.c.kept, keptSubjects(tenant, old.Handle)+">"); err != nil {
			return err
		}
	}
	return k.c.putValue(ctx, k.c.kept, keptSubjects(tenant, handle)+"value", value)
}

// Kept returns a value of a tenant, or nil.
func (k Kept) Kept(ctx context.Context, tenant, handle string) (json.RawMessage, error) {
	value, err := k.c.value(ctx, k.c.kept, keptSubjects(tenant, handle)+"value", maxKept)
	if errors.Is(err, fs.ErrNotExist) { // also if a part is missing because the value is expiring
		return nil, nil
	}
	if err == nil && !json.Valid(value) {
		err = fmt.Errorf("the value kept as %q is not JSON", handle)
	}
	return value, err
}

// keptValue is an entry of the list of a tenant's values.
type keptValue struct {
	Handle string    `json:"handle"`
	Size   int       `json:"size"`
	Time   time.Time `json:"time"`
}

// list adds a value to the list of its tenant, and returns the oldest values, which no longer fit.
func (k Kept) list(ctx context.Context, tenant string, v keptValue) (evicted []keptValue, err error) {
	key := keptKey(tenant)
	for {
		var all []keptValue
		var revision uint64
		e, err := k.c.get(ctx, key)
		if err == nil {
			revision, err = e.Revision(), json.Unmarshal(e.Value(), &all)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the values of a tenant, %s: %w", key, err)
		}
		all = append(all, v)
		total := 0
		for _, v := range all {
			total += v.Size
		}
		n := 0
		for ; total > maxKeptTenant || len(all)-n > maxKeptHandles || v.Time.Sub(all[n].Time) > keptFor; n++ {
			total -= all[n].Size
		}
		list, err := json.Marshal(all[n:])
		if err == nil {
			_, err = k.c.swap(ctx, key, list, revision, keptFor)
		}
		if !errors.Is(err, errConflict) {
			return all[:n], err
		}
	}
}
