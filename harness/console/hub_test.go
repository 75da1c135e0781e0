package console

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record/store"
)

// Nothing begins once the console is closed, also of what is begun beside that.
func TestNothingBeginsAfterClose(t *testing.T) {
	for range 200 {
		h := &hub{}
		h.init(store.Memory(1, nil))
		var working atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for h.begin(func() { working.Add(1); <-h.ctx.Done(); working.Add(-1) }) {
				}
			})
			all.Go(func() {
				if s, err := h.join("", nil); err == nil {
					defer h.leave(s)
				}
				h.waits(&Viewer{Operator: true})
			})
		}
		time.AfterFunc(0, h.close)
		<-h.ctx.Done()
		h.close()
		if n := working.Load(); n != 0 {
			t.Fatalf("%d at work after it was closed", n)
		}
		all.Wait()
		if h.begin(func() {}) {
			t.Fatal("something began")
		}
	}
}
