package runtime

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"sync"
)

// Printed text has a head in the script's streams, where somebody wants to know at
// which line it was printed: Config.Mark, which nobody else knows, and two numbers
// (binary.Uvarint), the line and how many bytes of text follow, at least one. Text
// without a head is what native code has written: an encoder, or a buffer when it was
// flushed.

const (
	MarkSize = 6                                  // bytes of a mark
	MaxHead  = MarkSize + 2*binary.MaxVarintLen32 // of a head
)

// ReadHead returns what is behind the mark of a head, and how many bytes that is: 0 where
// there are not enough, or where they are no head.
func ReadHead(b []byte) (line, size, read int) {
	x, n := binary.Uvarint(b)
	y, m := binary.Uvarint(b[max(0, n):])
	if n <= 0 || m <= 0 || x > math.MaxInt32 || y == 0 || y > math.MaxInt32 {
		return 0, 0, 0
	}
	return int(x), int(y), n + m
}

// marks returns w as a file if it is one of the script's own streams, and what line
// prints there is to be marked; else nil.
func (m *Machine) marks(line int, w io.Writer) *os.File {
	if m.cfg.Mark == nil || line <= 0 {
		return nil
	}
	f, ok := w.(*os.File)
	if !ok || f != m.cfg.Stdout && f != m.cfg.Stderr {
		return nil
	}
	return f
}

// maxSpare bounds the buffers that are used again, in bytes.
const maxSpare = 64 << 10

var spare = sync.Pool{New: func() any { return new(make([]byte, 0, 256)) }}

// begin returns a buffer with the room of a head.
func (m *Machine) begin() *[]byte {
	b := spare.Get().(*[]byte)
	*b = (*b)[:MaxHead]
	return b
}

// write writes text, which stands behind the room of a head in a buffer of begin's.
func (m *Machine) write(f *os.File, line int, b *[]byte, text []byte) (int, error) {
	n := len(text) - MaxHead
	if n == 0 || n > math.MaxInt32 {
		return f.Write(text[MaxHead:])
	}
	var head [MaxHead]byte
	h := append(head[:0], m.cfg.Mark...)
	h = binary.AppendUvarint(h, uint64(line))
	h = binary.AppendUvarint(h, uint64(n))
	begin := MaxHead - len(h)
	copy(text[begin:], h)
	wrote, err := f.Write(text[begin:])
	if cap(text) <= maxSpare {
		*b = text
		spare.Put(b)
	}
	return max(0, wrote-len(h)), err
}
