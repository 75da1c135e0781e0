package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// events is a stream of server-sent events. It rewrites messages as they pass. It drops other
// data and keeps the other fields of an event, so that a server that logs into the stream does
// not break it.
type events struct {
	body    io.ReadCloser
	rewrite func(data []byte) (out []byte, ok bool)
	// instead returns the data for an event that is too long. If nil, the data is
	// dropped.
	instead func(*idScanner) []byte
	max     int // limit of an event, in bytes

	r   *bufio.Reader
	out bytes.Buffer // to be read
	err error        // returned after out
}

func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	return e.out.Read(p)
}

func (e *events) Close() error { return e.body.Close() }

// next reads one event into out. It drops an event that the end of the stream truncates, as the
// specification of event streams requires. In an event that is too long, it only looks for the
// id.
func (e *events) next() {
	if e.r == nil {
		e.r = bufio.NewReader(e.body)
	}
	e.out.Reset()
	var data, other, line []byte
	var long *idScanner // if the event is too long
	message, begins := true, true
	for size, skipped := 0, 0; ; {
		part, err := e.r.ReadSlice('\n') // a line, or a part of one
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			e.err = err
			return
		}
		blank := begins && len(bytes.TrimRight(part, "\r\n")) == 0
		begins = err == nil
		switch size += len(part); {
		case long != nil:
			skipped += len(part)
		case size > e.max:
			long = &idScanner{}
			long.scan(data)
			long.scan(line)
		}
		switch {
		case skipped/maxSkipped > e.max:
			e.err = fmt.Errorf("%w: more than %d bytes", errEndless, size)
			return
		case long != nil && blank:
			e.emit(e.instead(long), nil, false)
			return
		case long != nil: // names of fields between its lines do not hide an id
			long.scan(part)
			continue
		case blank:
			e.emit(data, other, message)
			return
		}
		if line = append(line, part...); !begins {
			continue
		}
		line = bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		if string(field) == "data" {
			data = append(append(data, value...), '\n')
		} else {
			other = append(append(other, line...), '\n')
		}
		if string(field) == "event" {
			message = len(value) == 0 || string(value) == "message"
		}
		line = line[:0]
	}
}

func (e *events) emit(data, other []byte, message bool) {
	data = bytes.TrimSuffix(data, []byte("\n"))
	if message && len(data) > 0 {
		var ok bool
		if data, ok = e.rewrite(data); !ok {
			data = nil
		}
	}
	e.out.Write(other)
	if len(data) > 0 {
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			e.out.WriteString("data: ")
			e.out.Write(line)
			e.out.WriteByte('\n')
		}
	}
	e.out.WriteByte('\n')
}
