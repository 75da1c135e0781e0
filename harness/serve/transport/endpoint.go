package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
)

// Endpoint is an HTTP address for clients: its tokens, its accepted hosts and origins, and the
// number of its connections.
type Endpoint struct {
	// Address is host:port. Without a host it is on the loopback interface.
	Address string
	// Tokens are the bearer tokens of clients, by name. If empty, no token is required, which Check
	// allows at loopback addresses only.
	Tokens map[string]string
	// Insecure allows serving without tokens at other addresses.
	Insecure bool
	// Hosts and Origins are accepted besides the address itself.
	Hosts, Origins []string
	// MaxConnections is how many connections are open at a time. Further ones wait. If zero, it is
	// DefaultMaxConnections.
	MaxConnections int

	listener net.Listener // set by Listen
}

// DefaultMaxConnections is the default of Endpoint.MaxConnections.
const DefaultMaxConnections = 1024

const (
	closeTime = 500 * time.Millisecond // for the last answers
	// LastWords is how long an ending server waits for answers to be written.
	LastWords = 5 * time.Second
)

// Tenants reports whether tokens distinguish clients, because there are several.
func (e *Endpoint) Tenants() bool { return len(e.Tokens) > 1 }

// Check returns an error for an address that must not be served with these settings.
func (e *Endpoint) Check() error {
	host, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		return fmt.Errorf("address %q: want host:port, as in 127.0.0.1:7337", e.Address)
	}
	if host != "" && !IsLoopback(host) && len(e.Tokens) == 0 && !e.Insecure {
		return fmt.Errorf("address %q can be reached from other machines: require a token (-token-file, or "+
			"USETOOLS_TOKEN), or pass -insecure", e.Address)
	}
	return nil
}

// Listen opens the address. Call it before Serve to detect early that the address is taken;
// otherwise Serve calls it.
func (e *Endpoint) Listen() error {
	if e.listener != nil {
		return nil
	}
	if err := e.Check(); err != nil {
		return err
	}
	addr := e.Address
	if host, port, _ := net.SplitHostPort(addr); host == "" {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listening: another program uses %s; stop it, or choose another port: %w", addr, err)
	case err != nil:
		return fmt.Errorf("listening: %w", err)
	}
	e.listener = l
	return nil
}

// Serve serves until ctx ends. Then it calls ending, which waits for answers, and closes the
// remaining streams.
func (e *Endpoint) Serve(ctx context.Context, handler http.Handler, ending func()) error {
	if err := e.Listen(); err != nil {
		return err
	}
	srv := e.Server(handler)
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(netutil.LimitListener(e.listener, cmp.Or(e.MaxConnections, DefaultMaxConnections)))
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	ending()
	end, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	srv.Shutdown(end)
	srv.Close()
	<-served
	return nil
}

// Server returns an HTTP server with limits of time and size.
func (e *Endpoint) Server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,

		DisableGeneralOptionsHandler: true, // it waits for a body
	}
}

// IsLoopback reports whether a host, with or without a port, is a loopback address or localhost.
func IsLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// URL returns the address of the MCP endpoint for clients on this machine. Call it
// after Listen.
func (e *Endpoint) URL() string {
	if e.listener == nil {
		return ""
	}
	addr := e.listener.Addr().String()
	for from, to := range map[string]string{"0.0.0.0:": "127.0.0.1:", "[::]:": "[::1]:"} {
		if port, ok := strings.CutPrefix(addr, from); ok {
			addr = to + port
		}
	}
	return "http://" + addr + "/mcp"
}

// Local reports whether the server listens on a loopback address.
func (e *Endpoint) Local() bool {
	if e.listener == nil {
		return false
	}
	a, ok := e.listener.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}
