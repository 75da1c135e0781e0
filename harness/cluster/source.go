package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// source is a record as it was when it was opened.
type source struct {
	b       *backing
	subject string
	at      position // of the last message
	last    []byte   // its bytes

	mu  sync.Mutex
	all []byte // the whole record; nil before it is read
}

func (s *source) Size() (int64, error) { return s.at.end, nil }
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
	if off >= s.at.offset {
		from, off = s.last, off-s.at.offset
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
			return fmt.Errorf("message %d of stream %s begins at byte %d, but the messages before it have %d bytes: messages are missing",
				seq, recordsStream, was.offset, len(all))
		}
		if all = append(all[:was.offset], data...); seq == s.at.seq || s.at.follows(was) {
			err = errLast
		}
		return err
	})
	if err != nil && err != errLast {
		return nil, err
	}
	if was.seq != s.at.seq {
		all = append(all[:min(s.at.offset, int64(len(all)))], s.last...)
	}
	if int64(len(all)) != s.at.end {
		return nil, fmt.Errorf("the record has %d bytes, not %d: messages are missing", len(all), s.at.end)
	}
	s.all = all
	return all, nil
}

// errLast stops the reading of messages after the last one that is needed.
var errLast = errors.New("the last message")

// maxSingleReads is the number of messages up to which they are requested one by one; more are streamed.
const maxSingleReads = 16

// messages calls f for the messages of the record in order, until f returns an error.
func (s *source) messages(f func(nats.Header, uint64, []byte) error) error {
	c := s.b.c
	ctx, cancel := c.bounded()
	defer cancel()
	if s.at.number > maxSingleReads {
		return c.eachOf(ctx, recordsStream, &jetstream.OrderedConsumerConfig{FilterSubjects: []string{s.subject}}, func(m jetstream.Msg) error {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			return f(m.Headers(), meta.Sequence.Stream, m.Data())
		})
	}
	for seq := uint64(1); ; {
		m, err := c.next(ctx, c.records, s.subject, seq)
		if err == nil {
			err = f(m.Header, m.Sequence, m.Data)
		}
		if err != nil {
			return err
		}
		seq = m.Sequence + 1
	}
}

// Edge returns the first or the last line of the record, without its line feed, by reading only the
// message that has it. It returns false if the whole record must be read for it.
func (s *source) Edge(last bool) ([]byte, bool, error) {
	s.mu.Lock()
	data := s.all
	s.mu.Unlock()
	switch {
	case data != nil:
	case last && len(s.last) > 0, !last && s.at.offset == 0 && s.at.number == 1:
		data = s.last
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
