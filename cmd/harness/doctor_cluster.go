package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// doctorClusterFlags returns the flags of doctor for a cluster.
func doctorClusterFlags() []cli.Flag {
	return append(join.Flags(),
		&cli.BoolFlag{Name: "make-streams", Usage: "create missing streams of -cluster, as a user of the role admin"},
		&cli.StringFlag{Name: "monitor", Usage: "monitoring `URL` of a server of -cluster (http://HOST:8222): only this port reports " +
			"how often acknowledged messages are written to disk"})
}

// checkCluster checks the cluster that the flags name.
func checkCluster(ctx context.Context, c *cli.Command) []finding {
	first := finding{Check: "cluster", Status: broken}
	o := join.Options(c)
	o.Existing = !c.Bool("make-streams")
	cl, err := cluster.Connect(ctx, o)
	var s *cluster.Status
	if err == nil {
		defer cl.Close()
		s, err = cl.Status(ctx)
	}
	if err != nil {
		first.Detail = err.Error()
		first.Do = "start the servers with JetStream; harness serve -cluster, or -make-streams here, creates missing streams"
		var no *cluster.PermissionError
		if errors.As(err, &no) { // its message has the fix
			first.Do = ""
		}
		return []finding{first}
	}
	first.Status = fine
	first.Detail = fmt.Sprintf("nats-server %s at %s answers in %.1f ms", s.Version, s.URL, s.RoundTripMs)
	if s.Cluster != "" {
		first.Detail += ", of the cluster " + s.Cluster
	}
	all := append([]finding{first}, checkStreams(s)...)
	all = append(all, checkSync(ctx, c.String("monitor")), checkUser(s), checkWire(s))
	all = append(all, checkClock(s)...)
	if len(s.Unseen) > 0 {
		return append(all, finding{Check: "cluster processes", Status: warning, Detail: "this user may not see " +
			text.List(s.Unseen, 4), Do: "run harness doctor as the user of a front end"})
	}
	return append(append(all, checkRunners(s)...), checkLost(ctx, cl.Store(nil))...)
}

func checkStreams(s *cluster.Status) []finding {
	f := finding{Check: "cluster streams", Status: fine}
	least, bytes := 0, uint64(0)
	var out []finding
	for _, st := range s.Streams {
		name := st.Config.Name
		if least == 0 || st.Config.Replicas < least {
			least = st.Config.Replicas
		}
		bytes += st.State.Bytes
		for _, odd := range st.Odd {
			out = append(out, finding{Check: "cluster stream " + name, Status: warning, Detail: odd,
				Do: "change it with nats stream edit " + name + ", or let this version create it again"})
		}
		if st.Cluster == nil {
			continue
		}
		for _, p := range st.Cluster.Replicas {
			if p.Offline || !p.Current {
				word := "is behind"
				if p.Offline {
					word = "is offline"
				}
				out = append(out, finding{Check: "cluster stream " + name, Status: warning,
					Detail: fmt.Sprintf("server %s %s by %d messages", p.Name, word, p.Lag), Do: "look at its log"})
			}
		}
	}
	f.Detail = fmt.Sprintf("%s with %.1f MB, each at %s", text.Count(len(s.Streams), "stream"), float64(bytes)/1e6,
		text.Count(least, "server"))
	if least == 1 {
		f.Status = warning
		f.Detail += ": their data is unavailable while that server is down, and lost with its disk"
		f.Do = "with three servers: nats stream edit STREAM --replicas 3; harness serve -replicas 3 creates new ones so"
	}
	return append([]finding{f}, out...)
}

func checkSync(ctx context.Context, monitor string) finding {
	f := finding{Check: "cluster sync", Status: warning, Do: "in the jetstream block of each server: sync_interval: always"}
	const loss = "a power failure of all servers may lose the last %v of acknowledged messages, and runs may be repeated"
	if monitor == "" {
		f.Detail = "unknown without -monitor; unless servers sync always, " + fmt.Sprintf(loss, 2*time.Minute)
		return f
	}
	every, err := cluster.Monitored(ctx, monitor)
	switch {
	case err != nil:
		f.Detail, f.Do = err.Error(), "-monitor http://HOST:8222, as http_port in the server's configuration says"
	case every > 0:
		f.Detail = fmt.Sprintf(loss, every)
	default:
		f.Status, f.Detail, f.Do = fine, "acknowledged messages are on the disk of that server", ""
	}
	return f
}

// checkUser reports as which user the servers see this process.
func checkUser(s *cluster.Status) finding {
	f := finding{Check: "cluster user", Status: fine}
	switch u := s.User; {
	case u == nil:
		f.Status, f.Detail = warning, "this user may not read its permissions"
		f.Do = "allow it to publish $SYS.REQ.USER.INFO, as " + usersGuide + " does"
	case len(u.Permissions) > 0:
		f.Detail = fmt.Sprintf("%s of account %s, with restricted permissions", u.Name, u.Account)
	default:
		f.Detail = fmt.Sprintf("%s of account %s, without restrictions", cmp.Or(u.Name, "a connection without a name"), u.Account)
		f.Do = "create users with the permissions of their role: " + usersGuide
	}
	return f
}

