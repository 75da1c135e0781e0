package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"
)

// DefaultWithin is how long after the beginning of Sending a call may leave.
const DefaultWithin = 5 * time.Second

// Send is what the caller of one call wants of its sending. Use it for that
// call only.
type Send struct {
	// Effect says that the call may change something, so that it must not leave
	// twice: over HTTP it gets a connection of its own, follows no redirect, and
	// nothing below repeats it. Other calls share connections, and may be
	// repeated by HTTP.
	Effect bool
	// Key is the Idempotency-Key that is sent over HTTP; empty: none. One that
	// the arguments or the config set stays.
	Key string
	// Sending is called once, directly before the first byte of the call can
	// leave this process; nil: nobody is asked. After an error of it, and
	// Within after it began, the call is not sent. A call that ends without it was not
	// sent. Over HTTP, a call without Effect may still wait for its connection
	// after it.
	Sending func(context.Context) error
	// Within is how long after the beginning of Sending the call may leave; 0:
	// DefaultWithin.
	Within time.Duration
	// Ask asks the person behind the call what its server wants to know in the
	// middle of it (MCP's elicitation of revision 2025-11-25): at most 60 s, and
	// within the time of the call. nil: the server is told that nobody answered.
	Ask Asker
	// Later is called with the State of an [InputRequiredError] before that is
	// returned. It may be nil. Its error does not end the call.
	Later func(state string) error
	// Continue continues a call that was sent before and ended with an
	// [InputRequiredError]; the server executes the call once. Sending is called
	// before the answers leave. If nil, the call is new.
	Continue *Continue

	mu    sync.Mutex
	begun bool
	again bool // see Again
	ended bool
	err   error // why it is not sent, after Sending
}

// Once reports whether the call must not leave twice.
func (s *Send) Once() bool { return s != nil && s.Effect }

// Begin is for backends: it says that the first byte of the call is to leave
// now. The error, an [OutcomeError], says that it must not; it wraps that of
// Sending. A second Begin is one of a call that is sent again: an error where
// the call has an effect.
func (s *Send) Begin(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.again
	s.again = false
	switch {
	case s.begun && s.err == nil && s.Effect && !again:
		return &OutcomeError{Unknown, errors.New("it was sent once, and is not sent again")}
	case s.begun:
		return s.err
	case s.ended:
		return &OutcomeError{NotSent, errors.New("the call is over")}
	case ctx.Err() != nil:
		return &OutcomeError{NotSent, ctx.Err()}
	}
	s.begun = true
	if s.Sending == nil {
		return nil
	}
	elapsed := stopwatch()
	if err := s.Sending(ctx); err != nil {
		s.err = &OutcomeError{NotSent, err}
	} else if late, most := elapsed(), cmp.Or(s.Within, DefaultWithin); late > most {
		s.err = &OutcomeError{NotSent, fmt.Errorf("the steps before it took %v; at most %v are allowed",
			late.Round(time.Millisecond), most)}
	}
	return s.err
}

// Again is for backends: the server has said that it has not begun with the call
// and wants it again, as it is busy. The next Begin allows that.
func (s *Send) Again() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = true
}

// End is for backends whose Call may return while something goes on: Begin
// fails from now on. It waits for a Sending under way.
func (s *Send) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// Unwritten reports whether a write that came to n and err certainly wrote
// nothing. On Windows a write that is called off may have.
func Unwritten(n int, err error) bool {
	calledOff := errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded)
	return n == 0 && err != nil && (runtime.GOOS != "windows" || !calledOff)
}

// stopwatch begins to measure time that also runs while the machine sleeps.
var stopwatch = startStopwatch

// Outcome is what became of a call, as far as anybody here can know.
type Outcome string

// What may have become of a call.
const (
	Answered Outcome = "answered" // by a result, a tool's own error, a refusal, or an HTTP status
	NotSent  Outcome = "not_sent" // no byte of it left
	Unread   Outcome = "unread"   // it was done; its answer is too large, or cannot be read
	Unknown  Outcome = "unknown"  // it was sent: it may have been done, or may yet be
	Later    Outcome = "later"    // the server asks something first, see InputRequiredError
)

// OutcomeError is the error of a call of which is known what became of it.
type OutcomeError struct {
	Outcome Outcome
	Err     error
}

func (e *OutcomeError) Error() string { return e.Err.Error() }
func (e *OutcomeError) Unwrap() error { return e.Err }

// OutcomeOf returns what became of a call, by its error and by whether Sending
// was called.
func OutcomeOf(err error, sent bool) Outcome {
	var known *OutcomeError
	var refused *RefusedError
	var asks *InputRequiredError
	switch {
	case err == nil:
		return Answered
	case errors.As(err, &asks):
		return Later
	case !sent:
		return NotSent
	case errors.As(err, &known):
		return known.Outcome
	case errors.As(err, &refused):
		return Answered
	}
	return Unknown
}

// Outcome returns what became of a call that was sent as s says, by its error.
func (s *Send) Outcome(err error) Outcome {
	if s == nil {
		return OutcomeOf(err, true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return OutcomeOf(err, s.begun && s.err == nil)
}

// Told returns the error of a call that was sent as s says with what is known of it in
// words, where the call may change something.
func (s *Send) Told(err error) error {
	if err == nil || !s.Once() {
		return err
	}
	words := map[Outcome]string{
		NotSent: "not sent",
		Unread:  "it was done, but its answer cannot be read",
		Unknown: "it is not known whether it was done",
	}[s.Outcome(err)]
	if words == "" {
		return err
	}
	return fmt.Errorf("%s: %w", words, err)
}

// StatusOutcome returns what an HTTP status says of a call: Unknown where who
// answers may not know.
func StatusOutcome(code int) Outcome {
	switch code {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Unknown
	}
	return Answered
}
