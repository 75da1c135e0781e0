package build

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
)

// Options configure a build.
type Options struct {
	// Previous is the registry of an earlier build; nil: everything is new.
	Previous *registry.Registry
	// Pins is the file of the pins (registry.PinsPath), which is read, and
	// written where they change; empty: what Previous says was accepted.
	Pins string
	// Embed gives the tools that have no embedding one, and sets
	// Registry.Embedder. The registry that it gets has the embeddings and the
	// Embedder of Previous where those were kept; a hook with another model
	// makes them all anew. nil: no embeddings but those of Previous.
	Embed func(ctx context.Context, r *registry.Registry) error
	// Progress is called, never twice at a time, when a server is asked and
	// when it has answered or failed; nil: nobody is told.
	Progress func(Event)
	// Only are the servers to ask; of the others Previous is taken as it is,
	// if it has them without an error. nil: all are asked.
	Only map[string]bool
	// Dial connects to a server; nil means dial.Open.
	Dial func(ctx context.Context, s config.Server) (backend.Backend, error)
}

// Event tells of one server's progress.
type Event struct {
	Server string
	Done   bool // false: it is asked now; true: it has answered or failed
	Tools  int
	Time   time.Duration
	Err    error
	// Finished of Total servers are done.
	Finished, Total int
}

// Build asks the servers of a config for their tools. Servers that fail are
// in the report, not an error; the errors are a canceled context and a failed
// Embed hook.
func Build(ctx context.Context, c *config.Config, opts *Options) (*registry.Registry, *Report, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Dial == nil {
		o.Dial = dial.New(&dial.Options{Known: o.Previous}).Open
	}
	start := time.Now()
	answers := ask(ctx, c.Servers, o)
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("building registry: %w", err)
	}
	r := &registry.Registry{Config: c.Digest()}
	report := &Report{Servers: make([]ServerReport, 0, len(answers))}
	for i := range answers {
		a := &answers[i]
		a.recall(o.Previous)
		a.choose(&c.Servers[i])
		a.confine(c.Servers)
		r.Servers = append(r.Servers, a.server)
		r.Tools = append(r.Tools, a.tools...)
		report.Servers = append(report.Servers, a.report())
	}
	r.Normalize()
	waiting, pins := hold(r, o.Previous, c.Servers, answers, o.Pins)
	report.Pins = cmp.Or(pins.Err, pins.Save(o.Pins))
	derive(r, o.Previous)
	if o.Previous != nil && slices.ContainsFunc(r.Tools, func(t registry.Tool) bool { return len(t.Embedding) > 0 }) {
		r.Embedder = o.Previous.Embedder
	}
	if o.Embed != nil {
		if err := o.Embed(ctx, r); err != nil {
			return nil, nil, fmt.Errorf("embedding tools: %w", err)
		}
	}
	report.Changes = registry.Diff(o.Previous, r)
	report.Changed = changed(o.Previous, r, report.Changes.Changed)
	for _, id := range waiting {
		t, _ := r.Tool(id)
		accepted, now, _ := pins.Change(t.Server, t.Name)
		if c := Compare(id, accepted, now); len(c.What) > 0 {
			c.Held = true
			report.Changed = append(report.Changed, c)
			report.Changes.Changed = append(report.Changes.Changed, id)
			report.Changes.Added = slices.DeleteFunc(report.Changes.Added, func(new string) bool { return new == id })
		}
	}
	report.Time = time.Since(start)
	return r, report, nil
}

// ask asks all servers at once and returns their answers in the same order.
func ask(ctx context.Context, servers []config.Server, o Options) []answer {
	answers := make([]answer, len(servers))
	var mu sync.Mutex // of Progress and finished
	finished := 0
	tell := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Done {
			finished++
		}
		if o.Progress != nil {
			e.Finished, e.Total = finished, len(servers)
			o.Progress(e)
		}
	}
	var wg sync.WaitGroup
	for i, s := range servers {
		if a, ok := known(s.Name, o); ok {
			answers[i] = a
			tell(Event{Server: s.Name, Done: true, Tools: len(a.tools)})
			continue
		}
		wg.Go(func() {
			tell(Event{Server: s.Name})
			start := time.Now()
			b, err := o.Dial(ctx, s)
			var l *backend.Listing
			if err == nil {
				defer b.Close() // after the answer is told: closing may take a while
				l, err = b.List(ctx)
			}
			a := answer{err: err, time: time.Since(start)}
			if a.server = (registry.Server{Name: s.Name, Transport: s.Type}); err == nil {
				a.server, a.tools = l.Server, l.Tools
				a.server.Name = s.Name
				for i := range a.tools {
					a.tools[i].Server = s.Name
				}
			}
			answers[i] = a
			tell(Event{Server: s.Name, Done: true, Tools: len(a.tools), Time: a.time, Err: err})
		})
	}
	wg.Wait()
	return answers
}
