package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
)

// DefaultPool is the default pool of runners.
const DefaultPool = "default"

// ValidPool returns an error unless a pool's name has 1 to 64 letters, digits, dots,
// underscores and hyphens.
func ValidPool(name string) error {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return fmt.Errorf("the pool %.80q: want 1 to 64 letters, digits, dots, underscores and hyphens", name)
	}
	return nil
}

const (
	jobVersion = 2
	// maxJob bounds a job, in bytes: its script, inputs and stored values.
	maxJob = 64 << 20
	// maxJobText bounds a name in a job, in bytes.
	maxJobText = 4 << 10
)

// Kinds of jobs.
const (
	kindRun    = "run"
	kindResume = "resume"
)

// job is a message of the queue: a script for a runner to run, or a run to resume.
type job struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	// ID is the ID of the run. Name is the name of the record that it begins.
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Front   string `json:"front"` // the process that waits for the result
	Pool    string `json:"pool"`
	Request string `json:"request,omitempty"` // digest
	// Until is the time after which the run must not begin.
	Until time.Time `json:"queue_until"`
	// Attempts is the number of attempts of the run to resume.
	Attempts int    `json:"attempts,omitempty"`
	Revision string `json:"revision,omitempty"` // of the registry that the front end saw
	Trace    string `json:"traceparent,omitempty"`
	// Lines, Output, Errors and Asks say what the runner sends the front end during the run.
	Lines  bool `json:"lines,omitempty"`
	Output bool `json:"output,omitempty"`
	Errors bool `json:"errors,omitempty"`
	Asks   bool `json:"asks,omitempty"`
	// Script is nil in the message of a large job: its JSON is a value, which Apart names.
	Script *harness.Script `json:"script,omitempty"`
	Apart  string          `json:"apart,omitempty"`
}

// newJob returns the job of a script. ctx has the trace that the run is part of. The policy rules
// of this process's config apply in addition to the runner's.
func newJob(ctx context.Context, kind, id string, s *harness.Script) *job {
	rules := s.Policy
	if s.Catalog != nil {
		rules = rules.With("", s.Catalog.Rules)
	}
	trace := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, trace)
	return &job{V: jobVersion, Kind: kind, ID: id, Trace: trace.Get("traceparent"),
		Lines: s.OnProgress != nil, Output: s.Stdout != nil, Errors: s.Stderr != nil, Asks: s.Ask != nil,
		Script: &harness.Script{Source: s.Source, Inputs: s.Inputs, Limits: s.Limits, Policy: rules, Strict: s.Strict, Dry: s.Dry,
			Origin: s.Origin}}
}

// script returns a copy of the script with the job's request.
func (j *job) script() *harness.Script {
	s := *j.Script
	r := &s.Origin.Request
	r.Digest, r.Run, r.Front = j.Request, j.Name, j.Front
	return &s
}

// trace returns ctx with the trace that the job is part of.
func (j *job) trace(ctx context.Context) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": j.Trace})
}

// errVersion is the error for a job of another version.
var errVersion = errors.New("the job is of another version")

// parseJob decodes and checks a job. It ignores unknown members.
func parseJob(b []byte) (*job, error) {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("reading a job: %w", err)
	}
	if v.V != jobVersion {
		return nil, fmt.Errorf("%w: %d; want %d", errVersion, v.V, jobVersion)
	}
	var j job
	if err := json.Unmarshal(b, &j); err != nil {
		return nil, fmt.Errorf("reading a job: %w", err)
	}
	if err := j.validate(); err != nil {
		return nil, fmt.Errorf("reading a job: %w", err)
	}
	return &j, nil
}

func (j *job) validate() error {
	_, id, ok := store.ParseName(j.Name)
	switch {
	case j.Kind != kindRun && j.Kind != kindResume:
		return fmt.Errorf("the kind is %.20q: want %q or %q", j.Kind, kindRun, kindResume)
	case !validID(j.ID):
		return fmt.Errorf("invalid run ID %.40q", j.ID)
	case j.Kind == kindRun && (!ok || id != j.ID):
		return fmt.Errorf("invalid record name %.60q for run %s", j.Name, j.ID)
	case j.Until.IsZero():
		return errors.New("queue_until is missing")
	case (j.Script == nil) == (j.Apart == ""):
		return errors.New("want either script or apart")
	case j.Attempts < 0:
		return fmt.Errorf("invalid number of attempts: %d", j.Attempts)
	}
	for _, s := range []string{j.Front, j.Pool, j.Request, j.Revision, j.Trace, j.Apart} {
		if len(s) > maxJobText {
			return fmt.Errorf("a text has %d bytes; the limit is %d", len(s), maxJobText)
		}
	}
	if j.Script != nil {
		return validScript(j.Script)
	}
	return nil
}

