package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

// MaxBody and MaxBatch bound a request, in bytes and in messages.
const (
	MaxBody  = 8 << 20
	MaxBatch = 100
)

// Bounds of the large bodies of requests under way, in bytes: of one token or all clients without
// one, and of all together. Small bodies are bounded by the number of connections.
const (
	smallBody   = 64 << 10
	eachBodies  = 8 * MaxBody
	totalBodies = 32 * MaxBody
)

// Bodies is the room for the bodies of requests under way.
type Bodies struct {
	// Time is how long a body may take to arrive.
	Time time.Duration
	all  *semaphore.Weighted
	each map[string]*semaphore.Weighted // by token name, "" without a token
}

// NewBodies returns room for the clients with tokens and those without one.
func NewBodies(tokens map[string]string) *Bodies {
	b := &Bodies{time.Minute, semaphore.NewWeighted(totalBodies), map[string]*semaphore.Weighted{"": semaphore.NewWeighted(eachBodies)}}
	for name := range tokens {
		b.each[name] = semaphore.NewWeighted(eachBodies)
	}
	return b
}

// Acquire waits for room for a body of size bytes.
func (b *Bodies) Acquire(ctx context.Context, token string, size int64) (release func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	each := b.each[token]
	if err := each.Acquire(ctx, size); err != nil {
		return nil, err
	}
	if err := b.all.Acquire(ctx, size); err != nil {
		each.Release(size)
		return nil, err
	}
	return func() { b.all.Release(size); each.Release(size) }, nil
}

// Read reads the whole body within bounds of size and time. Call release when the request is
// answered. If it is not read, or is too large or late, the connection ends with the answer
// (Checked).
func (b *Bodies) Read(w http.ResponseWriter, r *http.Request) (release func(), ok bool) {
	if r.ContentLength == 0 {
		return func() {}, true
	}
	free, ok := b.Hold(w, r, Subject(r), MaxBody)
	if !ok {
		return nil, false
	}
	defer func() {
		if !ok {
			free()
		}
	}()
	rc := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		rc.SetReadDeadline(longAgo) // the rest is not awaited
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the request has more than %d bytes", MaxBody), http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "the request could not be read in time", http.StatusRequestTimeout)
		return nil, false
	}
	if longBatch(body) {
		http.Error(w, fmt.Sprintf("a batch has at most %d messages", MaxBatch), http.StatusBadRequest)
		return nil, false
	}
	w.Header().Del("Connection")
	rc.SetReadDeadline(time.Time{}) // the answer may take any time
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return free, true
}

// Hold waits for room for the body of a request, of at most max bytes, and sets the deadline for
// reading it. Call release when the request is answered. If the memory is not free in time, Hold answers
// the request.
func (b *Bodies) Hold(w http.ResponseWriter, r *http.Request, token string, max int64) (release func(), ok bool) {
	late := time.Now().Add(b.Time)
	ctx, cancel := context.WithDeadline(r.Context(), late)
	defer cancel()
	size := r.ContentLength
	if size < 0 || size > max {
		size = max
	}
	release, err := b.Acquire(ctx, token, size)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many large requests are under way; try again later", http.StatusServiceUnavailable)
		return nil, false
	}
	http.NewResponseController(w).SetReadDeadline(late)
	return release, true
}

// longBatch reports whether a body is a batch of too many messages. The answers to a batch stay in
// memory until the client reads them.
func longBatch(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return false
	}
	for n := 0; d.More(); n++ {
		var message json.RawMessage
		if n == MaxBatch {
			return true
		}
		if d.Decode(&message) != nil {
			return false // the SDK reports it
		}
	}
	return false
}
