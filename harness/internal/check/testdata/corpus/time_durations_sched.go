// Fake-clock timers, duration arithmetic and JSON, backoff sequences, time zones fixed, truncation, parsing layouts.
package main

import (
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

type Clock struct {
	now    time.Time
	timers timerHeap
	seq    int
}

type timer struct {
	at    time.Time
	every time.Duration
	f     func(time.Time) bool
	seq   int
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(*timer)) }
func (h *timerHeap) Pop() any {
	n := len(*h)
	defer func() { *h = (*h)[:n-1] }()
	return (*h)[n-1]
}

func (c *Clock) schedule(d, every time.Duration, f func(time.Time) bool) {
	c.seq++
	heap.Push(&c.timers, &timer{c.now.Add(d), every, f, c.seq})
}
func (c *Clock) After(d time.Duration, f func(time.Time)) {
	c.schedule(d, 0, func(t time.Time) bool { f(t); return false })
}
func (c *Clock) Every(d time.Duration, f func(time.Time) bool) { c.schedule(d, d, f) }

func (c *Clock) Advance(d time.Duration) (fired int) {
	end := c.now.Add(d)
	for len(c.timers) > 0 && !c.timers[0].at.After(end) {
		t := heap.Pop(&c.timers).(*timer)
		c.now = t.at
		fired++
		if t.f(c.now) && t.every > 0 {
			t.at = t.at.Add(t.every)
			heap.Push(&c.timers, t)
		}
	}
	c.now = end
	return
}

type Timeout time.Duration

func (t Timeout) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(t).String()) }
func (t *Timeout) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		var n int64
		if err2 := json.Unmarshal(b, &n); err2 != nil {
			return errors.Join(err, err2)
		}
		*t = Timeout(time.Duration(n) * time.Millisecond)
		return nil
	}
	d, err := time.ParseDuration(s)
	*t = Timeout(d)
	return err
}

func backoff(base, limit time.Duration, factor float64) iter.Seq2[int, time.Duration] {
	return func(yield func(int, time.Duration) bool) {
		for i, d := 1, base; yield(i, min(d, limit)); i++ {
			d = time.Duration(float64(d) * factor)
		}
	}
}

func human(d time.Duration) string {
	var parts []string
	for _, u := range []struct {
		n string
		d time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if k := d / u.d; k > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", k, u.n))
			d %= u.d
		}
	}
	if len(parts) == 0 {
		return d.String()
	}
	return strings.Join(parts, " ")
}

func main() {
	c := &Clock{now: time.Date(2024, 12, 31, 23, 59, 50, 0, time.UTC)}
	var log []string
	note := func(s string) func(time.Time) {
		return func(t time.Time) { log = append(log, t.Format("05 ")+s) }
	}
	c.After(5*time.Second, note("five"))
	n := 0
	c.Every(4*time.Second, func(t time.Time) bool { n++; note(fmt.Sprint("tick", n))(t); return n < 4 })
	c.After(4*time.Second, func(t time.Time) {
		note("four")(t)
		c.After(0, note("nested"))
		c.After(time.Hour, note("too late"))
	})
	fmt.Println(c.Advance(3*time.Second), c.Advance(2*time.Second), c.Advance(30*time.Second), len(c.timers), c.now)
	fmt.Println(strings.Join(log, ", "))
	for i, d := range backoff(150*time.Millisecond, 2*time.Second, 2.5) {
		if i > 5 {
			break
		}
		fmt.Print(i, "=", d, " ")
	}
	fmt.Println()
	var cfg struct {
		A, B Timeout
		C    time.Duration
		At   time.Time
		P    *Timeout  `json:",omitempty"`
		Z    time.Time `json:"z,omitzero"`
	}
	err := json.Unmarshal([]byte(`{"A":"1h2m","B":1500,"C":1000,"At":"2025-02-03T04:05:06.7+02:00"}`), &cfg)
	fmt.Println(time.Duration(cfg.A), time.Duration(cfg.B), cfg.C, cfg.At.UTC(), err)
	out, err := json.Marshal(cfg)
	fmt.Println(string(out), err)
	fmt.Println(json.Unmarshal([]byte(`{"A":"soon"}`), &cfg), json.Unmarshal([]byte(`{"At":"yesterday"}`), &cfg))
	fmt.Println(json.Unmarshal([]byte(`{"A":true}`), &cfg))
	fmt.Println(human(90061*time.Second), human(59*time.Second), human(300*time.Millisecond), human(48*time.Hour+time.Second))
	zone := time.FixedZone("EST", -5*3600)
	t := time.Date(2025, time.February, 30, 25, 61, 0, 5e8, zone)
	fmt.Println(t, t.UTC().Format(time.RFC3339Nano), t.Weekday(), t.YearDay(), t.Unix())
	name, off := t.Zone()
	y, w := t.ISOWeek()
	fmt.Println(name, off, y, w, t.AddDate(0, -1, 0).Format("Mon 2 Jan 2006"), t.Truncate(time.Hour).Minute(), t.Round(time.Second).Nanosecond())
	fmt.Println(t.Sub(c.now).Round(time.Hour), c.now.Before(t), t.Equal(t.UTC()), t == t.UTC(), time.Time{}.IsZero(), time.Time{})
	for _, in := range [][2]string{{"2006-01-02", "2025-06-31"}, {"15:04", "7:5"}, {time.Kitchen, "3:04PM"}, {"Jan _2 06", "Feb  9 99"}, {time.RFC1123Z, "Mon, 02 Jan 2006 15:04:05 -0700"}} {
		t, err := time.Parse(in[0], in[1])
		fmt.Println(t.Format(time.DateTime), err)
	}
}
