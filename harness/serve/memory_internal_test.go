package serve

import (
	"testing"
	"testing/synctest"
	"time"
)

// What large messages leave behind is given back a moment later, once for many of them.
func TestMemoryIsGivenBackAfterLargeMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{}
		for _, x := range []struct {
			bytes int
			want  int64
		}{{largeMessage - 1, 0}, {largeMessage, 1}, {2 * largeMessage, 2}} {
			s.handled(x.bytes)
			s.handled(x.bytes)
			time.Sleep(tidyAfter)
			synctest.Wait()
			if got := s.tidied.Load(); got != x.want {
				t.Errorf("after %d bytes it was given back %d times, want %d", x.bytes, got, x.want)
			}
		}
	})
}
