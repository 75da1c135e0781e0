package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/usetools/usetools/registry/localfile"
)

// Options configure a Cluster.
type Options struct {
	// URL names the servers of NATS, separated by commas.
	URL string
	// Creds is a file with an nkey seed (SU…) or a user's credentials (a JWT and a seed).
	// If empty, the process connects without a user.
	Creds string
	// CA, Cert and Key are files for TLS: the authorities that sign the servers'
	// certificates, and this client's certificate. If empty, the system's authorities count,
	// and the client has no certificate.
	CA, Cert, Key string
	// Replicas is the number of servers for each stream that this process makes. If zero,
	// it is 1.
	Replicas int
	// Queue is the number of jobs that may wait in a queue that this process makes. If zero,
	// it is DefaultQueue.
	Queue int64
	// AckWait is how long a process may be silent before it counts as dead. If zero, it is
	// DefaultAckWait. All processes of a cluster need the same value.
	AckWait time.Duration
	// Name is the name of this process in lists. If empty, it is the host's name and the PID.
	Name string
	// Version is the version of its build, for the same lists.
	Version string
	// Cache is the folder for copies of the registry and the saved scripts. If empty, it is
	// one in the user's cache folder.
	Cache string
	// Existing makes Connect fail if a stream is missing, instead of making it.
	Existing bool
	// Log receives messages for the operator. If nil, they are dropped.
	Log *slog.Logger
}

// Defaults of Options, and bounds.
const (
	DefaultQueue   = 10_000
	DefaultAckWait = 20 * time.Second

	// jobAge is how long a job stays in the queue at most.
	jobAge = 30 * time.Minute
	// requestTimeout is the timeout of one request to the engine, which is repeated until its context
	// ends.
	requestTimeout = 2 * time.Second
	// awayFor is how long a client waits for a lost connection. A failover takes less.
	awayFor = 5 * time.Second
	// maxPart is the size limit of one message, in bytes: half of the default limit of servers.
	maxPart = 512 << 10
	// needs is the oldest version of the server in which a message can have its own lifetime.
	needsMajor, needsMinor = 2, 11
)

// Cluster is a connection to the engine. It is safe for concurrent use.
type Cluster struct {
	o    Options
	id   string // of this process, unique for ever
	log  *slog.Logger
	conn *nats.Conn
	js   jetstream.JetStream

	queue, records, state, kept, audit jetstream.Stream
	keys                               jetstream.KeyValue // of state
	files                              jetstream.ObjectStore
	revision                           atomic.Pointer[string] // see Revision; may be nil
	backing                            backing
	self                               self
	counts                             counts

	refused atomic.Pointer[refusal] // the last one
	away    atomic.Int64            // when the connection was lost, Unix ns; 0 while it stands

	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup
}

// Connect connects to the engine, and makes missing streams. Its error names the server and
// the reason.
func Connect(ctx context.Context, o *Options) (*Cluster, error) {
	c := &Cluster{o: *o, id: strings.ToLower(rand.Text())}
	c.o.Replicas = cmp.Or(c.o.Replicas, 1)
	c.o.Queue = cmp.Or(c.o.Queue, DefaultQueue)
	c.o.AckWait = cmp.Or(c.o.AckWait, DefaultAckWait)
	if c.o.Name == "" {
		host, _ := os.Hostname()
		c.o.Name = fmt.Sprintf("%s %d", host, os.Getpid())
	}
	if c.log = o.Log; c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.backing.c, c.backing.known.all = c, make(chan struct{})
	c.ctx, c.end = context.WithCancel(context.Background())
	if err := c.connect(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("connecting to the cluster at %s: %w", plainURL(o.URL), err)
	}
	return c, nil
}

// ID returns the unique ID of this process.
func (c *Cluster) ID() string { return c.id }

