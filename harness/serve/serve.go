package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/console"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/harness/telemetry"
)

// Options configure a Server. Nil means defaults.
type Options struct {
	// Catalog returns what scripts can use. If nil, scripts have no tools.
	Catalog func(context.Context) (*catalog.Catalog, error)
	// Watch reports each new catalog until its context ends, as harness.Files.Watch does. If nil,
	// the catalog does not change.
	Watch func(ctx context.Context, updated func(*catalog.Catalog, error)) error
	// Tools says which tools clients see. If empty, it is Execute.
	Tools Mode
	// ListTokens is the maximum cost of tools/list in the mode Execute, in tokens of cl100k, 300 to
	// 4,000. If zero, it is DefaultListTokens.
	ListTokens int
	// UsageOrder lists first the tools that a client used most in the last 30 days, with
	// inferred result types. The list is made when a session begins. If false, the list
	// depends on the registry alone and is the same from all instances.
	UsageOrder bool
	// Answer bounds the text of an answer, in characters. If zero, it is DefaultAnswer.
	Answer int
	// Limits bound each run. A client may ask for less time, not for more.
	Limits harness.Limits
	// Strict is that of harness.Script.
	Strict bool
	// Policy says which tools may be called. If nil, all may.
	Policy *policy.Policy
	// Spares, WorkerCommand and BestEffort are those of harness.Options.
	Spares        int
	WorkerCommand []string
	BestEffort    bool
	// Resume says what happens at the start with runs of Records whose processes died. If empty, it
	// is ResumeAsk.
	Resume Resuming
	// Approvals says who may approve calls. If empty, it is ApprovalsAny.
	Approvals Approvals
	// NoRejoin starts a run for every request. Otherwise a repeated request rejoins its earlier run
	// if that is pending, uncertain, or its result was not delivered. Once keys apply in any case.
	NoRejoin bool
	// MaxRuns is how many scripts run at a time, and MaxQueue how many may wait. If zero, they are
	// guard.DefaultMaxRuns and guard.DefaultMaxQueue.
	MaxRuns, MaxQueue int
	// MaxResultBytes bounds the results of tools under way in one session. If zero, it is
	// harness.DefaultRoom.
	MaxResultBytes int64
	// Audit is the file that gets a line for each run and each call.
	Audit observe.AuditFile
	// Telemetry receives each run and each call without a script. It may be nil. Its opener closes
	// it, after the server.
	Telemetry *telemetry.Telemetry
	// Records keeps a record of each run and each call without a script. If nil, the last
	// DefaultRecords are kept in memory.
	Records *store.Store
	// Kept keeps the values that have a handle for Stored. If nil, they are kept in the memory of
	// this process.
	Kept Kept
	// Elsewhere runs the scripts in other processes, see harness.Options. If nil, they run here.
	Elsewhere harness.Elsewhere
	// Guides has the pages of the console's help, see [console.Options], and the text of the
	// skill that explains execute. If nil, there is neither.
	Guides fs.FS
	// Metrics writes further metrics after the server's own. Engine returns an error for /healthz
	// if scripts cannot run. Cluster returns the state of the cluster for the console. Each may be
	// nil.
	Metrics func(io.Writer)
	Engine  func() error
	Cluster func(context.Context) (*console.Cluster, error)
	// Key signs the state that clients carry between requests, such as questions to their users. It
	// has at least 32 bytes. Instances that serve the same clients need the same key. If empty, it
	// is random.
	Key []byte
	// Grace is how long scripts may keep running when the server ends. If zero, it is DefaultGrace;
	// if negative, they are canceled at once.
	Grace time.Duration
	// Files are the configs of Catalog, which the console shows and changes. If nil, it does not.
	Files *catalog.Files
	// KeptFor says for how long records are kept, in words, for the console.
	KeptFor string
	// Command returns a command line that finds the config and the records, for people on this
	// machine. If nil, answers have no commands.
	Command func(args ...string) string
	// Log receives messages for the operator. If nil, they are discarded.
	Log *slog.Logger
	// Version is the version of this build, for clients and records. If empty, it is "dev".
	Version string
}

// Defaults of Options.
const (
	DefaultListTokens = 1000
	DefaultAnswer     = 20_000
	DefaultGrace      = 5 * time.Second
	DefaultRecords    = 200
)

// KeyVariable is the environment variable that may have the key.
const KeyVariable = "USETOOLS_KEY"

// minKey and maxKey bound a key, in bytes.
const (
	minKey = 32
	maxKey = 4 << 10
)

// ReadKey reads a key from a file or, without one, uses that of the environment. Without either it
// returns nil.
func ReadKey(file, env string) ([]byte, error) {
	key := []byte(strings.TrimSpace(env))
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading the key: %w", err)
		}
		defer f.Close()
		if key, err = io.ReadAll(io.LimitReader(f, maxKey+1)); err != nil {
			return nil, fmt.Errorf("reading the key: %w", err)
		}
		key = bytes.TrimSpace(key)
	}
	if len(key) == 0 && file == "" {
		return nil, nil
	}
	return key, checkKey(key)
}

func checkKey(key []byte) error {
	if len(key) < minKey || len(key) > maxKey {
		return fmt.Errorf("a key of %d bytes: want %d to %d, as openssl rand -hex 32 makes them", len(key), minKey, maxKey)
	}
	return nil
}

// AnswerKey returns the key that signs people's answers, derived from a key, so that all instances
// with that key accept them.
func AnswerKey(key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("usetools answers/1"))
	return m.Sum(nil)
}

