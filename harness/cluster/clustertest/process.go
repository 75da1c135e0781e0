package clustertest

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"
)

// Main is the main function of a server in its own process, for tests that kill it:
//
//	natsserver -name n1 -port 4222 [-route 6222 -routes nats-route://127.0.0.1:6222,…] -dir DIR
func Main() {
	flags := flag.NewFlagSet("natsserver", flag.ExitOnError)
	name := flags.String("name", "n1", "")
	port := flags.Int("port", 0, "")
	route := flags.Int("route", 0, "")
	routes := flags.String("routes", "", "")
	dir := flags.String("dir", "", "")
	flags.Parse(os.Args[1:])
	o := &server.Options{ServerName: *name, Host: "127.0.0.1", Port: *port, JetStream: true, StoreDir: *dir, NoSigs: true,
		NoLog: true}
	if *routes != "" {
		o.Cluster = server.ClusterOpts{Name: "usetools", Host: "127.0.0.1", Port: *route,
			NoAdvertise: true} // so that clients use the ways that they were told
		for u := range strings.SplitSeq(*routes, ",") {
			parsed, err := url.Parse(u)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(2)
			}
			o.Routes = append(o.Routes, parsed)
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	s.Start()
	<-ended
	s.Shutdown()
	s.WaitForShutdown()
}
