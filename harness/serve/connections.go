package serve

import (
	"container/list"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// gate is a listener that keeps a bounded number of connections open, and a
// smaller one from each address; more are refused at once. Where tokens are
// demanded, the connection that has shown none for the longest time makes room
// first: nobody keeps those out who have one.
type gate struct {
	net.Listener
	most, each int
	log        *slog.Logger
	metrics    *metrics

	mu   sync.Mutex
	open int
	from map[netip.Prefix]int
	told time.Time // when a refusal was logged last
	// unproven are connections without a token so far, the oldest first; nil
	// where none is demanded.
	unproven *list.List // of *admitted
}

func newGate(l net.Listener, most, each int, log *slog.Logger, m *metrics) *gate {
	return &gate{Listener: l, most: most, each: each, log: log, metrics: m, from: map[netip.Prefix]int{}}
}

// tellEvery is how often refused connections are logged.
const tellEvery = time.Minute

const tooMany = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 21\r\n\r\ntoo many connections\n"

func (g *gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := c.(*net.TCPConn)
		who := addressOf(conn.RemoteAddr())
		if oldest := g.inTheWay(who); oldest != nil {
			oldest.Close()
		}
		if g.enter(who) {
			return g.admit(conn, who), nil
		}
		io.WriteString(conn, tooMany) // waits for nobody: nothing was sent before
		conn.Close()
	}
}

// addressOf is what counts as one address: all of the loopback interface, and
// of IPv6 the network that a machine chooses its addresses from.
func addressOf(a net.Addr) netip.Prefix {
	addr := a.(*net.TCPAddr).AddrPort().Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	switch {
	case addr.IsLoopback():
		addr, bits = netip.IPv6Loopback(), 128
	case addr.Is6():
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}

// enter reports whether there may be one more connection from an address, and
// counts it.
func (g *gate) enter(who netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open < g.most && g.from[who] < g.each {
		g.open++
		g.from[who]++
		return true
	}
	g.metrics.refused.Add(1)
	if time.Since(g.told) > tellEvery {
		g.told = time.Now()
		g.log.Warn("too many connections; others are refused (-max-connections, -max-connections-per-address)",
			"from", who, "of", g.from[who], "all", g.open)
	}
	return false
}

func (g *gate) admit(conn *net.TCPConn, who netip.Prefix) *admitted {
	c := &admitted{TCPConn: conn, gate: g, who: who}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unproven != nil {
		c.place = g.unproven.PushBack(c)
	}
	return c
}

// inTheWay returns the connection that makes room for one from an address, nil
// where there is room, or none that would.
func (g *gate) inTheWay(who netip.Prefix) *admitted {
	g.mu.Lock()
	defer g.mu.Unlock()
	crowded := g.from[who] >= g.each
	if g.unproven == nil || !crowded && g.open < g.most {
		return nil
	}
	for e := g.unproven.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*admitted); !crowded || c.who == who {
			return c
		}
	}
	return nil
}

func (g *gate) leave(who netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if g.from[who]--; g.from[who] == 0 {
		delete(g.from, who)
	}
}

// admitted is a connection that a gate counts until it is closed.
type admitted struct {
	*net.TCPConn
	gate  *gate
	who   netip.Prefix
	left  sync.Once
	place *list.Element // in gate.unproven; nil: not there
}

func (c *admitted) Close() error {
	defer c.left.Do(func() {
		c.prove()
		c.gate.leave(c.who)
	})
	return c.TCPConn.Close()
}

// prove says that a request over the connection had a token.
func (c *admitted) prove() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.place != nil {
		c.gate.unproven.Remove(c.place)
		c.place = nil
	}
}
