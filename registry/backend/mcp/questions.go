package mcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxQuestions is how many requests of a server may be unanswered. The SDK
// takes any number of them, with a goroutine each; a server that asks for ever
// and never reads the answers has to wait instead.
const maxQuestions = 64

// questions are the requests of a server that are being answered.
type questions struct {
	slots chan struct{}

	mu   sync.Mutex
	open map[jsonrpc.ID]bool
}

func newQuestions() *questions {
	return &questions{slots: make(chan struct{}, maxQuestions), open: map[jsonrpc.ID]bool{}}
}

// ask notes a request, and waits as long as there are too many. It is false
// when quit ends first, and for an ID that is being answered already: nobody
// could tell the two apart.
func (q *questions) ask(id jsonrpc.ID, quit <-chan struct{}) bool {
	q.mu.Lock()
	double := q.open[id]
	q.open[id] = true
	q.mu.Unlock()
	if double {
		return false
	}
	select {
	case q.slots <- struct{}{}:
		return true
	case <-quit:
		q.mu.Lock()
		delete(q.open, id)
		q.mu.Unlock()
		return false
	}
}

// answered notes that the answer to a request is on its way.
func (q *questions) answered(id jsonrpc.ID) {
	q.mu.Lock()
	asked := q.open[id]
	delete(q.open, id)
	q.mu.Unlock()
	if asked {
		<-q.slots
	}
}