// Server serves scripts to MCP clients, over any number of transports.
type Server struct {
	opts    Options
	log     *slog.Logger
	harness *harness.Harness
	live    *live
	queue   *guard.Queue
	kept    *keeper
	audit   *observe.Audit
	metrics *observe.Metrics
	records *store.Store
	reading *semaphore.Weighted // one at a time reads records or lists of skills
	resumer *resumer

	ctx  context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	sessions map[*session]struct{}
	owned    map[guard.Owner]*owned
	texts    struct { // the descriptions of execute
		of *catalog.Catalog
		by map[textKey]string
	}
	changed time.Time   // when a client's description changed last
	later   *time.Timer // updates the descriptions later, or nil
	closed  bool

	memory guard.Memory
}

// New starts a server: its spare workers, and loading and watching its catalog. It returns an error
// for invalid options.
func New(opts *Options) (*Server, error) {
	s := &Server{sessions: map[*session]struct{}{}, owned: map[guard.Owner]*owned{}}
	if opts != nil {
		s.opts = *opts
	}
	o := &s.opts
	o.ListTokens = cmp.Or(o.ListTokens, DefaultListTokens)
	o.Answer = cmp.Or(o.Answer, DefaultAnswer)
	o.MaxRuns = cmp.Or(o.MaxRuns, guard.DefaultMaxRuns)
	o.MaxQueue = cmp.Or(o.MaxQueue, guard.DefaultMaxQueue)
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
	o.Tools = cmp.Or(o.Tools, Execute)
	o.Version = cmp.Or(o.Version, "dev")
	o.Resume, o.Approvals = cmp.Or(o.Resume, ResumeAsk), cmp.Or(o.Approvals, ApprovalsAny)
	if o.Limits.Timeout == 0 {
		o.Limits.Timeout = 30 * time.Second
	}
	for _, err := range []error{oneOf("tools", o.Tools, Modes), o.Policy.Validate(), oneOf("resume", o.Resume, Resumings),
		oneOf("approvals", o.Approvals, AllApprovals)} {
		if err != nil {
			return nil, err
		}
	}
	if o.ListTokens < minListTokens || o.ListTokens > maxListTokens {
		return nil, fmt.Errorf("a tool list of %d tokens: want %d to %d", o.ListTokens, minListTokens, maxListTokens)
	}
	if o.Answer < 500 {
		return nil, fmt.Errorf("answers of %d characters: want at least 500", o.Answer)
	}
	if s.log = o.Log; s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if len(o.Key) == 0 {
		o.Key = make([]byte, minKey)
		rand.Read(o.Key)
	}
	if err := checkKey(o.Key); err != nil {
		return nil, err
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.metrics = observe.NewMetrics(s.log)
	s.queue = guard.NewQueue(o.MaxRuns, o.MaxQueue)
	s.kept = newKeeper(o.Kept)
	if s.records = o.Records; s.records == nil {
		s.records = store.Memory(DefaultRecords, nil)
	}
	s.reading = semaphore.NewWeighted(1)
	var err error
	if s.audit, err = observe.OpenAudit(o.Audit, s.log, s.metrics); err != nil {
		return nil, err
	}
	s.harness = harness.New(&harness.Options{Limits: o.Limits, Spares: o.Spares, WorkerCommand: o.WorkerCommand,
		BestEffort: o.BestEffort, Records: s.records, Elsewhere: o.Elsewhere, Version: o.Version})
	s.live, s.resumer = newLive(s), newResumer(s)
	s.work.Go(s.live.run)
	s.work.Go(s.resumer.run)
	s.work.Go(func() {
		if err := s.records.Prune(); err != nil {
			s.log.Warn("old records could not be deleted", "error", err)
		}
	})
	return s, nil
}

func oneOf[T ~string](option string, v T, values []T) error {
	if !slices.Contains(values, v) {
		return fmt.Errorf("%s %q: want one of %q", option, v, values)
	}
	return nil
}

// Close ends the server. No further script begins. Running scripts have the grace time and are then
// canceled.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	if n := s.queue.Close(max(s.opts.Grace, 0)); n > 0 {
		s.log.Warn("canceling scripts that are still running", "scripts", n)
	}
	s.end()
	s.drain()
	s.queue.Drain(5 * time.Second)
	s.work.Wait()
	return errors.Join(s.harness.Close(), s.audit.Close())
}

// drain waits, for the grace time, for effect calls under way, so that their outcomes are recorded.
func (s *Server) drain() {
	cat := s.live.current()
	if cat == nil || s.opts.Grace <= 0 {
		return
	}
	calls, ok := cat.Calls.(interface{ Drain(context.Context) error })
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Grace)
	defer cancel()
	if err := calls.Drain(ctx); err != nil {
		s.log.Warn("ending", "error", err)
	}
}

// Stdio serves one client over a pair of streams until the client closes in or ctx ends. If the
// client leaves, its running scripts are canceled. If ctx ends, they have the grace time.
func (s *Server) Stdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	c := s.newSession("stdio", guard.Operator, "", s.opts.Tools, true, true, nil)
	defer c.end()
	return transport.Stdio(ctx, c.mcp, in, out, func() bool { return s.queue.Close(max(s.opts.Grace, 0)) == 0 }, s.memory.Handled)
}

// writeMetrics writes the metrics of the server, then those of Options.Metrics.
func (s *Server) writeMetrics(w io.Writer) {
	now := &observe.Load{Clients: len(s.clients())}
	now.Running, now.Waiting = s.queue.Load()
	if cat := s.live.current(); cat != nil {
		now.Registry = cat.Registry
	}
	s.metrics.Write(w, now)
	if s.opts.Metrics != nil {
		s.opts.Metrics(w)
	}
}
