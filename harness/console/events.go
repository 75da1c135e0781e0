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

// The topics that pages subscribe to.
const (
	topicRuns      = "runs"
	topicApprovals = "approvals"
	topicServers   = "servers" // and tools
)

// topicRun returns the topic of a run.
func topicRun(id string) string { return "run:" + id }

const (
	// newsEvery is the minimum time between two notifications to a page.
	newsEvery = time.Second
	// beatEvery is how often an idle stream sends a keep-alive.
	beatEvery = 20 * time.Second
	// maxStreams limits the open streams, maxStreamsOf those of one token, or of all sign-ins by
	// link.
	maxStreams, maxStreamsOf = 200, 40
	// maxTopics limits the topics of a stream.
	maxTopics = 20
)

// hub notifies open pages of changes. It follows the store while a page is open.
type hub struct {
	store *store.Store
	ctx   context.Context
	end   context.CancelFunc

	mu      sync.Mutex
	streams map[*stream]bool
	stop    context.CancelFunc // stops following the store; nil if no stream is open
	work    sync.WaitGroup
	waiting waiting
}

// stream is one open page.
type stream struct {
	of      string // the name of the viewer's token
	topics  map[string]bool
	news    chan struct{} // has a buffer of one
	fresh   bool          // opened since the hub's last tick; guarded by hub.mu
	mu      sync.Mutex
	changed map[string]bool // topics that changed since the last take
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

// begin starts work that close waits for. It returns false if the hub is closing.
func (h *hub) begin(work func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.beginLocked(work)
}

// waitFor waits until work has ended, but not longer than limit. If work is nil, it returns at once.
func waitFor(work <-chan struct{}, limit time.Duration) {
	if work == nil {
		return
	}
	select {
	case <-work:
	case <-time.After(limit):
	}
}

// beginLocked is begin for a caller that holds the lock.
func (h *hub) beginLocked(work func()) bool {
	if h.ctx.Err() != nil {
		return false
	}
	h.work.Go(work)
	return true
}

// RunChanged notifies open pages that a run has changed or ended.
func (c *Console) RunChanged(id string) { c.Changed(topicRuns, topicApprovals, topicRun(id)) }

// Changed notifies open pages that topics have changed.
func (c *Console) Changed(topics ...string) { c.hub.changed(topics...) }

func (h *hub) changed(topics ...string) {
	h.mu.Lock()
	h.waiting.until, h.waiting.stale = time.Time{}, true
	h.mu.Unlock()
	h.notify(topics...)
}

func (h *hub) notify(topics ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		for _, t := range topics {
			s.notify(t)
		}
	}
}

func (s *stream) notify(topic string) {
	if !s.topics[topic] {
		return
	}
	s.mu.Lock()
	s.changed[topic] = true
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// take returns the topics that changed since the last take.
func (s *stream) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Keys(s.changed))
	clear(s.changed)
	return out
}

// join opens a stream of a token. It returns an error if too many streams are open or the hub
// closes.
func (h *hub) join(token string, topics []string) (*stream, error) {
	s := &stream{of: token, topics: map[string]bool{}, fresh: true, news: make(chan struct{}, 1), changed: map[string]bool{}}
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
		return nil, fmt.Errorf("you have %d live pages open, which is the limit; close some", own)
	case len(h.streams) >= maxStreams:
		return nil, fmt.Errorf("%d live pages are open, which is the limit; try again later", len(h.streams))
	}
	if h.stop == nil {
		ctx, cancel := context.WithCancel(h.ctx)
		if !h.beginLocked(func() { h.follow(ctx) }) {
			cancel()
			return nil, errors.New("the server is shutting down")
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

// follow reports changes in the store: runs that begin and end, and, once a second, writes to runs
// with open pages.
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
				h.notify(topicRun(id))
			}
		}
		shown = now
	}
}

// catchUp notifies pages opened since the last tick about all of their topics. These may have
// changed after the page was made and before its stream opened.
func (h *hub) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if s.fresh {
			s.fresh = false
			for t := range s.topics {
				s.notify(t)
			}
		}
	}
}

// openRuns returns the runs that open pages follow, and those with pending calls, because another
// process may answer them.
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

// waiting is the state of counting the pending calls of each subject, see waitingCalls.
type waiting struct {
	until    time.Time // the count is valid until then
	of       map[string]waitCount
	asks     []*approval.Call
	stale    bool          // something changed since counting began
	counting chan struct{} // closed when counting ends; nil if it is not running
}

const (
	// waitingFor is how long a count is valid without notifications.
	waitingFor = 5 * time.Second
	// countWait is how long a page waits for a new count.
	countWait = 30 * time.Millisecond
)

// waits returns the last count of the pending calls that a viewer may see.
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

// asks returns the calls that waits counts, oldest first.
func (h *hub) asks(v *Viewer) (out []*approval.Call) {
	h.waits(v) // counts them if necessary
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.waiting.asks {
		if v.mayLook(a.Run.Subject) {
			out = append(out, a)
		}
	}
	return out
}

// count counts the pending calls, and notifies open pages if the counts changed.
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
		h.notify(topicApprovals)
	}
}

// topics returns the requested topics that the viewer may follow: only runs that it may see.
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

// events streams changes of the requested topics to a page until the page is closed or its viewer
// is signed out. If the viewer's rights change, the stream ends, and the browser reconnects.
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
		if !c.isSignedIn(v.browser, v.Viewer) {
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
			select { // limit the rate
			case <-time.After(newsEvery):
			case <-v.r.Context().Done():
				return nil
			case <-v.browser.gone:
				return nil
			}
		}
	}
}
