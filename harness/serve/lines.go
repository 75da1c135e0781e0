package serve

import (
	"sync"

	"github.com/usetools/usetools/harness/record"
)

// listener is told of a call that has ended: everything that a server says of calls
// is made from their lines in the record.
type listener interface {
	ended(*record.Call, *record.Done)
}

type listeners []listener

// line returns a function that is told of the lines of one run.
func (ls listeners) line() func(record.Line) {
	var mu sync.Mutex
	begun := map[int]*record.Call{}
	return func(l record.Line) {
		switch l := l.(type) {
		case *record.Call:
			mu.Lock()
			begun[l.N] = l
			mu.Unlock()
			for _, to := range ls {
				if n, ok := to.(*notifier); ok {
					n.begins(l)
				}
			}
		case *record.Done:
			mu.Lock()
			c := begun[l.N]
			delete(begun, l.N)
			mu.Unlock()
			for _, to := range ls {
				to.ended(c, l)
			}
		}
	}
}
