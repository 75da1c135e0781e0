package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type field struct {
	name     string
	min, max int
}
type bitset uint64

func (b bitset) has(i int) bool { return b>>uint(i)&1 == 1 }

var fields = [5]field{{"minute", 0, 59}, {"hour", 0, 23}, {"dom", 1, 31}, {"month", 1, 12}, {"dow", 0, 6}}

type Cron struct {
	expr string
	sets [len(fields)]bitset
}

func parseField(f field, s string) (set bitset, err error) {
	for part := range strings.SplitSeq(s, ",") {
		rng, stepS, hasStep := strings.Cut(part, "/")
		step := 1
		if hasStep {
			if step, err = strconv.Atoi(stepS); err != nil || step < 1 {
				return 0, fmt.Errorf("%s: bad step %q", f.name, stepS)
			}
		}
		lo, hi := f.min, f.max
		if rng != "*" {
			a, b, isRange := strings.Cut(rng, "-")
			if lo, err = strconv.Atoi(a); err != nil {
				return 0, fmt.Errorf("%s: %w", f.name, err)
			}
			switch {
			case isRange:
				if hi, err = strconv.Atoi(b); err != nil {
					return 0, fmt.Errorf("%s: %w", f.name, err)
				}
			case !hasStep:
				hi = lo
			}
		}
		if lo < f.min || hi > f.max || lo > hi {
			return 0, fmt.Errorf("%s: %d-%d out of range [%d,%d]", f.name, lo, hi, f.min, f.max)
		}
		for i := lo; i <= hi; i += step {
			set |= 1 << i
		}
	}
	return set, nil
}

func Parse(expr string) (*Cron, error) {
	parts := strings.Fields(expr)
	if len(parts) != len(fields) {
		return nil, fmt.Errorf("%q: want %d fields, got %d", expr, len(fields), len(parts))
	}
	c := &Cron{expr: expr}
	var errs []error
	for i := range fields {
		var err error
		c.sets[i], err = parseField(fields[i], parts[i])
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (c *Cron) match(t time.Time) bool {
	vals := [...]int{t.Minute(), t.Hour(), t.Day(), int(t.Month()), int(t.Weekday())}
	for i, v := range vals {
		if !c.sets[i].has(v) {
			return false
		}
	}
	return true
}

func (c *Cron) Next(t time.Time) (time.Time, bool) {
	t = t.Truncate(time.Minute).Add(time.Minute)
	end := t.AddDate(0, 3, 0)
	for t.Before(end) {
		if !c.sets[3].has(int(t.Month())) {
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, t.Location())
			continue
		}
		if !c.sets[2].has(t.Day()) || !c.sets[4].has(int(t.Weekday())) {
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
			continue
		}
		if c.match(t) {
			return t, true
		}
		t = t.Add(time.Minute)
	}
	return time.Time{}, false
}

func calendar(y int, m time.Month) string {
	var sb strings.Builder
	first := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
	title := first.Format("January 2006")
	fmt.Fprintf(&sb, "%*s\n", 10+len(title)/2, title)
	sb.WriteString("Mo Tu We Th Fr Sa Su\n")
	off := (int(first.Weekday()) + 6) % 7
	sb.WriteString(strings.Repeat("   ", off))
	for d := first; d.Month() == m; d = d.AddDate(0, 0, 1) {
		fmt.Fprintf(&sb, "%2d", d.Day())
		if d.Weekday() == time.Sunday {
			sb.WriteByte('\n')
		} else {
			sb.WriteByte(' ')
		}
	}
	return strings.TrimRight(sb.String(), " \n")
}

func main() {
	start := time.Date(2026, 2, 27, 22, 58, 30, 0, time.UTC)
	for _, e := range []string{"*/15 * * * *", "0 9-17/4 * * 1-5", "30 6 1,15 * *", "0 0 29 2 *", "61 * * * *", "a b * * *", "* * *", "*/0 5-2 * * 9"} {
		c, err := Parse(e)
		if err != nil {
			fmt.Printf("%-18s %s\n", e, strings.ReplaceAll(err.Error(), "\n", " & "))
			continue
		}
		fmt.Printf("%-18s", c.expr)
		t := start
		for range 3 {
			var ok bool
			if t, ok = c.Next(t); !ok {
				fmt.Print(" never")
				break
			}
			fmt.Print(" ", t.Format("Mon 02-01 15:04"))
		}
		fmt.Println()
	}
	fmt.Println(calendar(2026, time.February))
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		fmt.Println(err)
		return
	}
	a := time.Date(2026, 3, 8, 1, 59, 0, 0, ny)
	fmt.Println(a, a.Add(time.Minute), a.UTC().Format(time.RFC1123Z))
	y, w := start.ISOWeek()
	fmt.Println(y, w, start.YearDay(), start.Weekday(), start.Unix(), start.AddDate(0, 1, 3).Format(time.DateTime))
	d := start.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(d, d.Hours(), d.Round(time.Hour), d.Truncate(24*time.Hour), time.Duration(1500)*time.Microsecond)
	_, err = time.Parse(time.RFC3339, "2026-13-01T00:00:00Z")
	var pe *time.ParseError
	fmt.Println(err, errors.As(err, &pe))
	fmt.Printf("%v %d %s %q\n", time.March, time.March, time.Saturday, time.April)
}
