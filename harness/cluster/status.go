package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record/store"
)

// Status is the cluster as one process sees it.
type Status struct {
	// Server is the server of NATS that this process is connected to, and Version its
	// version; Cluster is the name of the servers' cluster, empty: the server is alone.
	Server  string `json:"server"`
	Version string `json:"version"`
	Cluster string `json:"cluster,omitempty"`
	URL     string `json:"url"`
	TLS     bool   `json:"tls"`
	// User is the user of this process. It is nil if the server does not say.
	User *User `json:"user,omitempty"`
	// RoundTripMs is how long a request takes, and ClockMs by how much the clock of the
	// server is ahead of this one's.
	RoundTripMs float64    `json:"round_trip_ms"`
	ClockMs     float64    `json:"clock_ms"`
	Streams     []*Stream  `json:"streams"`
	Pools       []*Pool    `json:"pools"`
	Processes   []*Process `json:"processes"`
	Registry    *Registry  `json:"registry,omitempty"` // nil: none was published
	Lost        []*LostRun `json:"lost"`               // the latest of the last day
	LostMore    bool       `json:"lost_more,omitempty"`
	// AckWaitS is after how many seconds without a word this process takes a runner for
	// dead.
	AckWaitS float64 `json:"ack_wait_s"`
	// Unseen are the parts that this user may not read.
	Unseen []string `json:"unseen,omitempty"`
}

// Stream is one stream of the engine.
type Stream struct {
	Name     string  `json:"name"`
	Replicas int     `json:"replicas"`
	Leader   string  `json:"leader,omitempty"` // empty: it is alone, or has none
	Peers    []*Peer `json:"peers,omitempty"`
	Messages uint64  `json:"messages"`
	Bytes    uint64  `json:"bytes"`
	// Odd are settings that differ from what this version makes.
	Odd []string `json:"odd,omitempty"`
	// Missing says that it is not there, or not to be seen by this user.
	Missing bool `json:"missing,omitempty"`
}

// Peer is a server with a stream that is not its leader.
type Peer struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Offline bool   `json:"offline,omitempty"`
	Lag     uint64 `json:"lag,omitempty"` // messages
}

// Pool is the queue of the runners of a pool.
type Pool struct {
	Name     string `json:"name"`
	Waiting  int    `json:"waiting"`
	UnderWay int    `json:"under_way"`
	// OldestS is the age of its oldest job that has not ended, in seconds.
	OldestS float64 `json:"oldest_s,omitempty"`
	Runners int     `json:"runners"` // that are alive
	Places  int     `json:"places"`  // that these have
	// AckWaitS is the AckWait of the queue's consumer. It is 0 before the first runner.
	AckWaitS float64 `json:"ack_wait_s,omitempty"`
}

// Registry is the newest revision of the registry.
type Registry struct {
	Revision  string    `json:"revision"`
	Bytes     uint64    `json:"bytes"`
	Published time.Time `json:"published"`
}

// LostRun is a run that ended with the status lost.
type LostRun struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"` // when it began
	Script  string    `json:"script,omitempty"`
	Subject string    `json:"subject,omitempty"`
}

// User is the user that a process connects as.
type User struct {
	Name    string `json:"user"`
	Account string `json:"account"`
	// Permissions are what the server's configuration grants. If empty, the user may do
	// everything in its account.
	Permissions json.RawMessage `json:"permissions,omitempty"`
}

const (
	lostSince = 24 * time.Hour
	maxLost   = 20
	// lostFor is how long lost runs are looked for.
	lostFor = 2 * time.Second
)

