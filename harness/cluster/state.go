package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record/store"
)

// Short-lived state is in a bucket of keys and values: live processes, the latest runs of requests,
// claims and the lock. The key of the records and the saved scripts are there as well and do not
// expire. Reads and watches use jetstream.KeyValue. Writes use Cluster.publish and Cluster.keep,
// which give each key its own lifetime and recognise their own earlier tries.

// get returns the value of a key. If the key does not exist, the error is fs.ErrNotExist.
func (c *Cluster) get(ctx context.Context, key string) (e jetstream.KeyValueEntry, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		e, err = c.keys.Get(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		err = fs.ErrNotExist
	}
	return e, c.reached(err)
}

// all returns the values of the keys that match a pattern.
func (c *Cluster) all(ctx context.Context, pattern string) (found []jetstream.KeyValueEntry, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		w, err := c.keys.Watch(ctx, pattern, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
		for found = nil; ; {
			select {
			case e, ok := <-w.Updates():
				switch {
				case !ok:
					return cmp.Or(ctx.Err(), nats.ErrTimeout)
				case e == nil: // these are all
					return nil
				}
				found = append(found, e)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	return found, c.reached(err)
}

// keep writes a key that expires after ttl. A repeated try does not replace a value that another
// process has written since the first try.
func (c *Cluster) keep(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	id := strings.ToLower(rand.Text())
	return c.reached(c.retry(ctx, func(ctx context.Context) error {
		_, err := c.js.Publish(ctx, stateSubjects+key, value, jetstream.WithMsgID(id), jetstream.WithMsgTTL(seconds(ttl)),
			jetstream.WithRetryAttempts(0))
		return err
	}))
}

// swap replaces the value of a key if last is its revision, or creates the key if last is 0. If
// another process has written it, the error is errConflict. If ttl is zero, the key does not expire.
func (c *Cluster) swap(ctx context.Context, key string, value []byte, last uint64, ttl time.Duration) (revision uint64, err error) {
	var o []jetstream.PublishOpt
	if ttl != 0 {
		o = append(o, jetstream.WithMsgTTL(seconds(ttl)))
	}
	return c.publish(ctx, c.state, &nats.Msg{Subject: stateSubjects + key, Data: value, Header: nats.Header{}},
		strings.ToLower(rand.Text()), last, o...)
}

// seconds rounds a duration up to a valid lifetime of a message.
func seconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}

// live makes this process known as alive until Close. Its open records count as running only during
// this time.
func (b *backing) live() error {
	if b.lives.Load() {
		return nil
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	if err := b.c.renewAlive(ctx); err != nil {
		return err
	}
	b.lives.Store(true)
	b.living.Do(func() { b.c.work.Go(b.c.stayAlive) })
	return nil
}

// stayAlive renews the key of this process until Close, and then deletes it.
func (c *Cluster) stayAlive() {
	tick := time.NewTicker(c.o.AckWait / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := c.bounded()
			if err := c.renewAlive(ctx); err != nil && c.ctx.Err() == nil {
				c.log.Warn("other processes may take this one for dead", "error", err)
			}
			cancel()
		case <-c.ctx.Done():
			if c.conn.IsConnected() { // otherwise its key expires
				ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
				defer cancel()
				c.keys.Purge(ctx, aliveKey(c.id), jetstream.PurgeTTL(time.Second))
			}
			return
		}
	}
}

func (c *Cluster) renewAlive(ctx context.Context) error {
	says, err := json.Marshal(c.self.entry(c))
	if err != nil {
		return err
	}
	return c.keep(ctx, aliveKey(c.id), says, c.o.AckWait)
}

// alive reports whether a process that writes records is alive.
func (c *Cluster) alive(ctx context.Context, process string) (bool, error) {
	_, err := c.get(ctx, aliveKey(process))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (b *backing) Notes() store.Notes { return b }

// Note notes the latest run of a request.
func (b *backing) Note(request, id string) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	return b.c.keep(ctx, requestKey(request), []byte(id), store.RequestsKnown)
}

// noted is the latest run of a request, or the zero value.
type noted struct {
	revision    uint64
	id          string // of the run
	name, front string // "" if no front end noted it
	at          time.Time
}

func (c *Cluster) noted(ctx context.Context, request string) (n noted, err error) {
	e, err := c.get(ctx, requestKey(request))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, nil
	case lostRequest(err): // this comes before a script is sent to a runner
		return n, errUnreachable
	case err != nil:
		return n, err
	}
	n.revision = e.Revision()
	n.id, n.front, _ = strings.Cut(string(e.Value()), " ")
	if at, id, ok := store.ParseName(n.id); ok {
		n.name, n.id, n.at = n.id, id, at
	}
	return n, nil
}

func (b *backing) Latest(request string) (id string, err error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	n, err := b.c.noted(ctx, request)
	return n.id, err
}

const keySize = 32

func (b *backing) Key(make bool) ([]byte, error) {
	if key := b.key.Load(); key != nil {
		return *key, nil
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	e, err := b.c.get(ctx, recordsKey)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return nil, nil
		}
		var random [keySize]byte
		rand.Read(random[:])
		if _, err = b.c.swap(ctx, recordsKey, random[:], 0, 0); errors.Is(err, errConflict) || err == nil {
			e, err = b.c.get(ctx, recordsKey) // another process may have made it
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the records: %w", err)
	}
	key := e.Value()
	if len(key) != keySize {
		return nil, fmt.Errorf("the key of the records, %s, has %d bytes, not %d", recordsKey, len(key), keySize)
	}
	b.key.Store(&key)
	return key, nil
}

// Once claims a name. The name begins with the time at which the claim expires, as hexadecimal
// seconds since 1970.
func (b *backing) Once(name string, now time.Time) (bool, error) {
	until, _, _ := strings.Cut(name, "-")
	s, err := strconv.ParseInt(until, 16, 64)
	if err != nil {
		return false, fmt.Errorf("claiming %q: its name does not begin with a time", name)
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	_, err = b.c.swap(ctx, onceKey(name), nil, 0, time.Unix(s, 0).Sub(now))
	if errors.Is(err, errConflict) {
		return false, nil
	}
	return err == nil, err
}

// lockFor is how long the lock of Alone remains after its process died.
const lockFor = 10 * time.Second

func (b *backing) Alone(ctx context.Context) (release func() error, err error) {
	var revision uint64
	for {
		revision, err = b.lock(ctx, 0)
		if !errors.Is(err, errConflict) {
			break
		}
		select {
		case <-time.After(5*time.Millisecond + mathrand.N(15*time.Millisecond)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	// The lock is renewed until it is released.
	hold, end := context.WithCancel(b.c.ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(lockFor / 4)
		defer tick.Stop()
		for {
			select {
			case <-hold.Done():
				return
			case <-tick.C:
			}
			now, err := b.lock(b.c.ctx, revision)
			if err != nil {
				b.c.log.Warn("the lock of the records is lost", "error", err)
				return
			}
			revision = now
		}
	})
	return func() error {
		end()
		renewing.Wait()
		ctx, cancel := b.c.bounded()
		defer cancel()
		err := b.c.retry(ctx, func(ctx context.Context) error { // keeps another process's lock, which has a later revision
			return b.c.state.Purge(ctx, jetstream.WithPurgeSubject(stateSubjects+lockKey), jetstream.WithPurgeSequence(revision+1))
		})
		return b.c.reached(err)
	}, nil
}

// lock takes or renews the lock, and returns its revision.
func (b *backing) lock(ctx context.Context, last uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, lockFor)
	defer cancel()
	return b.c.swap(ctx, lockKey, []byte(b.c.o.Name), last, lockFor)
}
