// Package wiretest has an HTTP server that counts what arrives at its sockets,
// and that breaks off where it is told to.
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
	// At says how far the request is read: to its "first byte", its "headers",
	// or to its end where it is empty.
	At string
	// Answer is written then, as it is; empty: what the server answers to all.
	Answer string
	Reset  bool   // the connection is reset after that
	Silent func() // is called after that, and nothing else is answered
}

// Status is a fault that answers with a status. headers end with CR LF.
func Status(code int, headers, body string) Fault {
	return Fault{Answer: fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n%s", code, http.StatusText(code),
		headers, len(body), body)}
}

// Server is an HTTP/1 server.
type Server struct {
	URL string
	// answer answers a request that was read; it writes the response as it is.
	answer func(w io.Writer, r *http.Request, body []byte)
	l      net.Listener
	ends   sync.WaitGroup

	mu      sync.Mutex
	fault   *Fault            // of the next request
	conns   map[net.Conn]bool // whether it had a request
	arrived int               // requests since Next of which a byte came
	seen    []*http.Request
	used    []bool // whether the connection of each had another request before
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

// Stop takes no more connections.
func (s *Server) Stop() { s.l.Close() }

// HangUp closes all connections, or those that had a request only.
func (s *Server) HangUp(used bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, had := range s.conns {
		if had || !used {
			c.Close()
		}
	}
}

// Ask returns a [backend.Send] that counts how often it was asked, and then
// returns what then does.
func Ask(effect bool, key string, then func() error) (*backend.Send, *int) {
	n := 0
	return &backend.Send{Effect: effect, Key: key, Sending: func(context.Context) error {
		n++
		return then()
	}}, &n
}

// Next makes a fault happen to the next marked request, and counts from there;
// nil: none happens. One that is not read to its end is not looked at: there must
// be no other.
func (s *Server) Next(f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.arrived, s.seen, s.used = f, 0, nil, nil
}

// Arrived is of how many requests a byte came since Next.
func (s *Server) Arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// Seen returns the marked requests since Next, and those that were broken off,
// and how many of them came over a connection that was used before.
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

// take returns the fault that happens when a request was read to a point, and
// counts the request where it is marked or gets one.
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

// happen does what a fault says after the reading; goesOn says whether the
// connection does.
func (f *Fault) happen(c net.Conn) (goesOn bool) {
	io.WriteString(c, f.Answer)
	if f.Reset {
		c.(*net.TCPConn).SetLinger(0)
	}
	return !f.Reset
}
