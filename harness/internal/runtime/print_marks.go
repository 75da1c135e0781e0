package runtime

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"sync"
)

// If Config.Mark is set, printed text has a head in the script's streams, which tells the
// line that printed it. The head is the mark, which is secret, and two numbers
// (binary.Uvarint): the line and the length of the text that follows, at least one byte.
// Text without a head was written by native code: an encoder, or a buffer when it was
// flushed.

const (
	MarkSize = 6                                  // bytes of a mark
	MaxHead  = MarkSize + 2*binary.MaxVarintLen32 // maximum bytes of a head
)

// ReadHead decodes the numbers of a head, after its mark, and returns how many bytes they
// take. read is 0 if b is too short, or is not a head.
func ReadHead(b []byte) (line, size, read int) {
	x, n := binary.Uvarint(b)
	y, m := binary.Uvarint(b[max(0, n):])
	if n <= 0 || m <= 0 || x > math.MaxInt32 || y == 0 || y > math.MaxInt32 {
		return 0, 0, 0
	}
	return int(x), int(y), n + m
}

// marks returns w as a file if it is one of the script's own streams and prints of this
// line are to be marked. Otherwise it returns nil.
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

// maxSpare is the maximum size in bytes of a buffer that is reused.
const maxSpare = 64 << 10

var spare = sync.Pool{New: func() any { return new(make([]byte, 0, 256)) }}

// headBuffer returns a buffer with room for a head.
func (m *Machine) headBuffer() *[]byte {
	b := spare.Get().(*[]byte)
	*b = (*b)[:MaxHead]
	return b
}

// writeMarked writes text, which follows the room for a head in a buffer from begin.
func (m *Machine) writeMarked(f *os.File, line int, b *[]byte, text []byte) (int, error) {
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
