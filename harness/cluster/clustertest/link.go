package clustertest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Link is a connection path to a server that can be cut. While it is cut, no data passes in either
// direction, connections stay open, and new connections are not answered.
type Link struct {
	listener net.Listener
	to       string

	mu        sync.Mutex
	connected chan struct{} // closed while the link is whole
	conns     map[net.Conn]bool
	cut       bool
	ended     bool
}

// NewLink makes a link to the server at a URL of NATS. It ends with the test.
func NewLink(t testing.TB, to string) *Link {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{to: u.Host, connected: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(l.connected)
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			client, err := l.listener.Accept()
			if err != nil {
				return
			}
			if l.add(client) {
				work.Go(func() { l.join(client) })
			}
		}
	})
	t.Cleanup(func() {
		l.end()
		work.Wait()
	})
	return l
}

// URL returns the URL of the link's near end.
func (l *Link) URL() string { return "nats://" + l.listener.Addr().String() }

// Cut cuts the link.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.cut && !l.ended {
		l.cut, l.connected = true, make(chan struct{})
	}
}

// Mend restores the link. Data sent meanwhile arrives.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		l.cut = false
		close(l.connected)
	}
}

// pass returns while the link is whole.
func (l *Link) pass() {
	l.mu.Lock()
	connected := l.connected
	l.mu.Unlock()
	<-connected
}

// add notes a connection. It returns false if the link has ended.
func (l *Link) add(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		c.Close()
		return false
	}
	l.conns[c] = true
	return true
}

func (l *Link) end() {
	l.Mend()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = true; l.cut {
		close(l.connected)
	}
	l.listener.Close()
	for c := range l.conns {
		c.Close()
	}
}

// join connects a client to the server until one of them closes the connection.
func (l *Link) join(client net.Conn) {
	l.pass()
	server, err := net.Dial("tcp", l.to)
	if err != nil || !l.add(server) {
		client.Close()
		l.drop(client)
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			from, to := way[0], way[1]
			buf := make([]byte, 32<<10)
			for {
				n, err := from.Read(buf)
				l.pass()
				if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
					break
				}
			}
			from.Close()
			to.Close()
		})
	}
	both.Wait()
	l.drop(client)
	l.drop(server)
}

func (l *Link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}
