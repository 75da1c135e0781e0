package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func TestACallIsSentOnce(t *testing.T) {
	no := errors.New("disk full")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name   string
		effect bool
		ctx    context.Context
		err    error         // of Sending
		takes  time.Duration // Sending
		ended  bool
		asked  int
		first  error // that the error of Begin wraps
		again  bool  // a second Begin is not an error
		sent   bool
	}{
		{name: "a read", ctx: t.Context(), asked: 1, again: true, sent: true},
		{name: "an effect", effect: true, ctx: t.Context(), asked: 1, sent: true},
		{name: "refused", effect: true, ctx: t.Context(), err: no, asked: 1, first: no},
		{name: "a read, refused", ctx: t.Context(), err: no, asked: 1, first: no},
		{name: "in time", effect: true, ctx: t.Context(), takes: DefaultWithin, asked: 1, sent: true},
		{name: "late", effect: true, ctx: t.Context(), takes: DefaultWithin + 1, asked: 1},
		{name: "cancelled", effect: true, ctx: cancelled, first: context.Canceled},
		{name: "over", effect: true, ctx: t.Context(), ended: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var clock time.Duration
			stopwatch = func() func() time.Duration {
				start := clock
				return func() time.Duration { return clock - start }
			}
			defer func() { stopwatch = startStopwatch }()
			asked := 0
			s := &Send{Effect: tc.effect, Sending: func(context.Context) error {
				asked++
				clock += tc.takes
				return tc.err
			}}
			if tc.ended {
				s.End()
			}
			err := s.Begin(tc.ctx)
			if (err == nil) != tc.sent || tc.first != nil && !errors.Is(err, tc.first) || asked != tc.asked {
				t.Errorf("error %v, asked %d times, want %d", err, asked, tc.asked)
			}
			if !tc.sent && OutcomeOf(err, true) != NotSent {
				t.Errorf("outcome %s of %v", OutcomeOf(err, true), err)
			}
			if err := s.Begin(tc.ctx); (err == nil) != tc.again || asked != tc.asked {
				t.Errorf("the second time: error %v, asked %d times", err, asked)
			}
		})
	}
}

func TestNobodyIsAskedAboutCallsWithoutASend(t *testing.T) {
	var none *Send
	if err := none.Begin(t.Context()); err != nil || none.Once() {
		t.Errorf("error %v, once %v", err, none.Once())
	}
	none.End()
	s := &Send{Effect: true} // nobody is asked, but it leaves once
	if first, second := s.Begin(t.Context()), s.Begin(t.Context()); first != nil || second == nil {
		t.Errorf("errors %v, %v", first, second)
	}
	s.Again() // its server was busy
	if first, second := s.Begin(t.Context()), s.Begin(t.Context()); first != nil || second == nil {
		t.Errorf("errors %v, %v", first, second)
	}
}

func TestOutcomes(t *testing.T) {
	lost := fmt.Errorf("calling: %w", ErrDisconnected)
	for _, tc := range []struct {
		err  error
		sent bool
		want Outcome
	}{
		{nil, true, Answered},
		{nil, false, Answered},
		{&RefusedError{}, true, Answered},
		{&RefusedError{}, false, NotSent}, // by ourselves
		{lost, true, Unknown},
		{lost, false, NotSent},
		{context.DeadlineExceeded, true, Unknown},
		{fmt.Errorf("server: %w", &OutcomeError{Unread, io.EOF}), true, Unread},
		{&OutcomeError{NotSent, lost}, true, NotSent},
		{&OutcomeError{Unknown, &RefusedError{}}, true, Unknown},
	} {
		if got := OutcomeOf(tc.err, tc.sent); got != tc.want {
			t.Errorf("%v, sent %v: %s, want %s", tc.err, tc.sent, got, tc.want)
		}
	}
	for code, want := range map[int]Outcome{200: Answered, 302: Answered, 401: Answered, 404: Answered, 408: Unknown,
		409: Answered, 425: Answered, 429: Answered, 500: Answered, 501: Answered, 502: Unknown, 503: Unknown, 504: Unknown} {
		if got := StatusOutcome(code); got != want {
			t.Errorf("status %d: %s, want %s", code, got, want)
		}
	}
	windows := runtime.GOOS == "windows"
	for _, tc := range []struct {
		n    int
		err  error
		want bool
	}{
		{0, nil, false}, {1, syscall.EPIPE, false}, {0, syscall.EPIPE, true}, {0, os.ErrClosed, !windows},
		{0, net.ErrClosed, !windows},
	} {
		if got := Unwritten(tc.n, tc.err); got != tc.want {
			t.Errorf("write of %d bytes, error %v: %v, want %v", tc.n, tc.err, got, tc.want)
		}
	}
}

func TestTheStopwatchRuns(t *testing.T) {
	elapsed := startStopwatch()
	for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; runtime.Gosched() {
	}
	if got := elapsed(); got < 9*time.Millisecond || got > time.Hour {
		t.Errorf("%v", got)
	}
}