// Status asks the engine for the state of the cluster. If records, those of the cluster, are
// nil, it does not look for lost runs. Parts that the user may not ask for are missing.
func (c *Cluster) Status(ctx context.Context, records *store.Store) (*Status, error) {
	s := &Status{Server: c.conn.ConnectedServerName(), Version: c.conn.ConnectedServerVersion(),
		Cluster: c.conn.ConnectedClusterName(), URL: plainURL(c.conn.ConnectedUrl()), AckWaitS: c.o.AckWait.Seconds(),
		Streams: []*Stream{}, Pools: []*Pool{}, Processes: []*Process{}, Lost: []*LostRun{}}
	_, err := c.conn.TLSConnectionState()
	s.TLS = err == nil
	s.User = c.user(ctx)
	if err := c.streamsOf(ctx, s); err != nil {
		return nil, c.reached(err)
	}
	for _, part := range []struct {
		name string
		ask  func() error
	}{
		{"processes", func() (err error) { s.Processes, err = c.processes(ctx); return err }},
		{"queues", func() (err error) { s.Pools, err = c.pools(ctx, s.Processes); return err }},
		{"the registry", func() (err error) { s.Registry, err = c.newestRevision(ctx); return err }},
	} {
		err := part.ask()
		if errors.As(err, new(*PermissionError)) {
			s.Unseen = append(s.Unseen, part.name)
		} else if err != nil {
			return nil, err
		}
	}
	if records != nil && len(s.Unseen) == 0 {
		s.lost(ctx, records)
	}
	return s, nil
}

// user asks for the user of this process. It returns nil if that is not permitted.
func (c *Cluster) user(ctx context.Context) *User {
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	m, err := c.conn.RequestWithContext(ctx, userInfoSubject, nil)
	var got struct {
		Data User `json:"data"`
	}
	if err != nil || json.Unmarshal(m.Data, &got) != nil || got.Data.Account == "" {
		return nil
	}
	return &got.Data
}

const userInfoSubject = "$SYS.REQ.USER.INFO"

// streamsOf adds the streams to a status.
func (c *Cluster) streamsOf(ctx context.Context, s *Status) error {
	for _, want := range c.wanted() {
		var info *jetstream.StreamInfo
		var began time.Time
		err := c.again(ctx, func(ctx context.Context) error {
			began = time.Now()
			in, err := c.js.Stream(ctx, want.Name)
			if err == nil {
				info = in.CachedInfo()
			}
			return err
		})
		out := &Stream{Name: want.Name}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			out.Missing = true
			s.Streams = append(s.Streams, out)
			continue
		}
		if err != nil {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
		took := time.Since(began)
		if ms := float64(took.Microseconds()) / 1000; s.RoundTripMs == 0 || ms < s.RoundTripMs {
			s.RoundTripMs = ms
			s.ClockMs = float64(info.TimeStamp.Sub(began.Add(took/2)).Microseconds()) / 1000
		}
		out.Replicas, out.Messages, out.Bytes = info.Config.Replicas, info.State.Msgs, info.State.Bytes
		if info.Cluster != nil {
			out.Leader = info.Cluster.Leader
			for _, p := range info.Cluster.Replicas {
				out.Peers = append(out.Peers, &Peer{Name: p.Name, Current: p.Current, Offline: p.Offline, Lag: p.Lag})
			}
			slices.SortFunc(out.Peers, func(a, b *Peer) int { return strings.Compare(a.Name, b.Name) })
		}
		out.Odd = odd(&want, &info.Config)
		s.Streams = append(s.Streams, out)
	}
	return nil
}

// odd returns the settings in which a stream differs from the one that this version makes.
// The number of replicas and the size limits are the operator's choice.
func odd(want, is *jetstream.StreamConfig) (all []string) {
	differ := func(what string, want, is any) {
		if !reflect.DeepEqual(want, is) {
			all = append(all, fmt.Sprintf("%s: %v, this version makes %v", what, is, want))
		}
	}
	republish := func(r *jetstream.RePublish) string {
		if r == nil {
			return "nowhere"
		}
		return fmt.Sprintf("%s to %s, headers only: %t", r.Source, r.Destination, r.HeadersOnly)
	}
	sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
	differ("subjects", sorted(want.Subjects), sorted(is.Subjects))
	differ("retention", want.Retention, is.Retention)
	differ("storage", want.Storage, is.Storage)
	differ("discard", want.Discard, is.Discard)
	if want.Name == queueStream { // how long records stay is the operator's choice
		differ("max age", want.MaxAge, is.MaxAge)
	}
	differ("messages of lifetimes of their own", want.AllowMsgTTL, is.AllowMsgTTL)
	differ("rollups", want.AllowRollup, is.AllowRollup)
	differ("reads of followers", want.AllowDirect, is.AllowDirect)
	differ("republishing", republish(want.RePublish), republish(is.RePublish))
	if is.DenyDelete || is.DenyPurge {
		all = append(all, "what it has cannot be deleted")
	}
	return all
}

