package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record/store"
)

// The topics that pages name as what changes them.
const (
	topicRuns      = "runs"
	topicApprovals = "approvals"
	topicServers   = "servers" // and tools
)

// topicRun is the topic of one run.
func topicRun(id string) string { return "run:" + id }

const (
	// newsEvery is how often a page is told at most that something has changed.
	newsEvery = time.Second
	// beatEvery is how often an idle stream says that it is there.
	beatEvery = 20 * time.Second
	// maxStreams are open at a time, maxStreamsOf of them of one token, or of who came by
	// links.
	maxStreams, maxStreamsOf = 200, 40
	// maxTopics are those of a stream.
	maxTopics = 20
)

// hub tells open pages what has changed. It follows the store while a page is open.
type hub struct {
	store *store.Store
	ctx   context.Context
	end   context.CancelFunc

	mu      sync.Mutex
	streams map[*stream]bool
	stop    context.CancelFunc // of what follows the store; nil: nobody listens
	work    sync.WaitGroup
	waiting waiting
}

// stream is one open page.
type stream struct {
	of     string // the name of its viewer's token
	topics map[string]bool
	news   chan struct{} // of one element
	fresh  bool          // it was opened since the last tick of the hub, whose mu guards this
	mu     sync.Mutex
	told   map[string]bool // topics that have changed since it was told
}

func (h *hub) init(store *store.Store) {
	h.store = store
	h.ctx, h.end = context.WithCancel(context.Background())
	h.streams = map[*stream]bool{}
}

func (h *hub) close() {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.work.Wait()
}

// begin begins work that close waits for; false: nothing begins any more.
func (h *hub) begin(work func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.beginLocked(work)
}

// waitFor waits a short time until work has ended. If work is nil, it returns at once.
func waitFor(work <-chan struct{}, most time.Duration) {
	if work == nil {
		return
	}
	select {
	case <-work:
	case <-time.After(most):
	}
}

// beginLocked is begin for who holds the lock.
func (h *hub) beginLocked(work func()) bool {
	if h.ctx.Err() != nil {
		return false
	}
	h.work.Go(work)
	return true
}

// RunChanged tells open pages that a run goes on, or has ended.
func (c *Console) RunChanged(id string) { c.Changed(topicRuns, topicApprovals, topicRun(id)) }

// Changed tells open pages that something of a topic has changed.
func (c *Console) Changed(topics ...string) { c.hub.changed(topics...) }

func (h *hub) changed(topics ...string) {
	h.mu.Lock()
	h.waiting.until, h.waiting.stale = time.Time{}, true
	h.mu.Unlock()
	h.tell(topics...)
}

func (h *hub) tell(topics ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		for _, t := range topics {
			s.tell(t)
		}
	}
}

func (s *stream) tell(topic string) {
	if !s.topics[topic] {
		return
	}
	s.mu.Lock()
	s.told[topic] = true
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// take is what has changed since it was asked last.
func (s *stream) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Keys(s.told))
	clear(s.told)
	return out
}

// join opens a stream of who has a token; an error says why not.
func (h *hub) join(token string, topics []string) (*stream, error) {
	s := &stream{of: token, topics: map[string]bool{}, fresh: true, news: make(chan struct{}, 1), told: map[string]bool{}}
	for _, t := range topics {
		s.topics[t] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own := 0
	for other := range h.streams {
		if other.of == token {
			own++
		}
	}
	switch {
	case own >= maxStreamsOf:
		return nil, fmt.Errorf("you have %d pages open that follow what happens, which is the most; close some", own)
	case len(h.streams) >= maxStreams:
		return nil, fmt.Errorf("%d pages are open that follow what happens, which is the most", len(h.streams))
	}
	if h.stop == nil {
		ctx, cancel := context.WithCancel(h.ctx)
		if !h.beginLocked(func() { h.follow(ctx) }) {
			cancel()
			return nil, errors.New("the server ends")
		}
		h.stop = cancel
	}
	h.streams[s] = true
	return s, nil
}

func (h *hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
	if len(h.streams) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// follow tells of what the store has: runs that begin and end, and, once a second, what
// was written to those whose pages are open.
func (h *hub) follow(ctx context.Context) {
	tick := time.NewTicker(newsEvery)
	defer tick.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sum, err := range h.store.Follow(ctx, nil) {
			if err == nil {
				h.changed(topicRuns, topicApprovals, topicRun(sum.ID))
			}
		}
	}()
	shown := map[string]store.Mark{} // by run
	for {
		select {
		case <-ctx.Done():
			<-done
			return
		case <-tick.C:
		}
		open, waits := h.openRuns()
		now := h.store.Marks(open)
		h.catchUp()
		for id, mark := range now {
			was, ok := shown[id]
			switch {
			case !ok || mark == was:
			case mark.Running != was.Running || waits[id]:
				h.changed(topicRuns, topicApprovals, topicRun(id))
			default:
				h.tell(topicRun(id))
			}
		}
		shown = now
	}
}

// catchUp tells pages that have been opened since the last tick of all that they follow:
// it may have changed after they were made and before they could be told.
func (h *hub) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if s.fresh {
			s.fresh = false
			for t := range s.topics {
				s.tell(t)
			}
		}
	}
}

