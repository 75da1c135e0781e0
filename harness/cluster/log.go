package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record"
)

// Headers of the messages of a record.
const (
	ownerHeader   = "Ut-Owner"   // a nonce, different for each writer
	processHeader = "Ut-Process" // the ID of its process
	numberHeader  = "Ut-Number"  // of the message among those of its owner, from 1
	offsetHeader  = "Ut-Offset"  // the bytes of the record before it; bytes stored after this offset are cut off
	openHeader    = "Ut-Open"    // 1 if its owner may write more, 0 if it has closed the record
	dataHeader    = "Ut-Data"    // of a message without bytes: the sequence of the last earlier one with bytes, or 0
	besideHeader  = "Ut-Beside"  // the bytes of values that the writers have stored beside the record
	partsHeader   = "Ut-Parts"   // of a value: the number of further messages
)

// errConflict says that the last message of a subject is not the one that was expected.
var errConflict = errors.New("another process has written there")

// publish stores a message on the condition that the last message of its subject has the sequence
// last. If last is 0, the subject must have no message. id is unique, so that a repeated try
// recognises an earlier one. If another message is the last, the error is errConflict. publish returns
// the sequence of the stored message.
func (c *Cluster) publish(ctx context.Context, in jetstream.Stream, m *nats.Msg, id string, last uint64,
	o ...jetstream.PublishOpt) (seq uint64, err error) {
	o = append(o, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithRetryAttempts(0))
	for missing := 0; ; {
		err = c.retry(ctx, func(ctx context.Context) error {
			ack, err := c.js.PublishMsg(ctx, m, o...)
			if err == nil {
				seq = ack.Sequence
			}
			return err
		})
		if !conflict(err) {
			return seq, c.reached(err)
		}
		// An earlier try may be stored, or be under way; and a new leader may not know yet which
		// messages are stored.
		now, err := c.last(ctx, in, m.Subject)
		switch {
		case errors.Is(err, fs.ErrNotExist) && last != 0:
			if missing++; missing > 20 {
				return 0, errConflict
			}
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		case now.Header.Get(jetstream.MsgIDHeader) == id:
			return now.Sequence, nil
		case now.Sequence > last:
			return 0, errConflict
		}
		select {
		case <-ctx.Done():
			return 0, c.reached(ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// conflict reports whether a message was refused because it is not the next one of its subject, or
// because a try of it is under way.
func conflict(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	const messageIDInProcess = 10158
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant, messageIDInProcess:
		return true
	}
	return false
}

// last returns the last message of a subject, from the leader of the stream.
func (c *Cluster) last(ctx context.Context, in jetstream.Stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		m, err = in.GetLastMsgForSubject(ctx, subject)
		return err
	})
	return m, c.reached(err)
}

// next returns the first message of a subject at or after a sequence.
func (c *Cluster) next(ctx context.Context, in jetstream.Stream, subject string, seq uint64) (m *jetstream.RawStreamMsg, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		m, err = in.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subject))
		return err
	})
	return m, c.reached(err)
}

// info returns the state of a stream.
func (c *Cluster) info(ctx context.Context, in jetstream.Stream, o ...jetstream.StreamInfoOpt) (info *jetstream.StreamInfo, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		info, err = in.Info(ctx, o...)
		return err
	})
	return info, c.reached(err)
}

// subjectsOf returns the subjects of a stream that a pattern matches, with the number of
// messages of each.
func (c *Cluster) subjectsOf(ctx context.Context, in jetstream.Stream, pattern string) (map[string]uint64, error) {
	info, err := c.info(ctx, in, jetstream.WithSubjectFilter(pattern))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}

