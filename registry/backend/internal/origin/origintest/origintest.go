// Package origintest assigns addresses to names, for tests of address checks.
package origintest

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// Names are names with their IPv4 addresses.
type Names struct {
	mu  sync.Mutex
	ips map[string]string
}

// Set gives a name an address.
func (n *Names) Set(name, ip string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ips[name] = ip
}

func (n *Names) at(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ips[name]
}

// Resolve answers this process's DNS lookups until the end of the test, and removes proxies from
// the environment. No other test may look up names meanwhile.
func Resolve(t testing.TB) *Names {
	n := &Names{ips: map[string]string{}}
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	transport := http.DefaultTransport.(*http.Transport)
	proxy := transport.Proxy
	transport.Proxy = nil
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			size, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			server.WriteTo(n.answer(buf[:size]), from)
		}
	}()
	t.Cleanup(func() {
		net.DefaultResolver, transport.Proxy = before, proxy
		server.Close()
		<-done
	})
	return n
}

// answer returns the response to a query with one question.
func (n *Names) answer(query []byte) []byte {
	var labels []string
	end := 12
	for query[end] != 0 {
		size := int(query[end])
		labels = append(labels, string(query[end+1:end+1+size]))
		end += 1 + size
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	end += 5
	ip := n.at(strings.ToLower(strings.Join(labels, ".")))
	flags, answers := uint16(0x8180), uint16(0)
	switch {
	case ip == "":
		flags |= 3 // no such name
	case kind == 1: // A
		answers = 1
	}
	out := append([]byte{}, query[:2]...)
	for _, v := range []uint16{flags, 1, answers, 0, 0} {
		out = binary.BigEndian.AppendUint16(out, v)
	}
	out = append(out, query[12:end]...)
	if answers == 1 {
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		out = append(out, netip.MustParseAddr(ip).AsSlice()...)
	}
	return out
}
