package cluster

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/record"
)

// Backing is what a store's records are in when they are in the engine.
func (c *Cluster) Backing() record.Backing {
	c.backing.start.Do(func() { c.backing.listen(c) })
	return &c.backing
}

// Store is the store of the records in the engine.
func (c *Cluster) Store(o *record.StoreOptions) *record.Store {
	return record.On(c.Backing(), plainURL(c.o.URL), o)
}

// backing has records as messages of recordsStream, one subject for each.
type backing struct {
	c     *Cluster
	start sync.Once
	news  record.Signal
	known known
	alive sync.Mutex // held while the process makes itself known
	lives bool       // the process is known as alive
	key   []byte
	keyMu sync.Mutex

	ownMu sync.Mutex
	owns  map[string]*sink // that write, by the names of their records

	tidying sync.Mutex
	tidied  time.Time // when Tidy looked last
}

func (b *backing) Changes() *record.Signal { return &b.news }

func (b *backing) Create(name string) (record.Sink, error) {
	if err := b.live(); err != nil {
		return nil, err
	}
	return newSink(b, name), nil
}

// gather is how long what is written waits at most for more, before it is sent.
const gather = 20 * time.Millisecond

// sink is a record that is written. Each of its messages is published on the condition
// that the one before it is the last of its subject, so that nobody else has written.
type sink struct {
	b              *backing
	name, subject  string
	owner          string
	mu             sync.Mutex
	idle           *sync.Cond // told when a message is stored, or the sink has failed
	buf            []byte     // what is not stored
	end            int64      // of the record, with buf
	beside         int64      // bytes of what stands beside it
	seq, data      uint64     // of the last message, and of the last one with bytes; 0: there is none
	number         int        // of the message that was sent last
	seqNumber      int        // of the one that was stored last
	listed         bool       // its first message may be sent
	sending, timed bool       // one is under way, or is due
	closing        bool       // nothing more is written
	closed         bool       // the last message says so
	put            []string   // subjects of what it put beside the record
	err            error      // it has failed, for good
}

func newSink(b *backing, name string) *sink {
	s := &sink{b: b, name: name, subject: recordSubject(name), owner: strings.ToLower(rand.Text())}
	s.idle = sync.NewCond(&s.mu)
	return s
}

func (s *sink) FileID() (device, inode uint64, err error) { return 0, 0, nil }

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return 0, s.err
	case s.closing:
		return 0, record.ErrClosed
	}
	s.buf = append(s.buf, p...)
	s.end += int64(len(p))
	if s.listed && !s.sending && !s.timed {
		s.timed = true
		time.AfterFunc(gather, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.timed = false
			s.send()
		})
	}
	return len(p), nil
}

// send sends what is written, in the background. The caller holds mu.
func (s *sink) send() {
	if s.sending || s.err != nil || !s.listed || len(s.buf) == 0 && (!s.closing || s.closed) {
		return
	}
	s.sending = true
	s.b.c.work.Go(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for s.err == nil && (len(s.buf) > 0 || s.closing && !s.closed) {
			s.sendPart()
		}
		s.sending = false
		s.idle.Broadcast()
	})
}

// sendPart publishes one message.
func (s *sink) sendPart() {
	data := s.buf[:min(len(s.buf), part)]
	open := !s.closing || len(data) < len(s.buf)
	s.number++
	m := s.message(data, open)
	last := s.seq
	s.mu.Unlock()
	ctx, cancel := s.b.c.bounded()
	seq, err := s.b.c.publish(ctx, s.b.c.records, m, s.id(s.number), last)
	cancel()
	s.mu.Lock()
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%w: %w", record.ErrTaken, err)
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.seq, s.seqNumber, s.closed, s.buf = seq, s.number, !open, s.buf[len(data):]
	if len(data) > 0 {
		s.data = seq
	}
	s.idle.Broadcast()
}

// id is that of a message of this owner.
func (s *sink) id(number int) string { return s.owner + "." + strconv.Itoa(number) }

// message is the next message. The caller holds mu.
func (s *sink) message(data []byte, open bool) *nats.Msg {
	m := nats.NewMsg(s.subject)
	m.Data = data
	m.Header.Set(ownerHeader, s.owner)
	m.Header.Set(processHeader, s.b.c.id)
	m.Header.Set(numberHeader, strconv.Itoa(s.number))
	m.Header.Set(offsetHeader, strconv.FormatInt(s.end-int64(len(s.buf)), 10))
	m.Header.Set(openHeader, "0")
	if open {
		m.Header.Set(openHeader, "1")
	}
	if len(data) == 0 {
		m.Header.Set(dataHeader, strconv.FormatUint(s.data, 10))
	}
	if s.beside > 0 {
		m.Header.Set(besideHeader, strconv.FormatInt(s.beside, 10))
	}
	return m
}

