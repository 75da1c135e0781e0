package cluster

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// event is a message of a runner to the front end of a job.
type event struct {
	Progress *record.Progress `json:"progress,omitempty"`
	Stdout   []byte           `json:"stdout,omitempty"`
	Stderr   []byte           `json:"stderr,omitempty"`
	Result   json.RawMessage  `json:"result,omitempty"` // as outcome.Encode makes it
	Error    json.RawMessage  `json:"error,omitempty"`  // as harness.EncodeError makes it
	// Apart names the value that has the JSON of an event that is too large for a message.
	Apart string `json:"apart,omitempty"`
}

// maxEvent bounds an event, in bytes.
const maxEvent = 256 << 20

// eventMessage returns the message of an event. A large event is stored beside the run's record
// until the front end has read it.
func (c *Cluster) eventMessage(ctx context.Context, run, subject string, e *event) (*nats.Msg, error) {
	b, err := marshal(e)
	if err == nil && len(b) > maxPart {
		large := event{}
		if large.Apart, err = c.putApart(ctx, run, b); err == nil {
			b, err = marshal(large)
		}
	}
	return &nats.Msg{Subject: subject, Data: b}, err
}

// take hands an event to the script's listeners, and returns the result if it has one.
func (w *waiter) take(data []byte) *jobResult {
	var e event
	if json.Unmarshal(data, &e) != nil {
		return nil
	}
	if name := e.Apart; name != "" {
		ctx, cancel := w.f.c.bounded()
		defer cancel()
		b, err := w.f.c.apart(ctx, w.j.ID, name, maxEvent)
		if err != nil || json.Unmarshal(b, &e) != nil { // the record has the result
			return nil
		}
		w.f.c.dropApart(w.j.ID, name)
	}
	s := w.fl.s
	if e.Progress != nil && s.OnProgress != nil {
		s.OnProgress(*e.Progress)
	}
	if s.Stdout != nil && len(e.Stdout) > 0 {
		s.Stdout.Write(e.Stdout)
	}
	if s.Stderr != nil && len(e.Stderr) > 0 {
		s.Stderr.Write(e.Stderr)
	}
	if e.Result != nil {
		if res, err := outcome.Decode(e.Result); err == nil {
			return &jobResult{res: res}
		}
	}
	if e.Error != nil {
		if failed, err := harness.DecodeError(e.Error); err == nil {
			return &jobResult{err: failed}
		}
	}
	return nil
}
