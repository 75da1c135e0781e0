// A goroutine broker with per-topic subscribers, request/reply over channels, orderly shutdown.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
)

type Message struct {
	Topic string
	Body  any
	ack   chan<- error
}

type subscription struct {
	topic string
	ch    chan Message
}

type Broker struct {
	pub     chan Message
	sub     chan subscription
	done    chan struct{}
	dropped []string
}

var ErrNoSubscriber = errors.New("no subscriber")

func NewBroker(ctx context.Context) *Broker {
	b := &Broker{pub: make(chan Message), sub: make(chan subscription), done: make(chan struct{})}
	go b.loop(ctx)
	return b
}

func (b *Broker) loop(ctx context.Context) {
	subs := make(map[string][]chan Message)
	defer close(b.done)
	defer func() {
		for _, chs := range subs {
			for _, ch := range chs {
				close(ch)
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-b.sub:
			subs[s.topic] = append(subs[s.topic], s.ch)
		case m := <-b.pub:
			chs := subs[m.Topic]
			if len(chs) == 0 {
				m.ack <- fmt.Errorf("%s: %w", m.Topic, ErrNoSubscriber)
				continue
			}
			var err error
			for i, ch := range chs {
				select {
				case ch <- m:
				default:
					b.dropped = append(b.dropped, fmt.Sprintf("%s#%d", m.Topic, i))
					err = errors.Join(err, fmt.Errorf("subscriber %d of %s is full", i, m.Topic))
				}
			}
			m.ack <- err
		}
	}
}

func (b *Broker) Subscribe(topic string, size int) <-chan Message {
	ch := make(chan Message, size)
	b.sub <- subscription{topic, ch}
	return ch
}

func (b *Broker) Publish(topic string, body any) error {
	ack := make(chan error)
	select {
	case b.pub <- Message{topic, body, ack}:
		return <-ack
	case <-b.done:
		return context.Canceled
	}
}

func Collect[T any](wg *sync.WaitGroup, in <-chan Message, f func(T)) {
	wg.Go(func() {
		for m := range in {
			if v, ok := m.Body.(T); ok {
				f(v)
			}
		}
	})
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	b := NewBroker(ctx)
	fmt.Println(b.Publish("nobody", 1))
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		sums = map[string]int{}
		text []string
	)
	for _, name := range []string{"x", "y"} {
		Collect(&wg, b.Subscribe("nums", 64), func(n int) {
			mu.Lock()
			defer mu.Unlock()
			sums[name] += n
		})
	}
	Collect(&wg, b.Subscribe("text", 8), func(s fmt.Stringer) { text = append(text, s.String()) })
	tiny := b.Subscribe("tiny", 1)
	for i := range 10 {
		if err := b.Publish("nums", i*i); err != nil {
			fmt.Println("unexpected:", err)
		}
	}
	b.Publish("nums", "not a number")
	var sb strings.Builder
	sb.WriteString("built")
	for _, body := range []any{&sb, 3, sb.Len, word("w")} {
		b.Publish("text", body)
	}
	for i := range 3 {
		err := b.Publish("tiny", i)
		fmt.Println("tiny", i, err)
	}
	cancel()
	wg.Wait()
	<-b.done
	m, ok := <-tiny
	fmt.Println(m.Body, ok)
	m, ok = <-tiny
	fmt.Println(m.Topic == "", m.Body, ok)
	keys := make([]string, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Print(k, "=", sums[k], " ")
	}
	slices.Sort(text)
	fmt.Println(text, b.dropped)
	fmt.Println(b.Publish("late", 1), errors.Is(b.Publish("late", 2), context.Canceled), context.Cause(ctx))
}

type word string

func (w word) String() string { return "<" + string(w) + ">" }
