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

// DefaultWithin is the default of Send.Within.
const DefaultWithin = 5 * time.Second

// Send has a caller's rules for sending one call. Use it for only one call.
type Send struct {
	// Effect says that the call may change something, so that it must be sent at most once. Over
	// HTTP it gets its own connection, follows no redirect, and nothing below repeats it. Other
	// calls share connections, and HTTP may repeat them.
	Effect bool
	// Key is the Idempotency-Key that is sent over HTTP, if not empty. One that the arguments or
	// the config set takes precedence.
	Key string
	// Sending is called once, directly before the first byte of the call may leave this process.
	// It may be nil. If it returns an error, or takes longer than Within, the call is not sent. A
	// call that ends without a call of Sending was not sent. Over HTTP, a call without Effect may
	// still wait for its connection afterwards.
	Sending func(context.Context) error
	// Within is the time limit from the beginning of Sending until the call leaves. If zero, it
	// is DefaultWithin.
	Within time.Duration
	// Ask asks the person behind the call a question of its server in the middle of the call
	// (MCP's elicitation of revision 2025-11-25): at most 60 s, and within the time of the call.
	// If nil, the server gets a reply with Cancel.
	Ask Asker
	// Later is called with the State of an [InputRequiredError] before that is returned. It may
	// be nil. Its error does not end the call.
	Later func(state string) error
	// Continue continues a call that was sent before and ended with an [InputRequiredError]. The
	// server executes the call once. Sending is called before the answers leave. If nil, the call
	// is new.
	Continue *Continue

	mu    sync.Mutex
	begun bool
	again bool // see Again
	ended bool
	err   error // why it is not sent, after Sending
}

// Once reports whether the call must be sent at most once.
func (s *Send) Once() bool { return s != nil && s.Effect }

// Begin is called by backends directly before the first byte of the call leaves. If it returns an
// error, an [OutcomeError], the call must not be sent; the error wraps that of Sending. A second
// Begin means that the call is sent again, which is an error for an effect call.
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
		return &OutcomeError{Unknown, errors.New("it was already sent and is not sent again")}
	case s.begun:
		return s.err
	case s.ended:
		return &OutcomeError{NotSent, errors.New("the call has ended")}
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
		s.err = &OutcomeError{NotSent, fmt.Errorf("the preparation took %v; the limit is %v",
			late.Round(time.Millisecond), most)}
	}
	return s.err
}

// Again is called by backends if the server is busy, has not begun the call and wants it again.
// It permits the next Begin.
func (s *Send) Again() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = true
}

// End is called by backends whose Call may return while a message is still being sent.
// Afterwards, Begin fails. End waits for a running Sending.
func (s *Send) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// Unwritten reports whether a write that returned n and err certainly wrote nothing. On Windows,
// a cancelled write may have written something.
func Unwritten(n int, err error) bool {
	calledOff := errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded)
	return n == 0 && err != nil && (runtime.GOOS != "windows" || !calledOff)
}

// stopwatch starts a measurement of time that includes time while the machine sleeps.
var stopwatch = startStopwatch

// Outcome is the outcome of a call, as far as this process can know it.
type Outcome string

// The outcomes of a call.
const (
	Answered Outcome = "answered" // with a result, a tool's error, a refusal, or an HTTP status
	NotSent  Outcome = "not_sent" // no byte was sent
	Unread   Outcome = "unread"   // it was executed; its answer is too large or unreadable
	Unknown  Outcome = "unknown"  // it was sent; it may have been executed, or may yet be
	Later    Outcome = "later"    // the server asks a question first, see InputRequiredError
)

// OutcomeError is the error of a call with a known outcome.
type OutcomeError struct {
	Outcome Outcome
	Err     error
}

func (e *OutcomeError) Error() string { return e.Err.Error() }
func (e *OutcomeError) Unwrap() error { return e.Err }

// OutcomeOf returns the outcome of a call from its error. sent says whether Sending was called.
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

// Outcome returns the outcome of a call with this Send from its error.
func (s *Send) Outcome(err error) Outcome {
	if s == nil {
		return OutcomeOf(err, true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return OutcomeOf(err, s.begun && s.err == nil)
}

// WithOutcome adds the known outcome to the error of an effect call, in words.
func (s *Send) WithOutcome(err error) error {
	if err == nil || !s.Once() {
		return err
	}
	words := map[Outcome]string{
		NotSent: "not sent",
		Unread:  "it was executed, but its answer is unreadable",
		Unknown: "outcome unknown",
	}[s.Outcome(err)]
	if words == "" {
		return err
	}
	return fmt.Errorf("%s: %w", words, err)
}

// StatusOutcome returns the outcome that an HTTP status implies: Unknown if the responder, such
// as a proxy, may not know.
func StatusOutcome(code int) Outcome {
	switch code {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Unknown
	}
	return Answered
}