// openRuns are the runs that open pages follow, and those that wait for a person: they
// may be answered by another process.
func (h *hub) openRuns() (ids, waits map[string]bool) {
	ids, waits = map[string]bool{}, map[string]bool{}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		for t := range s.topics {
			if id, ok := strings.CutPrefix(t, topicRun("")); ok {
				ids[id] = true
			}
		}
	}
	for _, a := range h.waiting.asks {
		ids[a.Run.ID], waits[a.Run.ID] = true, true
	}
	return ids, waits
}

// waiting is what waits for a person, of each subject, see waitingCalls.
type waiting struct {
	until    time.Time // the count is used without counting again until then
	of       map[string]waitCount
	asks     []*approval.Call
	stale    bool          // something has changed since they began to be counted
	counting chan struct{} // closed when they have been counted; nil: nobody is at it
}

const (
	// waitingFor is how long a count is taken for true where nobody has said anything.
	waitingFor = 5 * time.Second
	// countWait is how long a page waits for a new one.
	countWait = 30 * time.Millisecond
)

// waits is how many calls wait for a person that a viewer may see, as far as they have
// been counted.
func (h *hub) waits(v *Viewer) int {
	h.mu.Lock()
	if time.Now().After(h.waiting.until) && h.waiting.counting == nil && h.beginLocked(h.count) {
		h.waiting.counting, h.waiting.stale = make(chan struct{}), false
	}
	counted := h.waiting.counting
	h.mu.Unlock()
	waitFor(counted, countWait)
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for subject, k := range h.waiting.of {
		if v.mayLook(subject) {
			n += k.Calls
		}
	}
	return n
}

// asks are the calls that waits counts, the oldest first.
func (h *hub) asks(v *Viewer) (out []*approval.Call) {
	h.waits(v) // which counts them, where that is due
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.waiting.asks {
		if v.mayLook(a.Run.Subject) {
			out = append(out, a)
		}
	}
	return out
}

// count counts the calls that wait, and tells open pages where there are others than before.
func (h *hub) count() {
	asks, of := waitingCalls(h.ctx, h.store, nil, func(string) bool { return true })
	h.mu.Lock()
	news := !maps.Equal(of, h.waiting.of)
	if h.waiting.of, h.waiting.asks = of, asks; !h.waiting.stale {
		h.waiting.until = time.Now().Add(waitingFor)
	}
	close(h.waiting.counting)
	h.waiting.counting = nil
	h.mu.Unlock()
	if news {
		h.tell(topicApprovals)
	}
}

// topics are those of a request that a viewer may be told of: of runs those that it sees.
func (v *view) topics() (topics []string) {
	for t := range strings.FieldsSeq(v.r.URL.Query().Get("topics")) {
		if len(topics) == maxTopics {
			break
		}
		id, isRun := strings.CutPrefix(t, topicRun(""))
		switch {
		case isRun:
			if b, _, err := v.c.store.First(id); err != nil || b.ID != id || !v.Sees(b.Subject) {
				continue
			}
		case !slices.Contains([]string{topicRuns, topicApprovals, topicServers}, t):
			continue
		}
		topics = append(topics, t)
	}
	return topics
}

// events tells a page what has changed of the topics that it asks for, until it is
// closed or its viewer is signed out. A viewer who gets or loses a right begins anew.
func (c *Console) events(v *view) error {
	if v.r.Method == http.MethodHead {
		v.w.Header().Set("Content-Type", "text/event-stream")
		return nil
	}
	s, err := c.hub.join(v.Token, v.topics())
	if err != nil {
		return &problem{Status: http.StatusServiceUnavailable, Title: "Too many pages", Text: sentence(err)}
	}
	defer c.hub.leave(s)
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(v.w)
	say := func(text string) bool {
		if !c.stays(v.browser, v.Viewer) {
			return false
		}
		_, err := fmt.Fprint(v.w, text)
		return err == nil && rc.Flush() == nil
	}
	if !say("retry: 2000\n\n") {
		return nil
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-v.r.Context().Done():
			return nil
		case <-c.hub.ctx.Done():
			return nil
		case <-v.browser.gone:
			return nil
		case <-beat.C:
			if !say(": \n\n") {
				return nil
			}
		case <-s.news:
			for _, t := range s.take() {
				if !say("data: " + t + "\n\n") {
					return nil
				}
			}
			select { // not more often
			case <-time.After(newsEvery):
			case <-v.r.Context().Done():
				return nil
			case <-v.browser.gone:
				return nil
			}
		}
	}
}