// fail ends the writing. The caller holds mu.
func (s *sink) fail(err error) {
	s.err = cmp.Or(s.err, err)
	s.idle.Broadcast()
}

// stored waits until all is stored that was written before, or that the record is
// closed, for as long as a process may be silent; then the sink has failed. The caller
// holds mu.
func (s *sink) stored() error {
	waits := true
	late := time.AfterFunc(s.b.c.o.AckWait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if waits {
			s.fail(s.b.c.reached(context.DeadlineExceeded))
		}
	})
	defer late.Stop()
	want := s.end
	for s.err == nil && (s.end-int64(len(s.buf)) < want || s.closing && !s.closed) {
		s.send()
		s.idle.Wait()
	}
	waits = false
	return s.err
}

func (s *sink) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored()
}

func (s *sink) Publish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
	err := s.stored()
	if err == nil {
		s.b.known.put(s.name, mark{s.seq, s.end})
		s.b.setOwn(s.name, nil, s)
	}
	return err
}

// Cut leaves the bytes where they are: the next message says from where on they count
// no more.
func (s *sink) Cut(size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buf) > 0 || s.sending {
		return errors.New("cutting a record that is being written")
	}
	if size > s.end {
		return fmt.Errorf("cutting a record of %d bytes behind byte %d", s.end, size)
	}
	s.end = size
	return s.err
}

func (s *sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	s.closing = true
	defer s.b.setOwn(s.name, s, nil)
	if !s.listed {
		ctx, cancel := s.b.c.bounded()
		defer cancel()
		var err error
		for _, subject := range s.put {
			err = errors.Join(err, s.b.c.purge(ctx, s.b.c.records, subject))
		}
		return err
	}
	err := s.stored()
	if err != nil && !errors.Is(err, record.ErrTaken) {
		s.b.c.work.Go(s.leave)
	}
	s.b.news.Tell()
	return err
}

// leave closes a record of which not all could be stored, as soon as the engine can be
// reached: nobody else would know that it is not being written any more.
func (s *sink) leave() {
	c := s.b.c
	for c.ctx.Err() == nil {
		p, _, err := c.lastOf(c.ctx, s.name)
		if err == nil && p.owner == s.owner && p.open {
			s.mu.Lock()
			s.number++
			s.buf, s.end, s.beside, s.data = nil, p.end, p.beside, cmp.Or(p.data, p.seq)
			m := s.message(nil, false)
			s.mu.Unlock()
			if _, err = c.publish(c.ctx, c.records, m, s.id(s.number), p.seq); errors.Is(err, errOther) {
				continue // a message of ours was still under way
			}
		}
		if !lostRequest(err) {
			return
		}
	}
}

