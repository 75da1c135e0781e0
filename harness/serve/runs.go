package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/flow"
	records "github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/shorten"
)

// URIs of the records of runs.
const (
	runsURI     = "usetools://runs"
	runTemplate = "usetools://runs/{id}"
)

const (
	// maxRuns is how many of the latest runs the list has.
	maxRuns = 50
	// runAnswers bounds a run in answers, in characters. Longer runs are cut like values.
	runAnswers = 10
	// maxRunBytes bounds a record that is read, with the values beside it.
	maxRunBytes = 64 << 20
)

// addRuns adds the resources with the records of runs.
func (c *session) addRuns() {
	c.mcp.AddResource(&mcp.Resource{URI: runsURI, Name: "runs", Title: "The latest runs, the newest first",
		MIMEType: "application/json"}, c.readRuns)
	c.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: runTemplate, Name: "run",
		Title: "A run: script, calls, output, value", MIMEType: "application/json"}, c.readRun)
}

// visibleRuns returns a filter for the runs that the session may see: all for the operator, those of
// the token, or those of an anonymous session. It returns nil for anonymous clients without a
// session.
func (c *session) visibleRuns() *store.Filter {
	f := &store.Filter{Limit: maxRuns}
	if c.owner == guard.Operator {
		return f
	}
	subject := c.owner.Subject()
	f.Subject = &subject
	if c.owner != guard.Anonymous {
		return f
	}
	if !c.one {
		return nil
	}
	f.Session = c.id
	return f
}

// readRuns returns {"runs": [{"run", "time", "status", …}]}, as harness runs -json prints them.
func (c *session) readRuns(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	out := struct {
		Runs []*record.Summary `json:"runs"`
	}{[]*record.Summary{}}
	if f := c.visibleRuns(); f != nil {
		if err := c.s.reading.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer c.s.reading.Release(1)
		for s, err := range c.s.records.List(ctx, f) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil { // the other records can be read
				c.s.log.Warn("a record cannot be read", "error", err)
				continue
			}
			out.Runs = append(out.Runs, s)
		}
	}
	b, err := json.Marshal(out)
	return contents(req, "application/json", string(b)), err
}

// readRun returns one run as harness runs show -json prints it. A run that the session may not see
// is not found.
func (c *session) readRun(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	id, f := strings.TrimPrefix(uri, runsURI+"/"), c.visibleRuns()
	if f == nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err := c.s.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.s.reading.Release(1)
	run, err := c.loadRun(id, f)
	switch {
	case run == nil && (errors.Is(err, store.ErrNotFound) || c.owner != guard.Operator):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, err
	}
	b, err := json.Marshal(records.FullRecord(run))
	if err != nil {
		return nil, err
	}
	if cat := c.s.live.current(); cat != nil {
		if set := cat.Flow(); set != nil && run.Flow(&flow.Session{}, set, nil) {
			from := c.origin()
			c.s.harness.Returned(&from)
		}
	}
	c.s.memory.Handled(len(b))
	return contents(req, "application/json", string(shorten.JSON(b, runAnswers*c.s.opts.Answer))), nil
}

// recorded returns a run of the session's owner.
func (c *session) recorded(ctx context.Context, id string) (*record.Run, error) {
	if err := c.s.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.s.reading.Release(1)
	subject := c.owner.Subject()
	return c.loadRun(id, &store.Filter{Subject: &subject})
}

// loadRun reads the record of a run with the subject and the session of a filter. For a run that is
// too large it also returns an error. The caller holds c.s.reading.
func (c *session) loadRun(id string, f *store.Filter) (*record.Run, error) {
	run, err := c.s.records.Load(id)
	if err != nil {
		return nil, err
	}
	if b := run.Begin; b.ID != id || f.Subject != nil && *f.Subject != b.Subject || f.Session != "" && f.Session != b.Session {
		return nil, store.ErrNotFound
	}
	if n := run.Bytes(); n > maxRunBytes {
		return run, fmt.Errorf("the run has %d MB of values, more than can be read here: ask the operator for run %s",
			n>>20, id)
	}
	return run, nil
}