// pools returns the queues of the pools that have or had jobs or runners, by name.
func (c *Cluster) pools(ctx context.Context, processes []*Process) ([]*Pool, error) {
	jobs, err := c.subjectsOf(ctx, c.queue, prefix+"run.>")
	if err != nil {
		return nil, err
	}
	all := map[string]*Pool{} // by token
	pool := func(token string) *Pool {
		if all[token] == nil {
			all[token] = &Pool{Name: untoken(token)}
		}
		return all[token]
	}
	for subject, n := range jobs {
		if tokens := strings.Split(subject, "."); len(tokens) == 5 {
			pool(tokens[2]).Waiting += int(n)
		}
	}
	for _, p := range processes {
		if p.Runner != nil {
			q := pool(token(p.Runner.Pool))
			q.Runners, q.Places = q.Runners+1, q.Places+p.Runner.Max
		}
	}
	for name, p := range all {
		var info *jetstream.ConsumerInfo
		err := c.again(ctx, func(ctx context.Context) error {
			of, err := c.queue.Consumer(ctx, name)
			if err == nil {
				info = of.CachedInfo()
			}
			return err
		})
		switch {
		case errors.Is(err, jetstream.ErrConsumerNotFound):
		case err != nil:
			return nil, c.reached(err)
		default:
			p.UnderWay = min(info.NumAckPending, p.Waiting)
			p.Waiting -= p.UnderWay
			p.AckWaitS = info.Config.AckWait.Seconds()
		}
		if p.Waiting+p.UnderWay == 0 {
			continue
		}
		first, err := c.next(ctx, c.queue, prefix+"run."+name+".>", 1)
		if err == nil {
			p.OldestS = max(time.Since(first.Time).Seconds(), 0)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Pool) int { return strings.Compare(a.Name, b.Name) }), nil
}

// newestRevision returns the newest revision of the registry, or nil.
func (c *Cluster) newestRevision(ctx context.Context) (*Registry, error) {
	info, err := c.registryInfo(ctx)
	if err != nil || info == nil {
		return nil, c.reached(err)
	}
	return &Registry{Revision: info.Digest, Bytes: info.Size, Published: info.ModTime}, nil
}

// lost adds the runs that ended as lost.
func (s *Status) lost(ctx context.Context, records *store.Store) {
	ctx, cancel := context.WithTimeout(ctx, lostFor)
	defer cancel()
	f := &store.Filter{Status: []string{string(outcome.Lost)}, Since: time.Now().Add(-lostSince), Limit: maxLost}
	for sum, err := range records.List(ctx, f) {
		if err == nil {
			s.Lost = append(s.Lost, &LostRun{ID: sum.ID, Time: sum.Time, Script: sum.Name, Subject: sum.Subject})
		}
	}
	s.LostMore = ctx.Err() != nil || len(s.Lost) == maxLost
}

// Reached returns an error if the engine cannot be reached.
func (c *Cluster) Reached() error {
	if !c.conn.IsConnected() {
		return c.reached(nats.ErrDisconnected)
	}
	return nil
}

// Monitored asks the monitoring port of a server of NATS (http://host:8222) how often it
// writes acknowledged messages to its disk. Zero means before it acknowledges them.
func Monitored(ctx context.Context, at string) (sync time.Duration, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asking the monitoring port at %s: %w", plainURL(at), err)
		}
	}()
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return 0, errors.New("want http://HOST:8222, as http_port of the server says")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("varz").String(), nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var got struct {
		JetStream struct {
			Config *struct {
				Interval time.Duration `json:"sync_interval"`
				Always   bool          `json:"sync_always"`
			} `json:"config"`
		} `json:"jetstream"`
	}
	if resp.StatusCode != http.StatusOK {
		return 0, errors.New(resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&got); err != nil {
		return 0, err
	}
	if got.JetStream.Config == nil {
		return 0, errors.New("the server has no JetStream")
	}
	if got.JetStream.Config.Always {
		return 0, nil
	}
	return cmp.Or(got.JetStream.Config.Interval, defaultSync), nil
}

// defaultSync is the default interval of a server.
const defaultSync = 2 * time.Minute