// lastOf is what the last message of a record says, and that message.
func (c *Cluster) lastOf(ctx context.Context, name string) (p position, m *jetstream.RawStreamMsg, err error) {
	if _, _, ok := record.ParseName(name); !ok {
		return p, nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if m, err = c.last(ctx, c.records, recordSubject(name)); errors.Is(err, fs.ErrNotExist) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err == nil {
		p, err = positionOf(m.Header, m.Sequence, int64(len(m.Data)))
	}
	if err == nil {
		if len(m.Data) > 0 {
			p.data = m.Sequence
		}
		c.backing.known.put(name, mark{p.seq, p.end})
	}
	return p, m, err
}

func (b *backing) Reopen(name string, dead bool) (record.Sink, error) {
	if err := b.live(); err != nil {
		return nil, err
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	if err != nil {
		return nil, err
	}
	if !dead {
		if running, err := b.running(ctx, p); err != nil || running {
			return nil, cmp.Or(err, error(record.ErrRunning))
		}
	}
	s := newSink(b, name)
	s.listed, s.end, s.data, s.beside, s.number, s.seqNumber = true, p.end, p.data, p.beside, 1, 1
	s.seq, err = b.c.publish(ctx, b.c.records, s.message(nil, true), s.id(1), p.seq)
	if errors.Is(err, errOther) { // somebody writes it
		return nil, record.ErrRunning
	}
	if err != nil {
		return nil, err
	}
	b.setOwn(name, nil, s)
	return s, nil
}

// running reports whether a record is open whose last message says that, and its
// process alive.
func (b *backing) running(ctx context.Context, p position) (bool, error) {
	if !p.open || p.process == b.c.id {
		return p.open, nil
	}
	return b.c.alive(ctx, p.process)
}

// Open returns a record of another process as it is stored, and one that is written here
// with what is not stored yet.
func (b *backing) Open(name string) (record.Source, error) {
	if s := b.own(name); s != nil {
		if from := s.source(); from != nil {
			return from, nil
		}
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, m, err := b.c.lastOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return &source{b: b, subject: recordSubject(name), at: p, last: m}, nil
}

// own is the writer that this process has of a record, nil where it has none.
func (b *backing) own(name string) *sink {
	b.ownMu.Lock()
	defer b.ownMu.Unlock()
	return b.owns[name]
}

func (b *backing) setOwn(name string, was, s *sink) {
	b.ownMu.Lock()
	defer b.ownMu.Unlock()
	switch {
	case s != nil:
		if b.owns == nil {
			b.owns = map[string]*sink{}
		}
		b.owns[name] = s
	case b.owns[name] == was:
		delete(b.owns, name)
	}
}

// source is the record as it was written up to now, nil where its writer has lost it.
func (s *sink) source() *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.seq == 0 || s.closing {
		return nil
	}
	return &source{b: s.b, subject: s.subject, tail: bytes.Clone(s.buf), at: position{seq: s.seq, owner: s.owner,
		process: s.b.c.id, end: s.end - int64(len(s.buf)), open: true, data: s.data, number: s.seqNumber}}
}

// source is a record as it was when it was opened.
type source struct {
	b       *backing
	subject string
	at      position                // of the last message
	last    *jetstream.RawStreamMsg // nil: only at is known of it
	tail    []byte                  // behind it

	mu  sync.Mutex
	all []byte // nil: it was not read
}

func (s *source) Size() (int64, error) { return s.at.end + int64(len(s.tail)), nil }
func (s *source) Close() error         { return nil }

func (s *source) Running() (bool, error) {
	ctx, cancel := s.b.c.bounded()
	defer cancel()
	return s.b.running(ctx, s.at)
}

func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	var from []byte
	if s.last != nil && off >= s.at.offset {
		from, off = s.last.Data, off-s.at.offset
	} else {
		var err error
		if from, err = s.read(); err != nil {
			return 0, err
		}
	}
	if off >= int64(len(from)) {
		return 0, io.EOF
	}
	n := copy(p, from[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read returns the whole record.
func (s *source) read() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all != nil {
		return s.all, nil
	}
	all := []byte{}
	var was position
	err := s.messages(func(header nats.Header, seq uint64, data []byte) (err error) {
		if was, err = positionOf(header, seq, int64(len(data))); err != nil {
			return err
		}
		if was.offset > int64(len(all)) {
			return fmt.Errorf("message %d of stream %s follows byte %d of the record, of which %d are there: messages are missing",
				seq, recordsStream, was.offset, len(all))
		}
		if all = append(all[:was.offset], data...); seq == s.at.seq || s.last != nil && s.at.follows(was) {
			err = errLast
		}
		return err
	})
	if err != nil && err != errLast {
		return nil, err
	}
	if s.last != nil && was.seq != s.at.seq {
		all = append(all[:min(s.at.offset, int64(len(all)))], s.last.Data...)
	}
	if int64(len(all)) != s.at.end {
		return nil, fmt.Errorf("the record has %d bytes, not %d: messages are missing", len(all), s.at.end)
	}
	s.all = append(all, s.tail...)
	return s.all, nil
}

// errLast ends the reading of messages: nothing else is needed.
var errLast = errors.New("the last message")

// few is how many messages are asked for one by one, before it pays to have them sent.
const few = 8

// messages calls f for the messages of the record in their order, until f returns an error.
func (s *source) messages(f func(nats.Header, uint64, []byte) error) error {
	ctx, cancel := s.b.c.bounded()
	defer cancel()
	seq, err := s.asked(ctx, 1, few, f)
	for err == nil { // the consumer may be lost with its server
		seq, err = s.sent(ctx, seq, f)
		if err == nil {
			seq, err = s.asked(ctx, seq, few, f)
		}
	}
	return err
}

// asked calls f for n messages from a sequence on, and returns the one behind them.
func (s *source) asked(ctx context.Context, seq uint64, n int, f func(nats.Header, uint64, []byte) error) (uint64, error) {
	for range n {
		m, err := s.b.c.next(ctx, s.b.c.records, s.subject, seq)
		if err == nil {
			err = f(m.Header, m.Sequence, m.Data)
		}
		if err != nil {
			return seq, err
		}
		seq = m.Sequence + 1
	}
	return seq, nil
}

// sent calls f for messages from a sequence on that a consumer sends, and returns the
// one behind them.
func (s *source) sent(ctx context.Context, seq uint64, f func(nats.Header, uint64, []byte) error) (uint64, error) {
	c := s.b.c
	var from jetstream.Consumer
	err := c.again(ctx, func(ctx context.Context) (err error) {
		from, err = c.records.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: s.subject,
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: seq, AckPolicy: jetstream.AckNonePolicy,
			MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute})
		return err
	})
	if err != nil {
		return seq, c.reached(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(c.ctx, each)
		defer cancel()
		c.records.DeleteConsumer(ctx, from.CachedInfo().Name) // else the engine does, a minute later
	}()
	for {
		batch, err := from.Fetch(batchSize, jetstream.FetchMaxWait(each))
		if err != nil {
			return seq, c.reached(err)
		}
		n := 0
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err == nil {
				err = f(m.Headers(), meta.Sequence.Stream, m.Data())
			}
			if err != nil {
				return seq, err
			}
			n, seq = n+1, meta.Sequence.Stream+1
		}
		if n < batchSize {
			return seq, nil
		}
	}
}

// batchSize is how many messages a consumer sends at once.
const batchSize = 256

// Edge returns the first line of the record or the last, without its line feed, from the
// message that has it; false: all must be read to know it.
func (s *source) Edge(last bool) ([]byte, bool, error) {
	s.mu.Lock()
	data := s.all
	s.mu.Unlock()
	switch {
	case data != nil:
	case last && len(s.tail) > 0:
		data = s.tail
	case s.last != nil && (last && len(s.last.Data) > 0 || !last && s.at.offset == 0 && s.at.number == 1):
		data = s.last.Data
	case last && s.at.data == 0:
		return nil, false, nil
	default:
		seq := uint64(1)
		if last {
			seq = s.at.data
		}
		ctx, cancel := s.b.c.bounded()
		defer cancel()
		m, err := s.b.c.next(ctx, s.b.c.records, s.subject, seq)
		if err != nil {
			return nil, false, err
		}
		p, err := positionOf(m.Header, m.Sequence, int64(len(m.Data)))
		if err != nil || last && p.end != s.at.end || !last && p.offset != 0 {
			return nil, false, err
		}
		data = m.Data
	}
	if !last {
		line, _, ok := bytes.Cut(data, []byte("\n"))
		return line, ok, nil
	}
	data, ok := bytes.CutSuffix(data, []byte("\n"))
	return data[bytes.LastIndexByte(data, '\n')+1:], ok, nil
}

// valuesOf are the subjects of what stands beside a record, with the rests of values.
func valuesOf(name string) string { return prefix + "val." + name[len(name)-idSize:] + ".>" }

func (s *sink) Beside(sum string, value []byte) error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := s.b.c.bounded()
	defer cancel()
	err = s.b.put(ctx, s.name, sum, value)
	if errors.Is(err, fs.ErrExist) { // its name is the digest of what it has
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beside += int64(len(value))
	s.put = append(s.put, besideSubject(s.name[len(s.name)-idSize:], sum))
	return nil
}

func (b *backing) Put(name, file string, value []byte) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	if _, _, err := b.c.lastOf(ctx, name); err != nil {
		return err
	}
	err := b.put(ctx, name, file, value)
	b.news.Tell()
	return err
}

