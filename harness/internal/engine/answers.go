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

// Answers answers the calls of a script that runs again from its record.
type Answers interface {
	// Live reports whether the script makes its calls. A resumed run does after the end of
	// its record, a replay never.
	Live() bool
	// Tools returns the tools that the script was compiled with, and their line of the
	// record, which may be nil. If both are nil, the script must be bound.
	Tools(*worker.Needs) (*record.Tools, *worker.Tools, error)
	// Saved returns the saved script that a call of RunScript ran. known is false if it is
	// not in the record.
	Saved(path, name string) (s *library.Script, known bool, err error)
	// RunScript notes that a saved script begins. Call ended when it has ended; answered
	// reports whether its caller gets an answer.
	RunScript() (ended func(answered bool))
	// Ask answers a call of the script at path, and returns the recorded call with the
	// answer. args are the arguments in the form that would be sent. If it returns neither
	// an answer nor an error, the call must be made; made is then the recorded call that
	// continues, or nil.
	Ask(ctx context.Context, path string, c *worker.Call, args json.RawMessage) (
		a *worker.Answer, made *record.Made, err error)
	// Still implements worker.Host.Still.
	Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error)
	// Leave notes that the worker of the script has ended.
	Leave()
}

// noAnswers is the Answers of a script that runs for the first time.
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