func (c *Cluster) connect(ctx context.Context) (err error) {
	opts := []nats.Option{
		nats.Name(c.o.Name),
		nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectBufSize(-1), // a message that cannot be sent now must not be sent later
		nats.Timeout(5 * time.Second), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.refuse(err)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.away.CompareAndSwap(0, time.Now().UnixNano())
			if err != nil && c.ctx.Err() == nil {
				c.log.Warn("the cluster cannot be reached", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.away.Store(0)
			c.log.Info("the cluster can be reached again", "server", nc.ConnectedUrlRedacted())
		}),
	}
	user, opts, err := c.secured(opts)
	if err != nil {
		return err
	}
	inbox := "_INBOX."
	if user != "" { // so that no other user of the account can receive the replies
		inbox += user + "."
	}
	opts = append(opts, nats.CustomInboxPrefix(inbox+c.id))
	if c.conn, err = nats.Connect(c.o.URL, opts...); err != nil {
		return err
	}
	var major, minor int
	fmt.Sscanf(c.conn.ConnectedServerVersion(), "%d.%d", &major, &minor)
	if major < needsMajor || major == needsMajor && minor < needsMinor {
		return fmt.Errorf("nats-server %s: want %d.%d or later", c.conn.ConnectedServerVersion(), needsMajor, needsMinor)
	}
	if c.conn.MaxPayload() < 2*maxPart {
		return fmt.Errorf("the server's messages may have %d bytes (max_payload): want %d", c.conn.MaxPayload(), 2*maxPart)
	}
	if c.js, err = jetstream.New(c.conn, jetstream.WithDefaultTimeout(requestTimeout)); err != nil {
		return err
	}
	if err := c.streams(ctx); err != nil {
		return err
	}
	return c.retry(ctx, func(ctx context.Context) (err error) {
		if c.keys, err = c.js.KeyValue(ctx, stateBucket); err == nil {
			c.files, err = c.js.ObjectStore(ctx, filesBucket)
		}
		return err
	})
}

