// Package clustertest starts servers of NATS inside a test. It is for tests alone: a
// program that imports it carries the server.
package clustertest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server starts one server that keeps its streams in a folder of the test, and returns
// its URL.
func Server(t testing.TB) string { return Servers(t, 1)[0].ClientURL() }

// Servers starts n servers, which form a cluster where they are several, and waits until
// streams can be made. They end with the test.
func Servers(t testing.TB, n int) []*server.Server {
	t.Helper()
	return Start(t, Options(t, n)...)
}

// Options are those of n servers, which form a cluster where they are several, each with a
// folder of its own.
func Options(t testing.TB, n int) []*server.Options {
	t.Helper()
	routes := make([]*url.URL, n)
	all := make([]*server.Options, n)
	for i := range all {
		all[i] = &server.Options{ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
			StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
		if n == 1 {
			return all
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all[i].Cluster = server.ClusterOpts{Name: "usetools", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}
		all[i].Routes, routes[i] = routes, &url.URL{Scheme: "nats-route", Host: l.Addr().String()}
	}
	return all
}

// Start starts servers, and waits until streams can be made. They end with the test. Where
// they listen is then in the options, with which they can be started once more.
func Start(t testing.TB, options ...*server.Options) []*server.Server {
	t.Helper()
	all := make([]*server.Server, len(options))
	for i, o := range options {
		s, err := server.NewServer(o.Clone())
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		all[i] = s
	}
	for i, s := range all {
		if !s.ReadyForConnections(10 * time.Second) {
			t.Fatal("the server does not listen")
		}
		options[i].Port = s.Addr().(*net.TCPAddr).Port
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(all) > 1 && !ready(all) {
		if time.Now().After(deadline) {
			t.Fatal("the servers have no leader")
		}
		time.Sleep(20 * time.Millisecond)
	}
	return all
}

// Configured starts one server with a configuration as nats-server reads it, which has
// what it listens to and where it keeps its streams from here.
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
	return Start(t, o)[0]
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
