package guard

import (
	"testing"
	"testing/synctest"
	"time"
)

// What large messages leave behind is given back a moment later, once for many of them.
func TestMemoryIsGivenBackAfterLargeMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Memory{}
		for _, x := range []struct {
			bytes int
			want  int64
		}{{LargeMessage - 1, 0}, {LargeMessage, 1}, {2 * LargeMessage, 2}} {
			s.Handled(x.bytes)
			s.Handled(x.bytes)
			time.Sleep(tidyAfter)
			synctest.Wait()
			if got := s.times.Load(); got != x.want {
				t.Errorf("after %d bytes it was given back %d times, want %d", x.bytes, got, x.want)
			}
		}
	})
}