// secured adds the options for authentication and TLS. user is the public key of the user; it is
// empty without a user.
func (c *Cluster) secured(opts []nats.Option) (user string, _ []nats.Option, err error) {
	if c.o.Creds != "" {
		key, jwt, err := userOf(c.o.Creds)
		if err != nil {
			return "", nil, err
		}
		if user, err = key.PublicKey(); err != nil {
			return "", nil, fmt.Errorf("%s: %w", c.o.Creds, err)
		}
		if jwt {
			opts = append(opts, nats.UserCredentials(c.o.Creds))
		} else {
			opts = append(opts, nats.Nkey(user, key.Sign))
		}
	}
	if c.o.CA != "" {
		opts = append(opts, nats.RootCAs(c.o.CA), nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	if c.o.Cert != "" {
		opts = append(opts, nats.ClientCert(c.o.Cert, c.o.Key))
	}
	return user, opts, nil
}

// userOf reads a file that Options.Creds names. jwt is true if it has a user's credentials.
func userOf(creds string) (key nkeys.KeyPair, jwt bool, err error) {
	b, err := localfile.Read(creds, maxCreds)
	if err != nil {
		return nil, false, err
	}
	if key, err = nkeys.ParseDecoratedUserNKey(b); err != nil {
		return nil, false, fmt.Errorf("%s: want an nkey seed of a user (SU…) or a user's credentials: %w", creds, err)
	}
	return key, !strings.HasPrefix(strings.TrimSpace(string(b)), "SU"), nil
}

// maxCreds bounds a credentials file, in bytes.
const maxCreds = 64 << 10

// streams finds the streams, or makes them.
func (c *Cluster) streams(ctx context.Context) error {
	began := time.Now()
	to := map[string]*jetstream.Stream{queueStream: &c.queue, recordsStream: &c.records, stateStream: &c.state,
		keptStream: &c.kept, auditStream: &c.audit}
	for _, s := range c.wanted() {
		err := c.retry(ctx, func(ctx context.Context) error {
			in, err := c.js.Stream(ctx, s.Name)
			if errors.Is(err, jetstream.ErrStreamNotFound) && !c.o.Existing {
				in, err = c.js.CreateStream(ctx, s)
				var api *jetstream.APIError
				if errors.As(err, &api) && api.ErrorCode == noPeers && time.Since(began) < peersWait {
					err = nats.ErrTimeout // the servers have just started: retry
				}
			}
			if err == nil && in.CachedInfo().Config.AllowDirect {
				err = errors.New("reads may return old data (allow_direct): switch it off")
			}
			if err == nil && to[s.Name] != nil {
				*to[s.Name] = in
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	return nil
}

const (
	// noPeers is the error code of the engine if a stream needs more servers than are available.
	noPeers = 10005
	// peersWait is how long making such a stream is retried.
	peersWait = 15 * time.Second
)

// wanted returns the configurations of the streams as this version makes them.
func (c *Cluster) wanted() []jetstream.StreamConfig {
	all := []jetstream.StreamConfig{
		{Name: queueStream, Subjects: []string{prefix + "run.>"}, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, MaxMsgs: c.o.Queue, MaxAge: jobAge},
		{Name: recordsStream, Subjects: []string{prefix + "rec.>", prefix + "val.>"}, MaxAge: 32 * 24 * time.Hour},
		{Name: keptStream, Subjects: []string{prefix + "kept.>"}, MaxAge: keptFor},
		{Name: auditStream, Subjects: []string{prefix + "audit.>"}, MaxAge: 30 * 24 * time.Hour},
		// This is how NATS makes buckets, except that only their leaders are read, so that no read
		// returns an older value.
		{Name: stateStream, Subjects: []string{stateSubjects + ">"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
			AllowMsgTTL: true, AllowRollup: true},
		{Name: filesStream, Subjects: []string{"$O." + filesBucket + ".C.>", "$O." + filesBucket + ".M.>"},
			Discard: jetstream.DiscardNew, AllowRollup: true},
	}
	for i := range all {
		all[i].Storage, all[i].Replicas, all[i].Duplicates = jetstream.FileStorage, c.o.Replicas, 2*time.Minute
	}
	return all
}

// retry repeats a request to the engine until it is answered or ctx ends, because a request that is
// under way when a connection breaks gets no answer.
func (c *Cluster) retry(ctx context.Context, request func(context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, requestTimeout)
		began := time.Now()
		err := request(try)
		cancel()
		if lostRequest(err) {
			err = c.permitted(began, err)
		}
		if !lostRequest(err) || ctx.Err() != nil || ctx.Value(failFast{}) != nil && c.gone() {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-c.ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// PermissionError is returned if the user of this process lacks a permission.
type PermissionError struct{ Err error } // of the NATS server

func (e *PermissionError) Error() string {
	if strings.Contains(e.Err.Error(), "$JS.API.STREAM.CREATE.") {
		return "this user may not make streams: a user of the role admin makes them once, with " +
			"harness doctor -cluster URL -cluster-creds FILE -make-streams"
	}
	return e.Err.Error() + ": compare the user's permissions with those of its role in examples/cluster/README.md, Users"
}

func (e *PermissionError) Unwrap() error { return e.Err }

// refusal is a permission error that a server reported, and its time.
type refusal struct {
	no *PermissionError
	at time.Time
}

// refuse notes an error that a server reports separately from the request; the request itself gets
// no answer.
func (c *Cluster) refuse(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		c.log.Warn("cluster", "error", err)
		return
	}
	no := &PermissionError{err}
	before := c.refused.Swap(&refusal{no, time.Now()})
	if before == nil || before.no.Error() != no.Error() || time.Since(before.at) > refusedAgain {
		c.log.Warn("cluster", "error", no)
	}
}

// refusedAgain is how long a repeated permission error is not logged.
const refusedAgain = time.Minute

// permitted returns the error of an unanswered request: a PermissionError if a server has reported
// one since the request began, otherwise err.
func (c *Cluster) permitted(began time.Time, err error) error {
	r := c.refused.Load()
	if r != nil && r.at.After(began) && c.conn.IsConnected() && strings.Contains(strings.ToLower(r.no.Err.Error()), "for publish") {
		return r.no
	}
	return err
}

// failFast is the context key for requests that are not repeated once the connection is gone.
type failFast struct{}

// forClient returns a context for requests that a client waits for.
func (c *Cluster) forClient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, failFast{}, true), c.o.AckWait)
}

// gone reports whether the connection was lost more than awayFor ago.
func (c *Cluster) gone() bool {
	since := c.away.Load()
	return since != 0 && time.Since(time.Unix(0, since)) > awayFor
}

// lostRequest reports whether an error means that a request got no answer and should be repeated.
func lostRequest(err error) bool {
	var api *jetstream.APIError
	return err != nil && !errors.Is(err, nats.ErrConnectionClosed) &&
		(errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
			errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrDisconnected) ||
			errors.Is(err, nats.ErrReconnectBufExceeded) || errors.As(err, &api) && api.Code == 503 && !full(api))
}

// notSent reports whether an error means that a request was not even sent.
func notSent(err error) bool {
	return errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionClosed)
}

// full reports whether the engine refused a message because its stream has no room.
func full(api *jetstream.APIError) bool { return strings.Contains(api.Description, "maximum messages") }

// Close waits for the users of the connection, and ends it.
func (c *Cluster) Close() error {
	c.end()
	c.work.Wait()
	if c.conn != nil {
		c.conn.Close()
	}
	return nil
}
