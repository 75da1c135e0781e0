package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

type Weekly struct {
	time.Weekday
	At time.Duration
}

func (w Weekly) Next(after time.Time) time.Time {
	y, m, d := after.Date()
	t := time.Date(y, m, d, 0, 0, 0, 0, after.Location()).Add(w.At)
	for t.Weekday() != w.Weekday || !t.After(after) {
		t = t.AddDate(0, 0, 1)
	}
	return t
}

type Span struct{ From, To time.Time }

func (s Span) Overlaps(o Span) bool    { return s.From.Before(o.To) && o.From.Before(s.To) }
func (s Span) Duration() time.Duration { return s.To.Sub(s.From) }
func (s Span) String() string {
	return s.From.Format("02 Jan 15:04") + "–" + s.To.Format(time.Kitchen)
}

type Calendar []Span

func (c Calendar) Len() int           { return len(c) }
func (c Calendar) Less(i, j int) bool { return c[i].From.Before(c[j].From) }
func (c Calendar) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c Calendar) Free(within Span) (free Calendar) {
	sort.Sort(c)
	at := within.From
	for _, s := range c {
		if s.From.After(at) {
			free = append(free, Span{at, s.From})
		}
		if s.To.After(at) {
			at = s.To
		}
	}
	if at.Before(within.To) {
		free = append(free, Span{at, within.To})
	}
	return
}

func human(d time.Duration) string {
	units := []struct {
		d time.Duration
		n string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	var sb strings.Builder
	if d < 0 {
		sb.WriteByte('-')
		d = -d
	}
	for _, u := range units {
		if q := d / u.d; q > 0 {
			fmt.Fprintf(&sb, "%d%s", q, u.n)
			d %= u.d
		}
	}
	if sb.Len() == 0 {
		return d.String()
	}
	return sb.String()
}

func main() {
	ber, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	t := time.Date(2024, time.March, 30, 22, 30, 15, 123456789, ber)
	fmt.Println(t, t.UTC(), t.Unix(), t.UnixMilli())
	fmt.Println(t.Add(24*time.Hour).Format(time.RFC3339Nano), t.AddDate(0, 0, 1).Format(time.RFC1123Z), t.AddDate(0, 1, 1).Format("Mon Jan _2 2006 .000 MST"))
	for _, l := range []string{time.ANSIC, time.RFC850, time.StampMicro, "2006-002", "3:04:05PM -07:00", "20060102T150405Z0700", "Monday, 2. January '06"} {
		fmt.Println(t.Format(l))
	}
	for _, c := range [][2]string{{time.RFC3339, "2024-02-30T00:00:00Z"}, {"2006-01-02", "2024-2-3"}, {"15:04", "25:00"}, {time.RFC3339, "2023-07-01T12:00:00.5+05:30"}, {"Jan 2, 2006", "Feb 29, 2024"}, {"2006-01-02", "2024-02-03x"}} {
		v, err := time.Parse(c[0], c[1])
		var pe *time.ParseError
		fmt.Println(v, err, errors.As(err, &pe))
	}
	for _, s := range []string{"1h30m", "-2.5s", "100us", "3d", "", "1h-5m", "9999999h"} {
		d, err := time.ParseDuration(s)
		fmt.Println(d, err, human(d))
	}
	w := Weekly{time.Wednesday, 9*time.Hour + 30*time.Minute}
	next := w.Next(t)
	fmt.Println(w, next, next.Sub(t), human(next.Sub(t)))
	fmt.Printf("%v %+v %d %s\n", w, w, w.Weekday, w.At)
	day := time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)
	at := func(h, m int) time.Time { return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute) }
	cal := Calendar{{at(13, 0), at(14, 30)}, {at(9, 0), at(10, 0)}, {at(9, 30), at(11, 15)}}
	fmt.Println(cal.Free(Span{at(8, 0), at(18, 0)}), cal[0].Overlaps(cal[1]), cal[2])
	total := time.Duration(0)
	for _, f := range cal.Free(Span{at(8, 0), at(18, 0)}) {
		total += f.Duration()
	}
	fmt.Println(total, total.Hours(), total.Round(time.Hour), total.Seconds(), time.Duration(1500)*time.Microsecond, time.Duration(0))
	y, wk := t.ISOWeek()
	fmt.Println(y, wk, t.YearDay(), t.Month(), int(t.Month()), t.Weekday(), t.Equal(t.UTC()), t == t.UTC(), t.Compare(t.Add(1)))
	var zero time.Time
	fmt.Println(zero, zero.IsZero(), zero.Unix(), time.Unix(1700000000, 5).UTC(), time.UnixMilli(1).UTC().Format(time.TimeOnly))
	fmt.Printf("%v|%s|%d|%T|%q\n", time.Minute, time.March, time.March, t, time.Saturday)
	m := map[time.Month]int{time.May: 2, time.January: 1}
	fmt.Println(m, time.Month(13), time.Weekday(8))
	type key struct{ y, d int }
	seen := map[key]bool{}
	for d := day; d.Before(day.AddDate(0, 0, 3)); d = d.Add(12 * time.Hour) {
		seen[key{d.Year(), d.YearDay()}] = true
	}
	fmt.Println(len(seen), t.Truncate(time.Hour).Format(time.TimeOnly), t.Round(time.Minute).Format(time.TimeOnly))
}
