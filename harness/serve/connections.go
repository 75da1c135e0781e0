package serve

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// gate is a listener that keeps a bounded number of connections open, and a
// smaller one from each address; more are refused at once.
type gate struct {
	net.Listener
	most, each int
	log        *slog.Logger
	metrics    *metrics

	mu   sync.Mutex
	open int
	from map[netip.Prefix]int
	told time.Time // when a refusal was logged last
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
		if g.enter(who) {
			return &admitted{conn, sync.OnceFunc(func() { g.leave(who) })}, nil
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
	left func()
}

func (c *admitted) Close() error {
	defer c.left()
	return c.TCPConn.Close()
}
