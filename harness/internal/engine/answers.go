package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/record"
)

// Answers answers a script that runs again from the record of its run.
type Answers interface {
	// Live reports whether the script makes its calls. A resumed run does so when it has
	// left its record behind, a replay never.
	Live() bool
	// Tools returns what the script was compiled with, and the record's line of it, which may be
	// nil. Both are nil if the script is to be bound.
	Tools(*worker.Needs) (*record.Tools, *worker.Tools, error)
	// Saved returns the saved script that a call of RunScript ran; known is false if the
	// record does not have it.
	Saved(path, name string) (s *library.Script, known bool, err error)
	// RunScript notes that a saved script is to run. ended is called when it has, and told
	// whether its caller gets an answer.
	RunScript() (ended func(answered bool))
	// Ask answers a call of the script at path, and returns the call of the record that answers
	// it. args are its arguments as they would be sent. If neither an answer nor an error is
	// returned, the call is to be made; made is the call of the record that continues, or nil.
	Ask(ctx context.Context, path string, c *worker.Call, args json.RawMessage) (
		a *worker.Answer, made *record.Made, err error)
	// Still is that of worker.Host.
	Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error)
	// Leave notes that the worker of the script has ended.
	Leave()
}

// noAnswers are those of a script that runs for the first time.
type noAnswers struct{}

func (noAnswers) Live() bool { return true }

func (noAnswers) Tools(*worker.Needs) (*record.Tools, *worker.Tools, error) { return nil, nil, nil }

func (noAnswers) Saved(string, string) (*library.Script, bool, error) { return nil, false, nil }

func (noAnswers) RunScript() func(bool) { return func(bool) {} }

func (noAnswers) Ask(context.Context, string, *worker.Call, json.RawMessage) (*worker.Answer, *record.Made, error) {
	return nil, nil, nil
}

func (noAnswers) Still(context.Context, time.Time, int, int) (worker.Next, error) {
	return worker.Await, errors.New("this is not a replay")
}

func (noAnswers) Leave() {}
