// Month calendars with time.Time arithmetic, ISO weeks, easter, business days, durations.
package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

type Date struct {
	Y int
	M time.Month
	D int
}

func Of(t time.Time) Date            { y, m, d := t.Date(); return Date{y, m, d} }
func (d Date) Time() time.Time       { return time.Date(d.Y, d.M, d.D, 0, 0, 0, 0, time.UTC) }
func (d Date) Add(n int) Date        { return Of(d.Time().AddDate(0, 0, n)) }
func (d Date) Sub(o Date) int        { return int(d.Time().Sub(o.Time()).Hours() / 24) }
func (d Date) String() string        { return d.Time().Format(time.DateOnly) }
func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

func daysIn(y int, m time.Month) int { return Date{y, m + 1, 0}.Time().Day() }

func Month(y int, m time.Month, mark map[Date]rune) string {
	var sb strings.Builder
	title := fmt.Sprintf("%v %d", m, y)
	fmt.Fprintf(&sb, "%*s\n", (20+len(title))/2, title)
	sb.WriteString("Mo Tu We Th Fr Sa Su\n")
	first := Date{y, m, 1}
	pad := (int(first.Weekday()) + 6) % 7
	sb.WriteString(strings.Repeat("   ", pad))
	for d := range daysIn(y, m) {
		day := first.Add(d)
		r, ok := mark[day]
		if !ok {
			r = ' '
		}
		fmt.Fprintf(&sb, "%2d%c", day.D, r)
		if day.Weekday() == time.Sunday {
			sb.WriteByte('\n')
		}
	}
	return strings.TrimRight(sb.String(), "\n ") + "\n"
}

func Easter(y int) Date {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return Date{y, time.Month(n / 31), n%31 + 1}
}

func BusinessDays(from, to Date, holidays ...Date) (n int) {
	for d := from; d != to; d = d.Add(1) {
		switch wd := d.Weekday(); {
		case wd == time.Saturday, wd == time.Sunday:
		case slices.Contains(holidays, d):
		default:
			n++
		}
	}
	return
}

func main() {
	e := Easter(2024)
	marks := map[Date]rune{e: '*', e.Add(-2): '+', {2024, 2, 29}: '!', {Y: 2024, M: time.March, D: 1}: '<'}
	for _, m := range []time.Month{time.February, time.March} {
		fmt.Print(Month(2024, m, marks))
	}
	for y := 2023; y < 2027; y++ {
		_, week := Easter(y).Time().ISOWeek()
		fmt.Print(Easter(y), " w", week, "; ")
	}
	fmt.Println()
	d := Date{2024, 1, 31}
	fmt.Println(d.Add(30), d.Sub(Date{2023, 12, 25}), d.Time().AddDate(0, 1, 0).Format("Jan 2"), d.Time().YearDay())
	fmt.Println(BusinessDays(Date{2024, 3, 25}, Date{2024, 4, 8}, e.Add(-2), e.Add(1)))
	fmt.Printf("%v %+v %s %d\n", d, d, d.Weekday(), d.M)
	for _, layout := range []string{time.RFC3339, time.RFC850, "Mon Jan _2 15:04:05.000", "06/1/2 3PM", "2006-002 -07:00 MST"} {
		fmt.Println(time.Date(2025, 7, 4, 17, 8, 9, 123456789, time.FixedZone("XST", -5*3600-1800)).Format(layout))
	}
	t, err := time.Parse("2 Jan 2006 15:04", "31 Feb 2024 10:00")
	fmt.Println(t.IsZero(), err)
	t, err = time.ParseInLocation("02.01.2006", "05.11.2023", time.UTC)
	fmt.Println(t, err, t.Unix(), t.Truncate(7*24*time.Hour).Format(time.DateOnly))
	dur := 26*time.Hour + 3*time.Minute + 4500*time.Millisecond
	fmt.Println(dur, dur.Minutes(), dur.Round(time.Hour), dur.Truncate(time.Minute), time.Duration(999), -dur)
	p, err := time.ParseDuration("1h15m30.918273645s")
	fmt.Println(p, err, p > dur, time.UnixMilli(1700000000123).UTC())
	fmt.Println(time.Month(13), time.Weekday(2), t.Before(e.Time()), t.Compare(t), t.Equal(t.In(time.FixedZone("A", 60))))
}