// put keeps a value beside a record. The message that has its name is published last.
func (b *backing) put(ctx context.Context, name, file string, value []byte) error {
	m := nats.NewMsg(besideSubject(name[len(name)-idSize:], file))
	nonce := strings.ToLower(rand.Text())
	first := value[:min(len(value), part)]
	n := 0
	for rest := range slices.Chunk(value[len(first):], part) {
		n++
		p := nats.NewMsg(restSubject(m.Subject, nonce, n))
		p.Data = rest
		if _, err := b.c.publish(ctx, b.c.records, p, nonce+"."+strconv.Itoa(n), 0); err != nil {
			return err
		}
	}
	m.Data = first
	m.Header.Set(ownerHeader, nonce)
	m.Header.Set(partsHeader, strconv.Itoa(n))
	_, err := b.c.publish(ctx, b.c.records, m, nonce+".0", 0)
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%s: %w", file, fs.ErrExist)
		if n > 0 {
			err = errors.Join(err, b.c.purge(ctx, b.c.records, m.Subject+"."+nonce+".*"))
		}
	}
	return err
}

// restSubject is that of a part of a value, but its first one.
func restSubject(subject, nonce string, n int) string {
	return subject + "." + token(nonce) + "." + strconv.Itoa(n)
}

func (b *backing) Value(name, file string, max int64) ([]byte, error) {
	if _, _, ok := record.ParseName(name); !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	subject := besideSubject(name[len(name)-idSize:], file)
	m, err := b.c.last(ctx, b.c.records, subject)
	if err != nil {
		return nil, valueError(file, err)
	}
	nonce := m.Header.Get(ownerHeader)
	n, err := strconv.Atoi(m.Header.Get(partsHeader))
	if err != nil || n < 0 || int64(n) > max/part || len(nonce) > maxName {
		return nil, valueError(file, fmt.Errorf("message %d of stream %s has no valid %s and %s, or the value more than %d bytes",
			m.Sequence, recordsStream, ownerHeader, partsHeader, max))
	}
	value := m.Data
	for i := 1; i <= n; i++ {
		if m, err = b.c.last(ctx, b.c.records, restSubject(subject, nonce, i)); err != nil {
			return nil, valueError(file, err)
		}
		value = append(value, m.Data...)
		if int64(len(value)) > max {
			break
		}
	}
	if int64(len(value)) > max {
		return nil, valueError(file, fmt.Errorf("it has more than %d bytes", max))
	}
	return value, nil
}

