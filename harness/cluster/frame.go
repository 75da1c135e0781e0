package cluster

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// A runner sends a front end frames: a letter that names the kind, the
// number of bytes of the whole in eight hexadecimal digits, and the bytes. Of one that is
// larger than part all messages but the last begin with frameMore.
const (
	frameCall   = 'c' // JSON of a *record.Call
	frameDone   = 'd' // of a *record.Done
	frameStdout = 'o' // text as it was printed
	frameStderr = 'e'
	frameResult = 'r' // as outcome.Encode makes it
	frameError  = 'f' // as harness.EncodeError makes it
	frameMore   = '+'

	frameHead = 1 + 8
	// maxFrame bounds a frame, in bytes.
	maxFrame = 256 << 20
)

// sendFrame publishes a frame. reply, if not "", is where its last message is answered.
func (c *Cluster) sendFrame(subject, reply string, kind byte, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("a frame of %d bytes; the most is %d", len(body), maxFrame)
	}
	for size := len(body); ; {
		msg := &nats.Msg{Subject: subject}
		k, n := kind, len(body)
		if n > part {
			k, n = frameMore, part
		} else {
			msg.Reply = reply
		}
		msg.Data = append(fmt.Appendf(make([]byte, 0, frameHead+n), "%c%08x", k, size), body[:n]...)
		if err := c.conn.PublishMsg(msg); err != nil {
			return err
		}
		if body = body[n:]; k != frameMore {
			return nil
		}
	}
}

// frames puts the messages of one sender together.
type frames struct{ buf []byte }

var errFrame = errors.New("a frame that is not whole")

// add takes a message, and returns the frame that it ends; kind 0: it ends none. One of
// which a message was lost is an error.
func (f *frames) add(b []byte) (kind byte, body []byte, err error) {
	if len(b) < frameHead {
		f.buf = nil
		return 0, nil, errFrame
	}
	kind = b[0]
	size, err := strconv.ParseUint(string(b[1:frameHead]), 16, 32)
	rest := b[frameHead:]
	if err != nil || size > maxFrame || len(f.buf)+len(rest) > int(size) {
		f.buf = nil
		return 0, nil, errFrame
	}
	if kind == frameMore {
		f.buf = append(f.buf, rest...)
		return 0, nil, nil
	}
	body, f.buf = append(f.buf, rest...), nil
	if len(body) != int(size) {
		return 0, nil, errFrame
	}
	return kind, body, nil
}