// usersGuide names the section with the permissions of each role.
const usersGuide = "examples/cluster/README.md, Users"

// checkWire reports whether others can read or use the connection.
func checkWire(s *cluster.Status) finding {
	f := finding{Check: "cluster connection", Status: fine, Detail: "TLS"}
	u, err := url.Parse(s.URL)
	local := err == nil && transport.IsLoopback(u.Host)
	named := s.User == nil || s.User.Name != ""
	switch {
	case local && !s.TLS:
		f.Detail = "without TLS, on this machine"
	case !s.TLS:
		f.Status, f.Detail = warning, "without TLS: others on the network can read and change scripts and results"
		f.Do = "add a tls block to the configuration of the servers, and use -cluster tls://… with -cluster-ca"
	case !local && !named:
		f.Status, f.Detail = warning, "with TLS, but without users: every client that reaches the servers can connect"
		f.Do = "create users with nkeys (" + usersGuide + "), and use -cluster-creds"
	}
	if !local && !s.TLS && !named {
		f.Detail += "; every client can connect"
	}
	return f
}

// maxClock is the largest permitted difference between clocks, in milliseconds.
const maxClock = 500

func checkClock(s *cluster.Status) []finding {
	f := finding{Check: "cluster clock", Status: fine, Detail: fmt.Sprintf("the clock of the server differs by %.0f ms", s.ClockMs)}
	if max(s.ClockMs, -s.ClockMs) > maxClock {
		f.Status, f.Do = warning, "set both by NTP: the clock of the front end decides when a script may begin"
	}
	out := []finding{f}
	for _, p := range s.Pools {
		if p.AckWaitS != 0 && p.AckWaitS != s.AckWaitS {
			out = append(out, finding{Check: "cluster queue " + p.Name, Status: warning, Detail: fmt.Sprintf(
				"a silent runner is lost after %g s; with these flags after %g s", p.AckWaitS, s.AckWaitS),
				Do: "run the same version with the same -ack-wait everywhere: a runner sets it when it starts"})
		}
	}
	return out
}

// checkRunners reports the processes, the queues and the registry.
func checkRunners(s *cluster.Status) []finding {
	fronts, runners, places := 0, 0, 0
	for _, p := range s.Processes {
		if p.Front {
			fronts++
		}
		if p.Runner != nil {
			runners++
			places += p.Runner.Max
		}
	}
	f := finding{Check: "cluster processes", Status: fine, Detail: fmt.Sprintf("%s, %s with %s", text.Count(fronts, "front end"),
		text.Count(runners, "runner"), text.Count(places, "place"))}
	if runners == 0 {
		f.Status, f.Do = warning, "start harness runner -cluster; until then, scripts wait"
	}
	out := []finding{f}
	for _, p := range s.Pools {
		q := finding{Check: "cluster queue " + p.Name, Status: fine, Detail: fmt.Sprintf("%d waiting, %d running", p.Waiting,
			p.UnderWay)}
		if p.OldestS > 0 {
			q.Detail += fmt.Sprintf(", the oldest for %v", time.Duration(p.OldestS*float64(time.Second)).Round(time.Second))
		}
		if p.Waiting+p.UnderWay > 0 && p.Runners == 0 {
			q.Status, q.Do = warning, "the pool has no runner: start harness runner -pool "+registry.ShellWord(p.Name)
		}
		out = append(out, q)
	}
	if s.Registry != nil {
		out = append(out, finding{Check: "cluster registry", Status: fine, Detail: fmt.Sprintf("revision %.16s, published %v ago",
			strings.TrimPrefix(s.Registry.Revision, "SHA-256="), time.Since(s.Registry.Published).Round(time.Second))})
	}
	return out
}

const (
	lostSince = 24 * time.Hour
	maxLost   = 20
	// lostFor is the time limit of the search for lost runs.
	lostFor = 2 * time.Second
)

// checkLost reports the latest lost runs.
func checkLost(ctx context.Context, records *store.Store) []finding {
	ctx, cancel := context.WithTimeout(ctx, lostFor)
	defer cancel()
	n, latest, more := 0, "", ""
	f := &store.Filter{Status: []string{string(outcome.Lost)}, Since: time.Now().Add(-lostSince), Limit: maxLost}
	for sum, err := range records.List(ctx, f) {
		if err == nil {
			n, latest = n+1, cmp.Or(latest, sum.ID)
		}
	}
	if n == 0 {
		return nil
	}
	if n == maxLost || ctx.Err() != nil {
		more = " or more"
	}
	return []finding{{Check: "cluster lost", Status: warning, Detail: fmt.Sprintf("%d%s in the last day, the latest %s", n, more, latest),
		Do: "harness runs -status lost -since 24h shows them"}}
}