func valueError(file string, err error) error { return &fs.PathError{Op: "read", Path: file, Err: err} }

func (b *backing) Values(name string) ([]string, error) {
	subjects, err := b.subjects(besideSubject(name[len(name)-idSize:], "0")[:len(prefix+"val.")+idSize] + ".*")
	if err != nil {
		return nil, err
	}
	var sums []string
	for _, s := range subjects {
		if file := untoken(s[strings.LastIndexByte(s, '.')+1:]); len(file) == 64 && strings.Trim(file, "0123456789abcdef") == "" {
			sums = append(sums, file)
		}
	}
	return sums, nil
}

// subjects are those of the records' stream that a pattern names.
func (b *backing) subjects(pattern string) ([]string, error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	var all []string
	err := b.c.again(ctx, func(ctx context.Context) error {
		info, err := b.c.records.Info(ctx, jetstream.WithSubjectFilter(pattern))
		if err != nil {
			return err
		}
		all = all[:0]
		for s := range info.State.Subjects {
			all = append(all, s)
		}
		return nil
	})
	return all, b.c.reached(err)
}

func (b *backing) Names() ([]string, error) { return b.names(prefix + "rec.*.*") }

// names are those of the records whose subjects a pattern names.
func (b *backing) names(pattern string) ([]string, error) {
	subjects, err := b.subjects(pattern)
	if err != nil {
		return nil, err
	}
	names := subjects[:0]
	for _, s := range subjects {
		if name := recordName(s); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (b *backing) Find(id string) ([]string, error) {
	if len(id) == idSize && token(id) == id {
		return b.names(prefix + "rec.*." + id)
	}
	names, err := b.Names()
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name[len(name)-idSize:], id) }), err
}

func (b *backing) Size(name string) (int64, error) {
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	return p.end + p.beside, err
}

func (b *backing) Remove(name string, spare func() error) error {
	ctx, cancel := b.c.bounded()
	defer cancel()
	p, _, err := b.c.lastOf(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil { // else nobody can write it, or read it
		running, err := b.running(ctx, p)
		if err == nil && running {
			err = record.ErrRunning
		}
		if err == nil && spare != nil {
			err = spare()
		}
		if err != nil {
			return err
		}
	}
	// Whoever goes on with it just now finds that its message is gone, and writes no more.
	if err := b.c.purge(ctx, b.c.records, recordSubject(name)); err != nil {
		return err
	}
	b.known.drop(name)
	return b.c.purge(ctx, b.c.records, valuesOf(name))
}

// Tidy looks now and then only: what is without a record is forgotten with its stream's
// age anyway.
func (b *backing) Tidy() error {
	b.tidying.Lock()
	defer b.tidying.Unlock()
	if time.Since(b.tidied) < tidyEvery {
		return nil
	}
	b.tidied = time.Now()
	names, err := b.Names()
	if err != nil {
		return err
	}
	left, err := b.subjects(prefix + "val.>") // after the names: a record that begins has its values first
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, name := range names {
		has[name[len(name)-idSize:]] = true
	}
	ctx, cancel := b.c.bounded()
	defer cancel()
	for _, subject := range left {
		id, _, _ := strings.Cut(strings.TrimPrefix(subject, prefix+"val."), ".")
		if has[id] {
			continue
		}
		m, err := b.c.last(ctx, b.c.records, subject)
		if err == nil && time.Since(m.Time) > stale {
			err = b.c.purge(ctx, b.c.records, subject)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

const (
	tidyEvery = 10 * time.Minute
	// stale is the age from which what stands beside no record is of a run that will not
	// begin any more.
	stale = 2 * jobAge
)