func validScript(s *harness.Script) error {
	key := s.Origin.Tenant
	if strings.Trim(key, "0123456789abcdef") != "" || len(key) > 64 { // it becomes part of a file's name
		return fmt.Errorf("invalid tenant key %.80q", key)
	}
	return s.Policy.Validate()
}

func validID(id string) bool {
	_, _, ok := store.ParseName("20060102T150405.000000Z-" + id)
	return ok
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// errUnreachable is returned while the engine cannot be reached.
var errUnreachable = busy("the cluster cannot be reached")

// busy returns the error of a script that cannot run now.
func busy(why string) *guard.BusyError {
	return &guard.BusyError{Why: why, RetryAfter: 2 * time.Second}
}

// enqueue puts a job into the queue. key identifies the job, so that repeated tries store it once.
// The error is a *guard.BusyError if the job is certainly not in the queue: the queue is full, or
// the engine was not reached. After any other error the job may have been stored and taken, because
// a try was not answered.
func (c *Cluster) enqueue(ctx context.Context, j *job, key string) error {
	b, err := marshal(j)
	if err != nil {
		return err
	}
	if len(b) > maxJob {
		return fmt.Errorf("the script with its inputs has %d bytes; the limit is %d", len(b), maxJob)
	}
	if len(b) > maxPart {
		if b, err = c.withoutScript(ctx, j); lostRequest(err) {
			err = errUnreachable
		}
		if err != nil {
			return err
		}
	}
	msg := nats.NewMsg(jobSubject(j.Pool, j.Request, j.ID))
	msg.Data = b
	unanswered := false // a try
	err = c.retry(ctx, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, msg, jetstream.WithMsgID(key))
		if conflict(err) { // an earlier try is under way
			err = nats.ErrTimeout
		}
		unanswered = unanswered || lostRequest(err) && !notSent(err)
		return err
	})
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case unanswered:
		return err
	case notSent(err):
		err = errUnreachable
	case errors.As(err, &api) && full(api):
		err = busy("the queue of the cluster is full")
	default:
		return err
	}
	c.dropApart(j.ID, j.Apart)
	return err
}

// withoutScript stores the script of a large job separately, and returns the message without it.
func (c *Cluster) withoutScript(ctx context.Context, j *job) ([]byte, error) {
	script, err := marshal(j.Script)
	if err != nil {
		return nil, err
	}
	if j.Apart, err = c.putApart(ctx, j.ID, script); err != nil {
		return nil, err
	}
	stub := *j
	stub.Script = nil
	return marshal(&stub)
}

// fetchApart reads the script of a large job.
func (c *Cluster) fetchApart(ctx context.Context, j *job) error {
	if j.Script != nil {
		return nil
	}
	var s harness.Script
	b, err := c.apart(ctx, j.ID, j.Apart, maxJob)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err == nil {
		err = validScript(&s)
	}
	if err != nil {
		return fmt.Errorf("reading the script of run %s: %w", j.ID, err)
	}
	j.Script = &s
	return nil
}

// queued returns the job of a run if no runner has finished it, or nil.
func (c *Cluster) queued(ctx context.Context, id string) (*job, uint64, error) {
	msg, err := c.last(ctx, c.queue, prefix+"run.*.*."+id)
	return c.jobIn(ctx, msg, err)
}

// nextJob returns the first job of a request in the queue at or after a sequence, or nil.
func (c *Cluster) nextJob(ctx context.Context, request string, seq uint64) (*job, uint64, error) {
	msg, err := c.next(ctx, c.queue, prefix+"run.*."+token(request)+".*", seq)
	return c.jobIn(ctx, msg, err)
}

// jobIn decodes the job in a message of the queue.
func (c *Cluster) jobIn(ctx context.Context, msg *jetstream.RawStreamMsg, err error) (*job, uint64, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	j, err := parseJob(msg.Data)
	if err == nil {
		err = c.fetchApart(ctx, j)
	}
	return j, msg.Sequence, err
}

// restrict returns a policy with the runner's own denials added.
func (o *RunnerOptions) restrict(p *policy.Policy) *policy.Policy {
	if len(o.Deny) == 0 && !o.ReadOnly {
		return p
	}
	q := policy.Policy{}
	if p != nil {
		q = *p
	}
	q.Deny, q.ReadOnly = append(append([]string{}, q.Deny...), o.Deny...), q.ReadOnly || o.ReadOnly
	return &q
}

// stricter returns the smaller of each pair of limits. Zero values do not count.
func stricter(a, b harness.Limits) harness.Limits {
	return harness.Limits{Timeout: less(a.Timeout, b.Timeout), CPU: less(a.CPU, b.CPU), Stdout: less(a.Stdout, b.Stdout),
		Value: less(a.Value, b.Value), Calls: less(a.Calls, b.Calls), Parallel: less(a.Parallel, b.Parallel),
		Result: less(a.Result, b.Result), Memory: less(a.Memory, b.Memory)}
}

func less[N int | int64 | time.Duration](a, b N) N {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}
