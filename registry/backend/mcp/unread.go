package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxSkipped bounds the search for the end of a message that is too long, in multiples of
// the largest size of a message. After that the connection is closed, so that a server
// that never ends its line is not read forever.
const maxSkipped = 16

var (
	errFrameTooLong = errors.New("message too long")
	errEndless      = errors.New("a message without an end")
)

// tooLong returns an errFrameTooLong for a skipped answer. Its exchange fails, but the connection
// is kept.
func tooLong(max int) error {
	return fmt.Errorf("%w: more than %d bytes; ask for less, or raise usetools.maxMessageMB in its config entry",
		errFrameTooLong, max)
}

// idScanner finds the id of a message that is too long to be kept while its bytes pass. Some
// servers write the id first, some last. The zero value is ready for use.
type idScanner struct {
	depth             int
	inString, escaped bool
	token             []byte // the current key or value of the outermost object, so far
	key               string
	id                json.RawMessage
	request           bool // it has a method, so it is not an answer
	rpc               bool // it has the member jsonrpc
}

// maxToken bounds a key or an id, in bytes.
const maxToken = 256

func (s *idScanner) scan(data []byte) {
	for _, c := range data {
		if s.inString {
			s.keep(c)
			switch {
			case s.escaped:
				s.escaped = false
			case c == '\\':
				s.escaped = true
			case c == '"':
				s.inString = false
			}
			continue
		}
		switch c {
		case '"':
			s.inString = true
			s.keep(c)
		case '{', '[':
			s.depth++
			s.token = s.token[:0]
		case '}', ']':
			if s.depth == 1 {
				s.member()
			}
			s.depth--
		case ':':
			if s.depth == 1 {
				s.key, s.token = string(s.token), s.token[:0]
			}
		case ',':
			if s.depth == 1 {
				s.member()
			}
		case ' ', '\t', '\r', '\n':
		default:
			s.keep(c)
		}
	}
}

func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.token) <= maxToken {
		s.token = append(s.token, c)
	}
}

// member ends a member of the outermost object.
func (s *idScanner) member() {
	switch s.key {
	case `"id"`:
		if len(s.token) <= maxToken {
			s.id = bytes.Clone(s.token)
		}
	case `"method"`:
		s.request = true
	case `"jsonrpc"`:
		s.rpc = true
	}
	s.key, s.token = "", s.token[:0]
}

// response returns the id of the message if it is an answer.
func (s *idScanner) response() (id jsonrpc.ID, ok bool) {
	var v any
	if s.request || len(s.id) == 0 || json.Unmarshal(s.id, &v) != nil {
		return id, false
	}
	id, err := jsonrpc.MakeID(v)
	return id, err == nil && id.IsValid()
}

// instead returns the message that replaces one that is too long. It returns nil if that
// one was not an answer to a request of ours.
func (s *idScanner) instead(cs *captures, max int) *jsonrpc.Response {
	return s.refusal(cs, tooLong(max))
}

// refusal returns an answer with an error of our own.
func (s *idScanner) refusal(cs *captures, err error) *jsonrpc.Response {
	id, ok := s.response()
	if !ok {
		return nil
	}
	cs.fail(id, err)
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}}
}

// errUnreadable is the error of a call with an unreadable answer.
var errUnreadable = errors.New("its answer cannot be read")

// unreadable returns the message that replaces an undecodable one, so that its call ends: Python
// servers write NaN, others truncate their answers. It returns nil if the data does not look like
// an answer, or is incomplete because the connection has ended.
func unreadable(cs *captures, data []byte, complete bool) *jsonrpc.Response {
	var s idScanner
	s.scan(data)
	if !s.rpc || !complete {
		return nil
	}
	err := errors.New("its members do not have JSON-RPC's types")
	if _, bad := decodeEnvelope(data); bad != nil {
		err = bad
	}
	return s.refusal(cs, fmt.Errorf("%w: %w", errUnreadable, err))
}
