package cluster

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/library"
)

// What the tests outside of the package use: the helpers of those inside, names of
// subjects and streams, and what only a failure does.
var (
	ConnectTo, BeginRun, AddLines, Must, EffectCall = connect, begin, add, must, effect
	Eventually, Home, Late                          = eventually, home, late

	CancelSubject, JobSubject    = cancelSubject, jobSubject
	Token, NewJob                = token, newJob
	PackRevision, UnpackRevision = packRevision, unpackRevision
)

const (
	AwayFor, Each, Few, IDSize, MaxShapes, Part = awayFor, requestTimeout, maxSingleReads, idSize, maxShapes, maxPart
	FilesBucket, RegistryObject, Prefix         = filesBucket, registryObject, prefix
	KindRun                                     = kindRun

	KeptStream, QueueStream, RecordsStream, StateStream, StateSubjects = keptStream, queueStream, recordsStream, stateStream, stateSubjects
)

func (c *Cluster) Conn() *nats.Conn              { return c.conn }
func (c *Cluster) JS() jetstream.JetStream       { return c.js }
func (c *Cluster) Jobs() jetstream.Stream        { return c.queue }
func (c *Cluster) RecordLines() jetstream.Stream { return c.records }
func (c *Cluster) SetAway(since time.Time)       { c.away.Store(since.UnixNano()) }
func (c *Cluster) SetRevision(revision string)   { c.revision.Store(&revision) }

func (c *Cluster) Announce(say func(*Process)) (leave func(), err error) { return c.announce(say) }

func (c *Cluster) Processes(ctx context.Context) ([]*Process, error) { return c.processes(ctx) }

func (c *Cluster) Objects() jetstream.ObjectStore { return c.files }

func (c *Cluster) FirstRevision(ctx context.Context, path string) (there bool, err error) {
	return c.firstRevision(ctx, path)
}

func (c *Cluster) Spread(ctx context.Context, dir string) (*library.Library, error) {
	return c.spread(ctx, dir)
}

func (c *Cluster) Enqueue(ctx context.Context, j *job, id string) error { return c.enqueue(ctx, j, id) }

func (c *Cluster) Queued(ctx context.Context, id string) (*job, uint64, error) {
	return c.queued(ctx, id)
}

// FrontWithoutSubscriptions is a front end that can only ask.
func FrontWithoutSubscriptions(c *Cluster) *Front { return &Front{c: c} }

func (f *Front) Enqueue(ctx context.Context, j *job) error { return f.enqueue(ctx, j) }

func (f *Front) Note(ctx context.Context, j *job, seen *harness.Seen) error {
	return f.note(ctx, j, seen)
}

func (f *Front) RequestDigest(s *harness.Script) string {
	return f.o.Records.RequestDigest(s.Origin.Subject, s.Source, s.Inputs, s.Dry)
}

// Expect has a client wait for a run until forget is called.
func (f *Front) Expect(ctx context.Context, id string) (forget func()) {
	_, forget = f.expect(ctx, id, &harness.Script{})
	return forget
}

// Waits reports whether a client waits here for a run.
func (f *Front) Waits(id string) bool { return f.hasClient(id) }
