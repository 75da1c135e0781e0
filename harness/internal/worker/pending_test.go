package worker

import (
	"context"
	"testing"
)

func TestCallsWaitForRoom(t *testing.T) {
	var p pending
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if !p.add(ctx, maxPending+1) {
		t.Fatal("one call alone has always room")
	}
	added := make(chan bool)
	go func() { added <- p.add(ctx, 1) }()
	select {
	case <-added:
		t.Fatal("there is no room")
	default:
	}
	p.done(maxPending + 1)
	if !<-added || !p.add(ctx, maxPending-1) {
		t.Fatal("there is room")
	}
	go func() { added <- p.add(ctx, 1) }()
	cancel()
	if <-added {
		t.Fatal("the run has ended")
	}
}
