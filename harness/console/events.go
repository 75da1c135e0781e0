package console

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// The topics that pages name as what changes them.
const (
	topicRuns      = "runs"
	topicApprovals = "approvals"
	topicServers   = "servers" // and tools
	topicNumbers   = "numbers" // of what records say
)

// topicRun is the topic of one run.
func topicRun(id string) string { return "run:" + id }

const (
	// newsEvery is how often a page is told at most that something has changed.
	newsEvery = time.Second
	// beatEvery is how often an idle stream says that it is there.
	beatEvery = 20 * time.Second
	// maxStreams are open at a time.
	maxStreams = 200
)

// hub tells open pages what has changed. It follows the store while a page is open.
type hub struct {
	store *record.Store
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
	topics map[string]bool
	news   chan struct{} // of one element
	mu     sync.Mutex
	told   map[string]bool // topics that have changed since it was told
}

func (h *hub) init(store *record.Store) {
	h.store = store
	h.ctx, h.end = context.WithCancel(context.Background())
	h.streams = map[*stream]bool{}
}

func (h *hub) close() {
	h.end()
	h.work.Wait()
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
	var out []string
	for t := range s.told {
		out = append(out, t)
	}
	clear(s.told)
	return out
}

// join opens a stream; false: there are too many.
func (h *hub) join(topics []string) (*stream, bool) {
	s := &stream{topics: map[string]bool{}, news: make(chan struct{}, 1), told: map[string]bool{}}
	for _, t := range topics {
		s.topics[t] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) >= maxStreams || h.ctx.Err() != nil {
		return nil, false
	}
	h.streams[s] = true
	if h.stop == nil {
		ctx, cancel := context.WithCancel(h.ctx)
		h.stop = cancel
		h.work.Go(func() { h.follow(ctx) })
	}
	return s, true
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
	shown := map[string]record.Mark{} // by run
	for {
		select {
		case <-ctx.Done():
			<-done
			return
		case <-tick.C:
		}
		now := h.store.Marks(h.openRuns())
		for id, mark := range now {
			was, ok := shown[id]
			switch {
			case !ok || mark == was:
			case mark.Running != was.Running:
				h.changed(topicRuns, topicApprovals, topicRun(id))
			default:
				h.tell(topicRun(id))
			}
		}
		shown = now
	}
}

// openRuns are the runs that open pages follow.
func (h *hub) openRuns() map[string]bool {
	ids := map[string]bool{}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		for t := range s.topics {
			if id, ok := strings.CutPrefix(t, topicRun("")); ok {
				ids[id] = true
			}
		}
	}
	return ids
}

// waiting is what waits for a person, of each subject, see waitingAsks.
type waiting struct {
	until    time.Time // it is taken for true
	of       map[string]waitCount
	asks     []*waitingAsk
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
	if time.Now().After(h.waiting.until) && h.waiting.counting == nil && h.ctx.Err() == nil {
		h.waiting.counting, h.waiting.stale = make(chan struct{}), false
		h.work.Go(h.count)
	}
	counted := h.waiting.counting
	h.mu.Unlock()
	if counted != nil {
		select {
		case <-counted:
		case <-time.After(countWait):
		}
	}
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
func (h *hub) asks(v *Viewer) (out []*waitingAsk) {
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
	asks, of := waitingAsks(h.ctx, h.store, nil, func(string) bool { return true })
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

// events tells a page what has changed of the topics that it asks for, until it is
// closed.
func (c *Console) events(v *view) error {
	var topics []string
	for _, t := range strings.Fields(v.r.URL.Query().Get("topics")) {
		if len(topics) < 20 {
			topics = append(topics, t)
		}
	}
	s, ok := c.hub.join(topics)
	if !ok {
		return &problem{Status: http.StatusServiceUnavailable, Title: "Too many pages", Text: "Too many pages are open."}
	}
	defer c.hub.leave(s)
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(v.w)
	say := func(text string) error {
		if _, err := fmt.Fprint(v.w, text); err != nil {
			return err
		}
		return rc.Flush()
	}
	if err := say("retry: 2000\n\n"); err != nil {
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
		case <-beat.C:
			if say(": \n\n") != nil {
				return nil
			}
		case <-s.news:
			for _, t := range s.take() {
				if say("data: "+t+"\n\n") != nil {
					return nil
				}
			}
			select { // not more often
			case <-time.After(newsEvery):
			case <-v.r.Context().Done():
				return nil
			}
		}
	}
}
