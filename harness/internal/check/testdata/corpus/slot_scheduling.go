// Meeting slots: interval sets, free/busy over attendees, greedy and weighted scheduling, time parsing, text timelines.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

type Span struct{ From, To time.Duration }

func (s Span) String() string       { return hm(s.From) + "-" + hm(s.To) }
func (s Span) Len() time.Duration   { return s.To - s.From }
func (s Span) Overlaps(o Span) bool { return s.From < o.To && o.From < s.To }

func hm(d time.Duration) string { return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60) }

type Spans []Span

func (s Spans) Len() int           { return len(s) }
func (s Spans) Less(i, j int) bool { return s[i].From < s[j].From }
func (s Spans) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

func (s Spans) Merge() (out Spans) {
	s = slices.Clone(s)
	sort.Sort(s)
	for _, x := range s {
		if n := len(out); n > 0 && x.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, x.To)
		} else {
			out = append(out, x)
		}
	}
	return
}

func (s Spans) Invert(day Span) (out Spans) {
	at := day.From
	for _, x := range s.Merge() {
		if x.From > at {
			out = append(out, Span{at, min(x.From, day.To)})
		}
		at = max(at, x.To)
	}
	if at < day.To {
		out = append(out, Span{at, day.To})
	}
	return
}

type parseError struct {
	In  string
	Err error
}

func (p *parseError) Error() string { return fmt.Sprintf("span %q: %v", p.In, p.Err) }
func (p *parseError) Unwrap() error { return p.Err }

var errOrder = errors.New("ends before it starts")

func parseSpan(in string) (s Span, err error) {
	defer func() {
		if err != nil {
			s, err = Span{}, &parseError{in, err}
		}
	}()
	a, b, ok := strings.Cut(in, "-")
	if !ok {
		return s, errors.New("want FROM-TO")
	}
	for _, p := range []struct {
		s string
		d *time.Duration
	}{{a, &s.From}, {b, &s.To}} {
		t, err := time.Parse("15:04", p.s)
		if err != nil {
			return s, err
		}
		*p.d = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	}
	if s.To <= s.From {
		err = errOrder
	}
	return
}

type Calendar map[string]Spans

func (c Calendar) Free(day Span, need time.Duration, who ...string) (free Spans) {
	var busy Spans
	for _, w := range who {
		busy = append(busy, c[w]...)
	}
	for _, f := range busy.Invert(day) {
		if f.Len() >= need {
			free = append(free, f)
		}
	}
	return
}

func (c Calendar) Book(day Span, need time.Duration, who ...string) (s Span, err error) {
	free := c.Free(day, need, who...)
	if len(free) == 0 {
		return s, fmt.Errorf("no %v for %s", need, strings.Join(who, "+"))
	}
	s = Span{free[0].From, free[0].From + need}
	for _, w := range who {
		c[w] = append(c[w], s)
	}
	return
}

func timeline(day Span, step time.Duration, s Spans) string {
	var sb strings.Builder
	for at := day.From; at < day.To; at += step {
		c := byte('.')
		if slices.ContainsFunc(s, Span{at, at + step}.Overlaps) {
			c = '#'
		}
		sb.WriteByte(c)
	}
	return sb.String()
}

type Talk struct {
	Span
	Title string
	Score int
}

func best(talks []Talk) (score int, titles []string) {
	slices.SortFunc(talks, func(a, b Talk) int { return cmp.Compare(a.To, b.To) })
	type cell struct {
		score int
		take  bool
		prev  int
	}
	dp := make([]cell, len(talks)+1)
	for i, t := range talks {
		p := sort.Search(i, func(j int) bool { return talks[j].To > t.From })
		dp[i+1] = cell{dp[i].score, false, i}
		if with := dp[p].score + t.Score; with > dp[i].score {
			dp[i+1] = cell{with, true, p}
		}
	}
	for i := len(talks); i > 0; i = dp[i].prev {
		if dp[i].take {
			titles = append([]string{talks[i-1].Title}, titles...)
		}
	}
	return dp[len(talks)].score, titles
}

func main() {
	cal := Calendar{}
	for who, spans := range map[string]string{"ann": "09:00-10:30 12:00-13:00 10:00-11:00", "bob": "09:30-09:45 15:00-18:00", "cy": ""} {
		for f := range strings.FieldsSeq(spans) {
			s, err := parseSpan(f)
			if err != nil {
				fmt.Println(err)
			}
			cal[who] = append(cal[who], s)
		}
	}
	day := Span{9 * time.Hour, 17 * time.Hour}
	for _, w := range slices.Sorted(maps.Keys(cal)) {
		fmt.Println(w, cal[w].Merge(), timeline(day, 30*time.Minute, cal[w]))
	}
	fmt.Println(cal.Free(day, time.Hour, "ann", "bob", "cy"), cal.Free(day, 9*time.Hour, "cy") == nil)
	for range 4 {
		s, err := cal.Book(day, 90*time.Minute, "ann", "bob", "cy")
		fmt.Println(s, err)
	}
	fmt.Println(len(cal["cy"]), cal["cy"])
	for _, bad := range []string{"0900", "09:00-25:00", "10:00-09:00", "a-b"} {
		s, err := parseSpan(bad)
		var pe *parseError
		fmt.Println(s, err, errors.As(err, &pe), errors.Is(err, errOrder))
	}
	h := time.Hour
	fmt.Println(best([]Talk{{Span{1 * h, 4 * h}, "a", 3}, {Span{3 * h, 5 * h}, "b", 4}, {Span{0, 6 * h}, "c", 6}, {Span{5 * h, 7 * h}, "d", 2}, {Span{5 * h, 9 * h}, "e", 4}}))
	t := Talk{Span{h, 2 * h}, "t", 1}
	fmt.Printf("%v %+v %s %v\n", t, t, t.Span, Spans{{0, h}}.Invert(day))
}
