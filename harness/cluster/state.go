package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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

// live makes this process known as alive, from now on until Close: what it writes
// counts as under way only for as long as it is.
func (b *backing) live() error {
	if b.lives.Load() {
		return nil
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	if err := b.c.sayAlive(ctx); err != nil {
		return err
	}
	b.lives.Store(true)
	b.living.Do(func() { b.c.work.Go(b.c.stayAlive) })
	return nil
}

// stayAlive says that this process is alive until Close, and then that it is not.
func (c *Cluster) stayAlive() {
	tick := time.NewTicker(c.o.AckWait / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := c.bounded()
			if err := c.sayAlive(ctx); err != nil && c.ctx.Err() == nil {
				c.log.Warn("others cannot see that this process is alive", "error", err)
			}
			cancel()
		case <-c.ctx.Done():
			if c.conn.IsConnected() { // else it is forgotten after its time
				ctx, cancel := context.WithTimeout(context.Background(), each)
				defer cancel()
				c.js.PublishMsg(ctx, aliveMessage(c.id, nil), jetstream.WithMsgTTL(time.Second), jetstream.WithRetryAttempts(0))
			}
			return
		}
	}
}

func (c *Cluster) sayAlive(ctx context.Context) error {
	says, err := json.Marshal(c.self.say(c))
	if err != nil {
		return err
	}
	return c.keep(ctx, aliveMessage(c.id, says), c.o.AckWait)
}

// aliveMessage is what a process says of itself; nothing: that it has ended.
func aliveMessage(id string, says []byte) *nats.Msg {
	m := nats.NewMsg(aliveSubject(id))
	m.Data = says
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	return m
}

// keep publishes a message to the stream of states that is forgotten after some time.
func (c *Cluster) keep(ctx context.Context, m *nats.Msg, for_ time.Duration) error {
	return c.reached(c.again(ctx, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, m, jetstream.WithMsgTTL(seconds(for_)), jetstream.WithRetryAttempts(0))
		return err
	}))
}

// seconds rounds a time up to what the lifetime of a message may be.
func seconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}

// alive reports whether a process that writes records is alive.
func (c *Cluster) alive(ctx context.Context, process string) (bool, error) {
	m, err := c.last(ctx, c.state, aliveSubject(process))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && len(m.Data) > 0, err
}

// alive are the other processes that were alive a moment ago.
type alive struct {
	mu sync.Mutex
	at map[string]time.Time
}

// aliveFor is how long one is taken to be alive in what is shown: what decides asks.
const aliveFor = time.Second

func (a *alive) seen(process string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.at) > 1000 || a.at == nil {
		a.at = map[string]time.Time{}
	}
	a.at[process] = time.Now()
}

func (a *alive) lately(process string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.at[process]
	return ok && time.Since(at) < aliveFor
}

// Note notes the latest run of a request.
func (b *backing) Note(request, id string) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	return b.c.keep(ctx, noteOf(request, id), store.RequestsKnown)
}

// noteOf is the message that notes the latest run of a request: by its ID, or by the name
// of its record and the front end that sent it.
func noteOf(request, text string) *nats.Msg {
	m := nats.NewMsg(noteSubject(request))
	m.Data = []byte(text)
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Header.Set(jetstream.MsgIDHeader, strings.ToLower(rand.Text())) // a second try does not come after another run's
	return m
}

func noteSubject(request string) string {
	return requestSubject(fmt.Sprintf("%x", sha256.Sum256([]byte(request))))
}

// noted is what is noted of a request; zero: nothing.
type noted struct {
	seq         uint64
	id          string // of the run
	name, front string // "" where no front end noted it
	at          time.Time
}

func (c *Cluster) noted(ctx context.Context, request string) (n noted, err error) {
	m, err := c.last(ctx, c.state, noteSubject(request))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, nil
	case lostRequest(err): // it is asked before a script is sent to a runner
		return n, errAway
	case err != nil:
		return n, err
	}
	n.seq = m.Sequence
	n.id, n.front, _ = strings.Cut(string(m.Data), " ")
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
	m, err := b.c.last(ctx, b.c.state, keySubject)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return nil, nil
		}
		n := nats.NewMsg(keySubject)
		n.Data = randomKey()
		if _, err = b.c.publish(ctx, b.c.state, n, strings.ToLower(rand.Text()), 0); errors.Is(err, errOther) || err == nil {
			m, err = b.c.last(ctx, b.c.state, keySubject) // another one may have made it
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the records: %w", err)
	}
	if len(m.Data) != keySize {
		return nil, fmt.Errorf("the key of the records, subject %s, has %d bytes, not %d", keySubject, len(m.Data), keySize)
	}
	b.key.Store(&m.Data)
	return m.Data, nil
}

func randomKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key)
	return key
}

// Once claims a name, which begins with when the claim is over, in s since 1970 in
// hexadecimal.
func (b *backing) Once(name string, now time.Time) (bool, error) {
	until, _, _ := strings.Cut(name, "-")
	s, err := strconv.ParseInt(until, 16, 64)
	if err != nil {
		return false, fmt.Errorf("claiming %q: its name does not begin with a time", name)
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	_, err = b.c.publish(ctx, b.c.state, nats.NewMsg(onceSubject(name)), strings.ToLower(rand.Text()), 0,
		jetstream.WithMsgTTL(seconds(time.Unix(s, 0).Sub(now))))
	if errors.Is(err, errOther) {
		return false, nil
	}
	return err == nil, err
}

// lockFor is how long the lock of Alone is held by who does not hold it any longer, as
// its process died.
const lockFor = 10 * time.Second

func (b *backing) Alone(ctx context.Context) (release func() error, err error) {
	var seq uint64
	for {
		seq, err = b.lock(ctx, 0)
		if !errors.Is(err, errOther) {
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
	// Until it is released, it is renewed.
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
			now, err := b.lock(b.c.ctx, seq)
			if err != nil {
				b.c.log.Warn("the lock of the records is lost", "error", err)
				return
			}
			seq = now
		}
	})
	return func() error {
		end()
		renewing.Wait()
		ctx, cancel := b.c.bounded()
		defer cancel()
		err := b.c.again(ctx, func(ctx context.Context) error {
			// Nobody else's: theirs are behind it.
			return b.c.state.Purge(ctx, jetstream.WithPurgeSubject(lockSubject), jetstream.WithPurgeSequence(seq+1))
		})
		return b.c.reached(err)
	}, nil
}

// lock takes the lock, or renews it, and returns its sequence.
func (b *backing) lock(ctx context.Context, last uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, lockFor)
	defer cancel()
	m := nats.NewMsg(lockSubject)
	m.Data = []byte(b.c.o.Name)
	return b.c.publish(ctx, b.c.state, m, strings.ToLower(rand.Text()), last, jetstream.WithMsgTTL(lockFor))
}
