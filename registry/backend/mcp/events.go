package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// events is a stream of server-sent events whose messages are rewritten as
// they pass. Data that is no message is dropped, its event's other fields
// stay: a server that logs into the stream does not break it.
type events struct {
	body    io.ReadCloser
	rewrite func(data []byte) (out []byte, ok bool)
	// instead makes the data of an event that is too long; nil data: it is
	// dropped.
	instead func(*idScanner) []byte
	max     int // bytes of an event

	r   *bufio.Reader
	out bytes.Buffer // ready to be read
	err error        // after out
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

// next reads one event into out. An event that the stream's end cuts off is
// dropped, as the specification of event streams demands.
func (e *events) next() {
	if e.r == nil {
		e.r = bufio.NewReader(e.body)
	}
	e.out.Reset()
	var data, other []byte
	message, size := true, 0
	for {
		line, err := e.line(e.max - size)
		if errors.Is(err, errFrameTooLong) {
			data, err = e.skip(data, line)
			if err == nil {
				e.emit(data, nil, false)
				return
			}
		}
		if err != nil {
			e.err = err
			return
		}
		size += len(line)
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			e.emit(data, other, message)
			return
		case string(field) == "data":
			data = append(append(data, value...), '\n')
			continue
		case string(field) == "event":
			message = len(value) == 0 || string(value) == "message"
		}
		other = append(append(other, line...), '\n')
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

// line reads one line without its end. The error of one with more than left
// bytes is errFrameTooLong; its rest is still to be read.
func (e *events) line(left int) ([]byte, error) {
	var line []byte
	for {
		part, err := e.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > left && (err == nil || errors.Is(err, bufio.ErrBufferFull)) {
			return line, errFrameTooLong
		}
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// skip reads past an event that is too long, of which data and a part of a line
// were read, and returns the data to put in its place.
func (e *events) skip(data, line []byte) ([]byte, error) {
	var long idScanner
	long.scan(data)
	isData := bytes.HasPrefix(line, dataField)
	if isData {
		long.scan(line[len(dataField):])
	}
	for n := 0; n/maxSkipped <= e.max; {
		begins := line[len(line)-1] == '\n'
		var err error
		if line, err = e.r.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		n += len(line)
		text := line
		if begins {
			if len(bytes.TrimRight(line, "\r\n")) == 0 {
				return e.instead(&long), nil
			}
			if isData = bytes.HasPrefix(line, dataField); isData {
				text = line[len(dataField):]
			}
		}
		if isData {
			long.scan(text)
		}
	}
	return nil, fmt.Errorf("%w: more than %d bytes", errEndless, maxSkipped*e.max)
}

var dataField = []byte("data:")
