// Package clustertest starts NATS servers inside a test. It is only for tests: a program that
// imports it contains the server.
package clustertest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Server starts one server that stores its streams in a folder of the test, and returns its URL.
func Server(t testing.TB) string { return Servers(t, 1)[0].ClientURL() }

// Servers starts n servers and waits until streams can be made. Several servers form a cluster.
// They end with the test.
func Servers(t testing.TB, n int) []*server.Server { return NewEngine(t, n).Servers }

// Engine is one server, or several that form a cluster. It can be stopped and started again.
type Engine struct {
	Servers []*server.Server
	t       testing.TB
	options []*server.Options
}

// NewEngine starts servers as Servers does.
func NewEngine(t testing.TB, n int) *Engine {
	t.Helper()
	e := &Engine{t: t}
	routes := make([]*url.URL, n)
	for i := range n {
		o := &server.Options{ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
			StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
		if n > 1 {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			o.Cluster = server.ClusterOpts{Name: "usetools", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}
			o.Routes, routes[i] = routes, &url.URL{Scheme: "nats-route", Host: l.Addr().String()}
			l.Close()
		}
		e.options = append(e.options, o)
	}
	t.Cleanup(e.Stop)
	e.Start()
	return e
}

// URL returns the URLs of the servers.
func (e *Engine) URL() string {
	var all []string
	for _, s := range e.Servers {
		all = append(all, s.ClientURL())
	}
	return strings.Join(all, ",")
}

// Stop ends the servers.
func (e *Engine) Stop() {
	for _, s := range e.Servers {
		s.Shutdown()
	}
	for _, s := range e.Servers {
		s.WaitForShutdown()
	}
}

// Start starts the servers, also again after Stop with their stored data, and waits until streams
// can be made.
func (e *Engine) Start() {
	e.t.Helper()
	e.Servers = nil
	for _, o := range e.options {
		s, err := server.NewServer(o.Clone())
		if err != nil {
			e.t.Fatal(err)
		}
		go s.Start()
		e.Servers = append(e.Servers, s)
	}
	for i, s := range e.Servers {
		if !s.ReadyForConnections(time.Minute) {
			e.t.Fatal("the server does not listen")
		}
		e.options[i].Port = s.Addr().(*net.TCPAddr).Port
	}
	deadline := time.Now().Add(time.Minute)
	for len(e.Servers) > 1 && !(ready(e.Servers) && places(e.URL(), len(e.Servers))) {
		if time.Now().After(deadline) {
			e.t.Fatal("the servers have no leader")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Configured starts one server with a nats-server configuration. Its address and its folder for
// streams are added.
func Configured(t testing.TB, config string) *server.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.Port, o.JetStream, o.StoreDir, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, t.TempDir(), true, true
	e := &Engine{t: t, options: []*server.Options{o}}
	t.Cleanup(e.Stop)
	e.Start()
	return e.Servers[0]
}

// places reports whether streams of n servers can be made. A server that the others have not heard
// of recently does not count.
func places(url string, n int) bool {
	conn, err := nats.Connect(url)
	if err != nil {
		return false
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	const probe = "PROBE"
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: probe, Replicas: n, Storage: jetstream.MemoryStorage})
	return err == nil && js.DeleteStream(ctx, probe) == nil
}

// ready reports whether one of the servers leads the others, and has heard of all.
func ready(all []*server.Server) bool {
	leads := false
	for _, s := range all {
		if !s.JetStreamIsCurrent() {
			return false
		}
		leads = leads || s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all)
	}
	return leads
}
