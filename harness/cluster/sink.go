package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness/record/store"
)

// flushDelay is how long written bytes wait for more bytes before they are sent.
const flushDelay = 20 * time.Millisecond

// sink writes a record. It publishes each message on the condition that the previous one is the
// last of its subject, so that no other process has written.
type sink struct {
	b              *backing
	name, subject  string
	owner          string
	mu             sync.Mutex
	idle           *sync.Cond // signaled when a message is stored, or the sink has failed
	buf            []byte     // bytes that are not stored
	end            int64      // of the record, with buf
	beside         int64      // bytes of values beside it
	seq, data      uint64     // of the last message, and of the last one with bytes, or 0
	number         int        // of the message that was sent last
	listed         bool       // the first message may be sent
	sending, timed bool       // a message is under way, or is due
	closing        bool       // nothing more is written
	ended          bool       // the last line is an End: nothing more is expected
	closed         bool       // the last message says that the record is closed
	put            []string   // subjects of the values that it stored beside the record
	err            error      // the permanent error
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
		return 0, store.ErrClosed
	}
	s.buf, s.ended = append(s.buf, p...), false
	s.end += int64(len(p))
	if s.listed && !s.sending && !s.timed {
		s.timed = true
		time.AfterFunc(flushDelay, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.timed = false
			s.send()
		})
	}
	return len(p), nil
}

// End notes that the last line is an End. Its message then closes the record, so that Close need
// not.
func (s *sink) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// send sends the written bytes in the background. The caller holds mu.
func (s *sink) send() {
	if s.sending || s.err != nil || !s.listed || len(s.buf) == 0 && (!s.closing || s.closed) {
		return
	}
	if err := s.b.c.ctx.Err(); err != nil {
		s.fail(s.b.c.reached(err))
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
	data := s.buf[:min(len(s.buf), maxPart)]
	open := !s.closing && !s.ended || len(data) < len(s.buf)
	s.number++
	m := s.message(data, open)
	last := s.seq
	s.mu.Unlock()
	ctx, cancel := s.b.c.bounded()
	seq, err := s.b.c.publish(ctx, s.b.c.records, m, s.id(s.number), last)
	cancel()
	s.mu.Lock()
	if errors.Is(err, errConflict) {
		err = fmt.Errorf("%w: %w", store.ErrTaken, err)
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.seq, s.closed, s.buf = seq, !open, s.buf[len(data):]
	s.b.known.put(mark{s.name, s.seq, s.end - int64(len(s.buf)), s.beside})
	if len(data) > 0 {
		s.data = seq
	}
	s.idle.Broadcast()
}

// id returns the unique ID of a message of this owner.
func (s *sink) id(number int) string { return s.owner + "." + strconv.Itoa(number) }

// message returns the next message. The caller holds mu.
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

// fail ends the writing with an error. The caller holds mu.
func (s *sink) fail(err error) {
	s.err = cmp.Or(s.err, err)
	s.idle.Broadcast()
}

// stored waits until all bytes written before are stored and, if the sink is closing, the record is
// closed. The sink fails after AckWait. The caller holds mu.
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

// Sync returns when all bytes written before are stored. After a long wait it also checks
// that this process still owns the record.
func (s *sink) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := time.Now()
	err := s.stored()
	for err == nil && time.Since(begun) > s.b.c.o.AckWait/2 {
		begun = time.Now()
		err = s.owned()
	}
	return err
}

// owned returns an error if another process has written to the record. The caller holds mu.
func (s *sink) owned() error {
	s.mu.Unlock()
	ctx, cancel := s.b.c.bounded()
	p, _, err := s.b.c.lastOf(ctx, s.name)
	cancel()
	s.mu.Lock()
	if err == nil && p.owner != s.owner {
		err = fmt.Errorf("%w: %w", store.ErrTaken, errConflict)
	}
	if err != nil {
		s.fail(err)
	}
	return s.err
}

func (s *sink) Publish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
	return s.stored()
}

// Cut leaves the bytes in the stream. The offset of the next message cuts them off.
func (s *sink) Cut(size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buf) > 0 || s.sending {
		return errors.New("cutting a record that is being written")
	}
	if size > s.end { // another process has written to it since
		return fmt.Errorf("%w: cutting a record of %d bytes at byte %d", store.ErrTaken, s.end, size)
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
	if err != nil && !errors.Is(err, store.ErrTaken) {
		s.b.c.work.Go(s.leave)
	}
	s.b.news.Notify()
	return err
}

// leave closes an incompletely stored record as soon as the engine can be reached, so that other
// processes see that its writer is gone.
func (s *sink) leave() {
	c := s.b.c
	s.mu.Lock()
	for s.sending {
		s.idle.Wait()
	}
	s.mu.Unlock()
	for c.ctx.Err() == nil {
		p, _, err := c.lastOf(c.ctx, s.name)
		if err == nil && p.owner == s.owner && p.open {
			s.mu.Lock()
			s.number++
			s.buf, s.end, s.beside, s.data = nil, p.end, p.beside, cmp.Or(p.data, p.seq)
			m := s.message(nil, false)
			s.mu.Unlock()
			if _, err = c.publish(c.ctx, c.records, m, s.id(s.number), p.seq); errors.Is(err, errConflict) {
				continue // an own message was still under way
			}
		}
		if !lostRequest(err) {
			return
		}
	}
}
