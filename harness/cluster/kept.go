package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds of what is kept for Stored; the stream forgets it after 30 minutes.
const (
	maxKept        = 16 << 20 // bytes of a value
	maxKeptTenant  = 64 << 20 // bytes of a tenant
	maxKeptHandles = 1024     // values of a tenant
)

// Kept keeps values by handles: each is the messages of one subject, the first of which
// says how many there are.
type Kept struct{ c *Cluster }

// Kept is where values are kept for all instances of a server.
func (c *Cluster) Kept() Kept { return Kept{c} }

// Keep keeps a value of up to 16 MiB. The oldest of its tenant go where they have more
// than 64 MB together, or are more than 1024.
func (k Kept) Keep(ctx context.Context, tenant, handle string, value json.RawMessage) error {
	if len(value) == 0 || len(value) > maxKept {
		return fmt.Errorf("a value of %d bytes, want 1 to %d", len(value), maxKept)
	}
	if err := k.makeRoom(ctx, tenant, len(value)); err != nil {
		return err
	}
	subject, last, id := keptSubject(tenant, handle), uint64(0), strings.ToLower(rand.Text())
	for n := 0; len(value) > 0; n++ {
		m := nats.NewMsg(subject)
		m.Data, value = value[:min(len(value), part)], value[min(len(value), part):]
		m.Header.Set(numberHeader, strconv.Itoa(n))
		m.Header.Set(partsHeader, strconv.Itoa((len(value)+part-1)/part)) // behind this one
		var err error
		if last, err = k.c.publish(ctx, k.c.kept, m, id+"."+strconv.Itoa(n), last); err != nil {
			return err
		}
	}
	return nil
}

// Kept returns a value of a tenant; nil: there is none.
func (k Kept) Kept(ctx context.Context, tenant, handle string) (json.RawMessage, error) {
	subject := keptSubject(tenant, handle)
	var value []byte
	seq := uint64(1)
	for n := 0; ; n++ {
		m, err := k.c.next(ctx, k.c.kept, subject, seq)
		if errors.Is(err, fs.ErrNotExist) { // also of a part: it goes at this moment, or is not there yet
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		rest, err := strconv.Atoi(m.Header.Get(partsHeader))
		if err != nil || m.Header.Get(numberHeader) != strconv.Itoa(n) || rest < 0 || len(value)+len(m.Data) > maxKept {
			return nil, fmt.Errorf("message %d of stream %s is no part %d of a value", m.Sequence, keptStream, n)
		}
		if value = append(value, m.Data...); rest == 0 {
			break
		}
		seq = m.Sequence + 1
	}
	if !json.Valid(value) {
		return nil, fmt.Errorf("what is kept as %q is no JSON", handle)
	}
	return value, nil
}

// makeRoom deletes the oldest values of a tenant until there is room for another one.
func (k Kept) makeRoom(ctx context.Context, tenant string, size int) error {
	all := keptSubject(tenant, "0")
	all = all[:len(all)-1] + "*"
	var subjects map[string]uint64
	err := k.c.again(ctx, func(ctx context.Context) error {
		info, err := k.c.kept.Info(ctx, jetstream.WithSubjectFilter(all))
		if err == nil {
			subjects = info.State.Subjects
		}
		return err
	})
	if err != nil {
		return k.c.reached(err)
	}
	messages := 0
	for _, n := range subjects {
		messages += int(n)
	}
	if messages == 0 || messages*part+size <= maxKeptTenant && len(subjects) < maxKeptHandles {
		return nil
	}
	values, err := k.sizes(ctx, all)
	if err != nil {
		return err
	}
	total := size
	for _, v := range values {
		total += v.size
	}
	for len(values) > 0 && (total > maxKeptTenant || len(values) >= maxKeptHandles) {
		if err := k.c.purge(ctx, k.c.kept, values[0].subject); err != nil {
			return err
		}
		total -= values[0].size
		values = values[1:]
	}
	return nil
}

type keptSize struct {
	subject string
	size    int
}

// sizes are the values that a pattern names, the oldest first.
func (k Kept) sizes(ctx context.Context, pattern string) (values []*keptSize, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	at := map[string]*keptSize{}
	err = k.c.eachOf(ctx, keptStream, &jetstream.OrderedConsumerConfig{FilterSubjects: []string{pattern}, HeadersOnly: true},
		func(m jetstream.Msg) error {
			v := at[m.Subject()]
			if v == nil {
				v = &keptSize{subject: m.Subject()}
				at[v.subject] = v
				values = append(values, v)
			}
			size, err := strconv.Atoi(m.Headers().Get("Nats-Msg-Size"))
			v.size += min(max(size, 0), part)
			return err
		})
	return values, err
}

// eachOf calls f with the messages that a stream has now.
func (c *Cluster) eachOf(ctx context.Context, stream string, o *jetstream.OrderedConsumerConfig, f func(jetstream.Msg) error) error {
	var in jetstream.Consumer
	err := c.again(ctx, func(ctx context.Context) (err error) {
		in, err = c.js.OrderedConsumer(ctx, stream, *o)
		return err
	})
	if err != nil {
		return c.reached(err)
	}
	info := in.CachedInfo()
	left := info.NumPending
	if left == 0 {
		return nil
	}
	messages, err := in.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for ; left > 0; left-- {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return c.reached(err)
		}
		if err := f(m); err != nil {
			return err
		}
		if meta, err := m.Metadata(); err != nil || meta.NumPending == 0 { // some may have gone
			return err
		}
	}
	return nil
}
