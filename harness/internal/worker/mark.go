package worker

import (
	"bytes"
	"crypto/rand"
	"time"

	"github.com/usetools/usetools/harness/internal/exec"
)

// Printed receives text that a script printed at a line, in order, and the time when it was
// read. The line is 0 if it is unknown, because native code wrote the text. The bytes are valid
// until Printed returns.
type Printed func(at time.Time, line int, text []byte)

// newMark returns an unguessable mark. It begins with a byte that is rare in text.
func newMark() []byte {
	mark := make([]byte, exec.MarkSize)
	rand.Read(mark[1:]) // never fails
	return mark
}

// marked processes a part of a stream with marks. The stream is untrusted: a line that the
// script does not have becomes 0, and a mark without text becomes text.
func (c *capture) marked(b []byte) error {
	if len(c.part) > 0 {
		b = append(c.part, b...)
		c.part = nil
	}
	text := b[:0] // of c.line, over the heads before it
	for len(b) > 0 {
		if c.size == 0 && bytes.HasPrefix(b, c.mark) {
			line, size, n := exec.ReadHead(b[len(c.mark):])
			if n == 0 && len(b) < exec.MaxHead {
				break // the rest has yet to arrive
			}
			if n > 0 {
				if line > c.lines {
					line = 0
				}
				if err := c.turn(line, &text, b); err != nil {
					return err
				}
				c.size, b = size, b[len(c.mark)+n:]
				continue
			}
		}
		n := min(c.size, len(b))
		if c.size > 0 {
			c.size -= n
		} else {
			if err := c.turn(0, &text, b); err != nil {
				return err
			}
			if n = unmarked(b, c.mark); n == 0 {
				break
			}
		}
		text = append(text, b[:n]...)
		b = b[n:]
	}
	c.part = bytes.Clone(b)
	return c.print(c.line, text)
}

// turn prints and empties text if the line changes. b is the unread rest behind it.
func (c *capture) turn(line int, text *[]byte, b []byte) error {
	if line == c.line {
		return nil
	}
	err := c.print(c.line, *text)
	c.line, *text = line, b[:0]
	return err
}

// unmarked returns the number of bytes in b before a mark or the beginning of one. A mark at
// the beginning of b is counted as text.
func unmarked(b, mark []byte) int {
	begin := 0
	if bytes.HasPrefix(b, mark) {
		begin = len(mark)
	}
	for i := begin; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], mark[0])
		if n < 0 {
			break
		}
		i += n
		if rest := b[i:]; bytes.HasPrefix(mark, rest[:min(len(rest), len(mark))]) {
			return i
		}
	}
	return len(b)
}
