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
	kindLive     kind = 'L' // ends the replay
	kindParked   kind = 'P' // a call gets no answer in this run
	// worker to parent
	kindReady   kind = 'r'
	kindNeeds   kind = 'n'
	kindPlan    kind = 'p'
	kindLowered kind = 'l'
	kindErrors  kind = 'e'
	kindClock   kind = 'k' // sent before a call or done
	kindCall    kind = 'c'
	kindStill   kind = 's' // in a replay, or when calls are parked
	kindValue   kind = 'v'
	kindWarn    kind = 'w'
	kindDone    kind = 'd'
)

func (k kind) String() string { return fmt.Sprintf("%q", byte(k)) }

const (
	headerSize = 5
	// maxFrameToWorker limits the frames to a worker, such as sources of tools and results.
	maxFrameToWorker = 256 << 20
	// maxFrameToParent limits the frames to the parent, such as arguments and values.
	maxFrameToParent = 32 << 20
	// maxReport limits frames that are decoded into lists of structs, because two bytes of JSON
	// can become a hundred in memory.
	maxReport = 2 << 20
)

// limit returns the maximum payload of a kind.
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

// errFrame is returned for bytes that are not a valid frame.
var errFrame = errors.New("malformed frame")

// frameWriter writes frames; it is safe for concurrent use.
type frameWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// write sends a frame whose payload is the concatenated parts.
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
		if len(buf)+len(p) > cap(buf) { // too large to copy
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

// maxJoined is the size up to which a frame is sent in one write.
const maxJoined = 64 << 10

func (w *frameWriter) writeJSON(k kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write(k, b)
}

// readFrame reads one frame. It returns io.EOF at a clean end, errFrame for an invalid frame,
// and io.ErrUnexpectedEOF for an incomplete one. It allocates memory only as bytes arrive, so a
// large length alone costs nothing.
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

// writeResult sends the result of a call: its number, the time in ns since 1970 or 0, and the
// unchanged result, which is not parsed on the way.
func (w *frameWriter) writeResult(n uint32, at int64, raw []byte) error {
	return w.write(kindResult, binary.LittleEndian.AppendUint64(number(n), uint64(at)), raw)
}

// resultOf returns the result in a frame, or the error of the call. An invalid error becomes
// the call's error.
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