// eachOf calls f for all present messages of a stream.
func (c *Cluster) eachOf(ctx context.Context, stream string, o *jetstream.OrderedConsumerConfig, f func(jetstream.Msg) error) error {
	var in jetstream.Consumer
	err := c.retry(ctx, func(ctx context.Context) (err error) {
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
	messages, err := in.Messages(jetstream.PullMaxMessages(batchSize))
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
		if meta, err := m.Metadata(); err != nil || meta.NumPending == 0 { // some may have been deleted
			return err
		}
	}
	return nil
}

// batchSize is how many messages a consumer sends at once: at most 32 MiB, half of the
// unread bytes at which a client drops messages.
const batchSize = 32 << 20 / maxPart

// purge deletes all messages of the subjects that a pattern matches.
func (c *Cluster) purge(ctx context.Context, in jetstream.Stream, subject string) error {
	return c.reached(c.retry(ctx, func(ctx context.Context) error {
		return in.Purge(ctx, jetstream.WithPurgeSubject(subject))
	}))
}

// reached translates an error of the engine: a missing message is fs.ErrNotExist, and a lost
// connection names the cluster.
func (c *Cluster) reached(err error) error {
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return fs.ErrNotExist
	case errors.Is(err, nats.ErrReconnectBufExceeded): // there is no connection
		return fmt.Errorf("the cluster at %s cannot be reached: %w", plainURL(c.o.URL), nats.ErrDisconnected)
	case lostRequest(err), errors.Is(err, context.Canceled) && c.ctx.Err() != nil, errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("the cluster at %s cannot be reached: %w", plainURL(c.o.URL), err)
	}
	return err
}

// bounded returns a context for requests without a caller's context. It ends after AckWait.
func (c *Cluster) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.ctx, c.o.AckWait)
}

// plainURL removes secrets from a comma-separated list of URLs.
func plainURL(urls string) string {
	all := strings.Split(urls, ",")
	for i, s := range all {
		s = strings.TrimSpace(s)
		if at := strings.LastIndexByte(s, '@'); at >= 0 { // also if it is not a valid URL
			scheme, _, ok := strings.Cut(s, "://")
			if s = s[at+1:]; ok {
				s = scheme + "://" + s
			}
		}
		if u, err := url.Parse(s); err == nil {
			u.RawQuery, u.Fragment = "", ""
			s = u.String()
		}
		all[i] = s
	}
	return strings.Join(all, ",")
}

// position has the headers of a record's message.
type position struct {
	seq            uint64
	owner, process string
	number         int   // of the message among those of its owner
	offset, end    int64 // of its bytes in the record
	open           bool
	data           uint64
	beside         int64
}

// positionOf reads the headers of a message of size bytes. Every user who may publish can
// have written them.
func positionOf(header nats.Header, seq uint64, size int64) (p position, err error) {
	p = position{seq: seq, owner: header.Get(ownerHeader), process: header.Get(processHeader), open: header.Get(openHeader) == "1"}
	number := func(name string, least, most int64) (n int64) {
		s := header.Get(name)
		if s == "" && least == 0 && name != offsetHeader {
			return 0
		}
		n, e := strconv.ParseInt(s, 10, 64)
		if e != nil || n < least || n > most {
			err = errors.Join(err, fmt.Errorf("%s %.40q: want a number from %d to %d", name, s, least, most))
		}
		return n
	}
	p.number = int(number(numberHeader, 1, 1<<62))
	p.offset = number(offsetHeader, 0, record.MaxRecord-size)
	p.data = uint64(number(dataHeader, 0, 1<<62))
	p.beside = number(besideHeader, 0, 1<<62)
	p.end = p.offset + size
	if p.owner == "" || p.process == "" || len(p.owner) > maxName || len(p.process) > maxName {
		err = errors.Join(err, fmt.Errorf("it has no valid %s and %s", ownerHeader, processHeader))
	}
	if open := header.Get(openHeader); open != "0" && open != "1" {
		err = errors.Join(err, fmt.Errorf("%s %.40q: want 0 or 1", openHeader, open))
	}
	if err != nil {
		err = fmt.Errorf("message %d of stream %s does not belong to a record: %w", seq, recordsStream, err)
	}
	return p, err
}

// follows reports whether a message is the next one of the same owner.
func (p position) follows(before position) bool {
	return p.owner == before.owner && p.number == before.number+1
}

// maxName bounds the names in headers, in bytes.
const maxName = 256
