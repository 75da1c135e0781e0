package worker

import (
	"io"
	"testing"
	"time"
)

func TestDeadlockIsToldFromWaiting(t *testing.T) {
	const mine = "goroutine 1 [chan receive]:\nx/eval.Run()\nx/worker.Main(0x1)\n\ngoroutine 5 [IO wait]:\nx/worker.(*child).listen(0x1)\n\ngoroutine 6 [running]:\nx/worker.(*child).watch(0x1)\n\n"
	for name, c := range map[string]struct {
		dump string
		want bool
	}{
		"blocked on a channel":      {mine + "goroutine 9 [chan receive]:\nmain()\n", true},
		"blocked for long":          {mine + "goroutine 9 [select (no cases), 2 minutes]:\nmain()\n", true},
		"one of two still runs":     {mine + "goroutine 9 [sync.Mutex.Lock]:\nmain()\n\ngoroutine 10 [runnable]:\nmain()\n", false},
		"asleep until a timer":      {mine + "goroutine 9 [sleep]:\nmain()\n", false},
		"waits for a system call":   {mine + "goroutine 9 [syscall]:\nmain()\n", false},
		"waits for input":           {mine + "goroutine 9 [IO wait]:\nmain()\n", false},
		"waits for a WaitGroup":     {mine + "goroutine 9 [semacquire]:\nsync.runtime_Semacquire(0x1)\nmain()\n", true},
		"waits to collect garbage":  {mine + "goroutine 9 [semacquire]:\nencoding/csv.(*Reader).readRecord(0x1)\nmain()\n", false},
		"an iterator that waits":    {mine + "goroutine 9 [coroutine]:\nmain()\n", true},
		"a state that is not known": {mine + "goroutine 9 [wondering]:\nmain()\n", false},
	} {
		if some, all, asleep := blocked([]byte(c.dump)); !some || all && !asleep != c.want {
			t.Errorf("%s: %v, %v, %v", name, some, all, asleep)
		}
	}
	if some, _, _ := blocked([]byte(mine)); some {
		t.Error("the worker's own goroutines are taken for the script's")
	}
}

// A call that waits for its result is no deadlock, however late it is woken.
func TestAResultIsThereWhenNothingWaitsForIt(t *testing.T) {
	t.Parallel()
	from, to := io.Pipe()
	c := newChild(from, io.Discard, nil)
	ended := make(chan bool)
	c.lost = func() { close(ended) }
	go c.listen()
	w := &frameWriter{w: to}
	for n := range uint32(2000) {
		ch := make(chan result, 1)
		c.mu.Lock()
		c.waiting[n] = ch
		c.mu.Unlock()
		go w.writeResult(n, 0, []byte(`{}`))
		for {
			c.mu.Lock()
			calling, there := len(c.waiting), len(ch)
			c.mu.Unlock()
			if calling == 0 && there == 0 {
				t.Fatal("the result is neither waited for nor there")
			}
			if there == 1 {
				break
			}
			<-time.After(time.Millisecond)
		}
	}
	to.Close()
	<-ended
}
