package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
)

// kind is the first byte of a frame.
type kind byte

const (
	// parent to worker
	kindRehearse kind = 'H'
	kindScript   kind = 'S'
	kindTools    kind = 'T'
	kindGo       kind = 'G'
	kindResult   kind = 'R'
	kindFailed   kind = 'F'
	kindAdvance  kind = 'A' // in a replay: the next timer goes off
	kindLive     kind = 'L' // which ends it
	kindParked   kind = 'P' // a call gets no answer
	// worker to parent
	kindReady   kind = 'r'
	kindNeeds   kind = 'n'
	kindPlan    kind = 'p'
	kindLowered kind = 'l'
	kindErrors  kind = 'e'
	kindClock   kind = 'k' // comes before a call or done
	kindCall    kind = 'c'
	kindStill   kind = 's' // in a replay, or when calls are parked
	kindValue   kind = 'v'
	kindWarn    kind = 'w'
	kindDone    kind = 'd'
)

func (k kind) String() string { return fmt.Sprintf("%q", byte(k)) }

const (
	headerSize = 5
	// maxFrameToWorker bounds what a worker accepts: tools' sources, results.
	maxFrameToWorker = 256 << 20
	// maxFrameToParent bounds what the parent accepts: arguments, values.
	maxFrameToParent = 32 << 20
	// maxReport bounds those that are decoded into lists of structs: two bytes
	// of JSON can become a hundred in memory.
	maxReport = 2 << 20
)

// limit bounds the payloads of a kind.
func (k kind) limit() int64 {
	switch k {
	case kindReady, kindWarn, kindStill:
		return 64 << 10
	case kindNeeds, kindPlan, kindErrors, kindClock, kindDone:
		return maxReport
	case kindCall:
		return maxArgs + 64<<10
	}
	return math.MaxUint32
}

// errFrame is returned when bytes are no frame.
var errFrame = errors.New("malformed frame")

// frameWriter writes frames; it is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// write sends a frame whose payload is the parts one behind the other.
func (w *frameWriter) write(k kind, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	buf := make([]byte, headerSize, headerSize+min(n, maxJoined))
	binary.LittleEndian.PutUint32(buf, uint32(n))
	buf[4] = byte(k)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range parts {
		if len(buf)+len(p) > cap(buf) { // it is large, and not copied
			if _, err := w.w.Write(buf); err != nil {
				return err
			}
			if buf = buf[:0]; len(p) > cap(buf) {
				if _, err := w.w.Write(p); err != nil {
					return err
				}
				continue
			}
		}
		buf = append(buf, p...)
	}
	_, err := w.w.Write(buf)
	return err
}

// maxJoined is up to how many bytes a frame is written at once.
const maxJoined = 64 << 10

func (w *frameWriter) writeJSON(k kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write(k, b)
}

// readFrame reads one frame. It returns io.EOF at a clean end, errFrame for
// bytes that cannot be one, io.ErrUnexpectedEOF for half a frame. Memory is
// only taken as the bytes arrive: a length alone costs nothing.
func readFrame(r io.Reader, limit int) (kind, []byte, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(h[:]))
	if most := min(int64(limit), kind(h[4]).limit()); n > most {
		return 0, nil, fmt.Errorf("%w: %d bytes, at most %d", errFrame, n, most)
	}
	if n <= 64<<10 {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return kind(h[4]), b, err
	}
	b, err := io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	return kind(h[4]), b, err
}

// numbered splits the number off the payload of a call or result.
func numbered(b []byte) (uint32, []byte, error) {
	if len(b) < 4 {
		return 0, nil, fmt.Errorf("%w: no number", errFrame)
	}
	return binary.LittleEndian.Uint32(b), b[4:], nil
}

// writeResult sends the result of a call: behind its number the time, in ns since
// 1970 or 0, and then the result as it is, which nobody reads on the way.
func (w *frameWriter) writeResult(n uint32, at int64, raw []byte) error {
	return w.write(kindResult, binary.LittleEndian.AppendUint64(number(n), uint64(at)), raw)
}

// resultOf is the result in a frame, or how the call failed. A faulty one is an error
// of its call.
func resultOf(k kind, b []byte) (n uint32, r result, err error) {
	n, payload, err := numbered(b)
	if err != nil {
		return 0, r, err
	}
	if k == kindFailed {
		if err := json.Unmarshal(payload, &r); err != nil {
			r.Error = err.Error()
		}
		return n, r, nil
	}
	if len(payload) < 8 {
		return 0, r, fmt.Errorf("%w: no time", errFrame)
	}
	r.At, r.Result = int64(binary.LittleEndian.Uint64(payload)), payload[8:]
	return n, r, nil
}

func number(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
