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
)

// Status is the state of the cluster as one process sees it.
type Status struct {
	// Version is the version of the NATS server that this process is connected to. URL is its URL
	// without secrets. Cluster is the name of the servers' cluster, empty if the server is alone.
	Version, URL, Cluster string
	TLS                   bool
	// User is the user of this process, or nil if the server does not report it.
	User *User
	// RoundTripMs is the duration of a request. ClockMs is the difference between the server's
	// clock and this process's.
	RoundTripMs, ClockMs float64
	Streams              []*Stream
	Pools                []*Pool
	Processes            []*Process
	Registry             *Registry // nil if none was published
	// AckWaitS is the time in seconds after which this process takes a silent runner for dead.
	AckWaitS float64
	// Unseen lists the parts that this user may not read.
	Unseen []string
}

// Stream is one stream of the engine.
type Stream struct {
	*jetstream.StreamInfo
	// Odd lists the settings that differ from those that this version makes.
	Odd []string
}

// Pool is the queue of the runners of a pool.
type Pool struct {
	Name              string
	Waiting, UnderWay int     // jobs
	OldestS           float64 // age of the oldest job that has not ended, in seconds
	Runners, Places   int     // of the living runners
	AckWaitS          float64 // of the queue's consumer; 0 before the first runner
}

// Registry is the newest revision of the registry.
type Registry struct {
	Revision  string
	Published time.Time
}

// User is the user that a process connects as.
type User struct {
	Name    string `json:"user"`
	Account string `json:"account"`
	// Permissions are the permissions that the server's configuration grants. If empty, the user
	// may do everything in its account.
	Permissions json.RawMessage `json:"permissions"`
}

// Status asks the engine for the state of the cluster. Parts that the user may not read are
// missing.
func (c *Cluster) Status(ctx context.Context) (*Status, error) {
	s := &Status{Version: c.conn.ConnectedServerVersion(), URL: plainURL(c.conn.ConnectedUrl()),
		Cluster: c.conn.ConnectedClusterName(), User: c.user(ctx), AckWaitS: c.o.AckWait.Seconds()}
	_, err := c.conn.TLSConnectionState()
	s.TLS = err == nil
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
	return s, nil
}

// user asks for the user of this process. It returns nil if that is not permitted.
func (c *Cluster) user(ctx context.Context) *User {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
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
		err := c.retry(ctx, func(ctx context.Context) error {
			began = time.Now()
			in, err := c.js.Stream(ctx, want.Name)
			if err == nil {
				info = in.CachedInfo()
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", want.Name, err)
		}
		took := time.Since(began)
		if ms := float64(took.Microseconds()) / 1000; s.RoundTripMs == 0 || ms < s.RoundTripMs {
			s.RoundTripMs = ms
			s.ClockMs = float64(info.TimeStamp.Sub(began.Add(took/2)).Microseconds()) / 1000
		}
		s.Streams = append(s.Streams, &Stream{info, odd(&want, &info.Config)})
	}
	return nil
}

// odd returns the settings in which a stream differs from the one that this version makes. The
// number of replicas, the size limits, and the retention time of records are the operator's choice.
func odd(want, is *jetstream.StreamConfig) (all []string) {
	settings := func(c *jetstream.StreamConfig) (m map[string]any) {
		slices.Sort(c.Subjects)
		b, _ := json.Marshal(c)
		json.Unmarshal(b, &m)
		m["max_age"] = c.MaxAge.String()
		return m
	}
	made, has := settings(want), settings(is)
	for _, name := range []string{"subjects", "retention", "storage", "discard", "max_age", "allow_msg_ttl", "allow_rollup_hdrs",
		"allow_direct", "republish", "deny_delete", "deny_purge"} {
		if !reflect.DeepEqual(made[name], has[name]) && (name != "max_age" || want.Name == queueStream) {
			all = append(all, fmt.Sprintf("%s: %v, this version makes %v", name, cmp.Or(has[name], "none"), cmp.Or(made[name], "none")))
		}
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
		err := c.retry(ctx, func(ctx context.Context) error {
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
	return &Registry{info.Digest, info.ModTime}, nil
}

// Reached returns an error if the engine cannot be reached.
func (c *Cluster) Reached() error {
	if !c.conn.IsConnected() {
		return c.reached(nats.ErrDisconnected)
	}
	return nil
}

// Monitored asks the monitoring port of a NATS server (http://host:8222) for the interval at which
// it writes acknowledged messages to its disk. Zero means that it writes them before it
// acknowledges them.
func Monitored(ctx context.Context, at string) (sync time.Duration, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asking the monitoring port at %s: %w", plainURL(at), err)
		}
	}()
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return 0, errors.New("want http://HOST:8222, with the port from the server's http_port")
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
