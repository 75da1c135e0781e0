package origin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// idleConnsPerHost is 64, because the default of 2 costs up to 40 % with many concurrent calls.
const idleConnsPerHost = 64

// Transport also sends the requests of calls by the rules of their [backend.Send].
type Transport interface {
	http.RoundTripper
	Send(*http.Request, *backend.Send) (*http.Response, error)
	CloseIdleConnections()
}

// Anywhere returns a transport to all addresses.
func Anywhere() Transport { return anywhere{transport()} }

type anywhere struct{ *http.Transport }

func (a anywhere) Send(req *http.Request, s *backend.Send) (*http.Response, error) {
	return send(a.Transport, req, s)
}

func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = idleConnsPerHost
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{}
	}
	// Connections of their own, for calls that must not leave twice, take a third of the time.
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return t
}

// Guard is a transport that protects the private network. It connects to private addresses only for
// the hosts in the definition, and not if such a host had a public address before. If one of the
// hosts is this machine, other hosts may be this machine too.
//
// A proxy resolves names itself. It gets the requests to the named hosts, and must decide what it
// permits. Requests to other hosts are refused, because their addresses cannot be checked.
type Guard struct {
	named    map[string]*place // by host
	loopback bool              // one of them is this machine
	proxied  *http.Transport   // as the environment configures it
	other    *http.Transport   // to others
}

// place is a host in the definition.
type place struct {
	*http.Transport
	public atomic.Bool // it had a public address
}

// NewGuard returns a guard. named are the URLs in the definition.
func NewGuard(named ...*url.URL) *Guard {
	g := &Guard{named: map[string]*place{}, proxied: transport()}
	for _, u := range named {
		g.loopback = g.loopback || Loopback(u)
		p := &place{}
		p.Transport = dialing(p.check, func() { p.public.Store(true) })
		g.named[host(u)] = p
	}
	g.other = dialing(g.checkOther, func() {})
	return g
}

// RoundTrip implements http.RoundTripper.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) { return g.Send(req, nil) }

// Send implements [Transport].
func (g *Guard) Send(req *http.Request, s *backend.Send) (*http.Response, error) {
	named := g.named[host(req.URL)]
	var proxy *url.URL
	if g.proxied.Proxy != nil {
		var err error
		if proxy, err = g.proxied.Proxy(req); err != nil {
			closeBody(req)
			return nil, errors.New("the environment names a proxy that is not a URL") // which may contain a password
		}
	}
	switch {
	case proxy != nil && named != nil:
		return send(g.proxied, req, s)
	case proxy != nil:
		closeBody(req)
		return nil, fmt.Errorf("%s would be reached through a proxy, so its address cannot be checked; "+
			"set it as baseUrl, or as oauth.issuer of a sign-in, in the config entry if you trust it",
			text.CutBytes(req.URL.Host, maxShown))
	case named != nil:
		return send(named.Transport, req, s)
	}
	return send(g.other, req, s)
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// CloseIdleConnections closes unused connections.
func (g *Guard) CloseIdleConnections() {
	g.proxied.CloseIdleConnections()
	g.other.CloseIdleConnections()
	for _, p := range g.named {
		p.CloseIdleConnections()
	}
}

// addressError is the error for an address inside the network of a host that must be outside.
type addressError struct {
	Host    string // and port
	Address netip.Addr
	Kind    string // loopback, private …
	Before  bool   // the host was at a public address before
}

func (e *addressError) Error() string {
	why := "which its config entry does not name; set the host as baseUrl, or as oauth.issuer of a sign-in, there if " +
		"it is meant"
	if e.Before {
		why = "and was at a public one before"
	}
	return fmt.Sprintf("%s is at the %s address %s, %s", text.CutBytes(e.Host, maxShown), e.Kind, e.Address, why)
}

// check refuses a host that moved into the network.
func (p *place) check(ip netip.Addr) *addressError {
	if kind := nonPublicKind(ip); kind != "" && p.public.Load() {
		return &addressError{Address: ip, Kind: kind, Before: true}
	}
	return nil
}

func (g *Guard) checkOther(ip netip.Addr) *addressError {
	if kind := nonPublicKind(ip); kind != "" && !(g.loopback && kind == "loopback") {
		return &addressError{Address: ip, Kind: kind}
	}
	return nil
}

// dialing returns a transport without a proxy that connects to the addresses that check accepts.
// It calls public for a connection to an address outside.
func dialing(check func(netip.Addr) *addressError, public func()) *http.Transport {
	t := transport()
	t.Proxy = nil
	t.DialContext = func(ctx context.Context, network, host string) (net.Conn, error) {
		d := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
		d.Control = func(_, address string, _ syscall.RawConn) error {
			a, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if refused := check(a.Addr()); refused != nil {
				refused.Host = host
				return refused
			}
			return nil
		}
		conn, err := d.DialContext(ctx, network, host)
		if err != nil {
			if refused := (*addressError)(nil); errors.As(err, &refused) {
				return nil, refused // complete by itself
			}
			return nil, err
		}
		if a, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil && nonPublicKind(a.Addr()) == "" {
			public()
		}
		return conn, nil
	}
	return t
}

// Loopback reports whether a URL refers to this machine, independent of a resolver.
func Loopback(u *url.URL) bool {
	name := strings.TrimSuffix(host(u), ".")
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && nonPublicKind(ip) == "loopback"
}

// nonPublic are the addresses outside the public Internet.
var nonPublic = []struct {
	kind string
	nets []netip.Prefix
}{
	{"loopback", prefixes("127.0.0.0/8", "::1/128")},
	{"private", prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10",
		"64:ff9b:1::/48")},
	{"link-local", prefixes("169.254.0.0/16", "fe80::/10")}, // cloud machines get secrets from 169.254.169.254
	{"cloud", prefixes("168.63.129.16/32")},                 // and Azure at this one
	{"unspecified", prefixes("0.0.0.0/8", "::/128")},
	{"multicast", prefixes("224.0.0.0/4", "ff00::/8")},
	{"reserved", prefixes("192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4", "100::/64", "2001::/23",
		"5f00::/16")},
}

// carriers are IPv6 addresses that contain an IPv4 address, which begins at the given byte.
var carriers = []struct {
	net netip.Prefix
	at  int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // SIIT
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

func prefixes(texts ...string) []netip.Prefix {
	nets := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		nets[i] = netip.MustParsePrefix(text)
	}
	return nets
}

// nonPublicKind returns the kind of an address outside the public Internet, or "" for a public
// one.
func nonPublicKind(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	for _, k := range nonPublic {
		for _, n := range k.nets {
			if n.Contains(ip) {
				return k.kind
			}
		}
	}
	for _, c := range carriers {
		if c.net.Contains(ip) {
			b := ip.As16()
			return nonPublicKind(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	return ""
}
