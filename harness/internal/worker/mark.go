package worker

import (
	"bytes"
	"crypto/rand"
	"time"

	"github.com/usetools/usetools/harness/internal/exec"
)

// Printed is told what a script printed at a line, in the order in which it came, and
// when it was read; line 0: it is not known which, since native code wrote it. The bytes
// are valid until it returns.
type Printed func(at time.Time, line int, text []byte)

// newMark returns what nobody else knows. It begins with a byte that text hardly has.
func newMark() []byte {
	mark := make([]byte, exec.MarkSize)
	rand.Read(mark[1:]) // never fails
	return mark
}

// marked takes a part of a stream with marks. Nothing of it is believed: a line that
// the script does not have is none, and a mark without text is text.
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
				break // the rest of it comes
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

// turn prints text before that of another line comes, and empties it: b is behind it.
func (c *capture) turn(line int, text *[]byte, b []byte) error {
	if line == c.line {
		return nil
	}
	err := c.print(c.line, *text)
	c.line, *text = line, b[:0]
	return err
}

// unmarked is how many bytes of b come before what is, or may be the beginning of, a
// mark; of a mark that begins b at least those.
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
