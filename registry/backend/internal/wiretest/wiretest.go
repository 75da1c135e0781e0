// Package wiretest has an HTTP server that counts the requests at its sockets and injects faults.
package wiretest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/usetools/usetools/registry/backend"
)

// Mark is in the target or the body of requests that [Server.Seen] counts.
const Mark = "the-call"

// Fault is what happens to one request.
type Fault struct {
	// At says how far the request is read: to its "first byte" or to the end of its "headers". If
	// empty, it is read to its end.
	At string
	// Answer is then written unchanged. If empty, it is the server's usual answer.
	Answer string
	Reset  bool   // reset the connection afterwards
	Silent func() // called afterwards, and nothing else is answered
}

// Status is a fault that answers with a status. headers end with CR LF.
func Status(code int, headers, body string) Fault {
	return Fault{Answer: fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", code, http.StatusText(code),
		headers, len(body), body)}
}

// Server is an HTTP/1 server.
type Server struct {
	URL string
	// answer answers a request that was read, by writing the response.
	answer func(w io.Writer, r *http.Request, body []byte)
	l      net.Listener
	ends   sync.WaitGroup

	mu      sync.Mutex
	fault   *Fault            // of the next request
	conns   map[net.Conn]bool // whether it had a request
	arrived int               // requests since Next with at least one byte
	seen    []*http.Request
	used    []bool // for each: whether its connection had an earlier request
}

// New starts a server that runs until the end of the test.
func New(t testing.TB, answer func(w io.Writer, r *http.Request, body []byte)) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{URL: "http://" + l.Addr().String(), answer: answer, l: l, conns: map[net.Conn]bool{}}
	s.ends.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = false
			s.mu.Unlock()
			s.ends.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		s.Stop()
		s.HangUp(false)
		s.ends.Wait()
	})
	return s
}

// Stop refuses new connections.
func (s *Server) Stop() { s.l.Close() }

// HangUp closes all connections, or only those that had a request.
func (s *Server) HangUp(used bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, had := range s.conns {
		if had || !used {
			c.Close()
		}
	}
}

// Ask returns a [backend.Send] that counts the calls of Sending, and then returns the result of
// then.
func Ask(effect bool, key string, then func() error) (*backend.Send, *int) {
	n := 0
	return &backend.Send{Effect: effect, Key: key, Sending: func(context.Context) error {
		n++
		return then()
	}}, &n
}

// Next injects a fault into the next marked request, or none if nil, and restarts the counts. A
// request that is not read to its end is not checked for the mark, so it must be the only one.
func (s *Server) Next(f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.arrived, s.seen, s.used = f, 0, nil, nil
}

// Arrived returns the number of requests since Next with at least one byte.
func (s *Server) Arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// Seen returns the marked requests since Next, including those that were broken off, and how many
// came over a connection that was used before.
func (s *Server) Seen() (seen []*http.Request, used int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.used {
		if u {
			used++
		}
	}
	return append([]*http.Request(nil), s.seen...), used
}

// take returns the fault for a request that was read up to a point, and counts the request if it
// is marked or gets a fault.
func (s *Server) take(at string, r *http.Request, marked, used bool) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == "first byte" {
		s.arrived++
	}
	f := s.fault
	if f != nil && f.At != at || at == "" && !marked {
		f = nil
	}
	if f != nil || marked {
		s.seen, s.used = append(s.seen, r), append(s.used, used)
	}
	if f != nil {
		s.fault = nil
	}
	return f
}

func (s *Server) serve(c net.Conn) {
	defer func() {
		c.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, c)
	}()
	in := bufio.NewReader(c)
	for used := false; ; used = true {
		if _, err := in.Peek(1); err != nil {
			return
		}
		if f := s.take("first byte", nil, false, used); f != nil {
			f.happen(c)
			return
		}
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if f := s.take("headers", r, false, used); f != nil {
			f.happen(c)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		marked := strings.Contains(r.RequestURI, Mark) || bytes.Contains(body, []byte(Mark))
		switch f := s.take("", r, marked, used); {
		case f == nil || f.Answer == "" && !f.Reset && f.Silent == nil:
			s.answer(c, r, body)
		case f.Silent != nil:
			io.WriteString(c, f.Answer)
			f.Silent()
			continue
		case !f.happen(c):
			return
		}
		if r.Close {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.mu.Unlock()
	}
}

// happen executes a fault after the reading. isOpen says whether the connection continues.
func (f *Fault) happen(c net.Conn) (isOpen bool) {
	io.WriteString(c, f.Answer)
	if f.Reset {
		c.(*net.TCPConn).SetLinger(0)
	}
	return !f.Reset
}
