package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const logs = `2024-05-01T12:00:01Z INFO  api GET /users 200 12ms
2024-05-01T12:00:02Z ERROR api GET /orders 500 233ms
2024-05-01T12:00:04Z INFO  web GET /index 304 1.5ms
not a log line
2024-05-01T12:01:11Z WARN  api POST /orders 429 3ms
2024-05-01T12:01:59Z INFO  api POST /orders 201 48ms
2024-13-01T12:01:59Z INFO  api POST /orders 201 48ms
2024-05-01T12:02:30Z ERROR web GET /pay 502 1.2s
2024-05-01T12:02:31Z INFO  api GET /users 200 9ms`

type Level int8

const (
	Info Level = iota
	Warn
	Error
)

func ParseLevel(s string) (Level, error) {
	for i, n := range [...]string{"INFO", "WARN", "ERROR"} {
		if n == s {
			return Level(i), nil
		}
	}
	return -1, fmt.Errorf("bad level %q", s)
}

func (l Level) String() string { return "IWE"[l : l+1] }

type Entry struct {
	Time    time.Time
	Level   Level
	Service string
	Method  string
	Path    string
	Status  int
	Took    time.Duration
}

var lineRE = regexp.MustCompile(`^(?P<time>\S+)\s+(?P<level>[A-Z]+)\s+(?P<svc>\w+)\s+(?P<method>GET|POST)\s+(?P<path>/\S*)\s+(?P<status>\d{3})\s+(?P<took>\S+)$`)

func parse(line string) (e Entry, err error) {
	m := lineRE.FindStringSubmatch(line)
	if m == nil {
		return e, fmt.Errorf("no match: %.12q", line)
	}
	get := func(name string) string { return m[lineRE.SubexpIndex(name)] }
	if e.Time, err = time.Parse(time.RFC3339, get("time")); err != nil {
		return Entry{}, err
	}
	if e.Level, err = ParseLevel(get("level")); err != nil {
		return
	}
	if e.Status, err = strconv.Atoi(get("status")); err != nil {
		return
	}
	e.Took, err = time.ParseDuration(get("took"))
	e.Service, e.Method, e.Path = get("svc"), get("method"), get("path")
	return
}

type Stats struct {
	N, Errs  int
	Total    time.Duration
	Max, Min time.Duration
	byMinute map[time.Time]int
}

func (s *Stats) Add(e Entry) {
	if s.N == 0 {
		s.Min = e.Took
	}
	s.N++
	if e.Status >= 500 {
		s.Errs++
	}
	s.Total += e.Took
	s.Max, s.Min = max(s.Max, e.Took), min(s.Min, e.Took)
	if s.byMinute == nil {
		s.byMinute = map[time.Time]int{}
	}
	s.byMinute[e.Time.Truncate(time.Minute)]++
}

func main() {
	type group struct{ svc, path string }
	stats := map[group]*Stats{}
	var bad []string
	var entries []Entry
	sc := bufio.NewScanner(strings.NewReader(logs))
	for n := 1; sc.Scan(); n++ {
		e, err := parse(sc.Text())
		if err != nil {
			bad = append(bad, fmt.Sprintf("%d: %v", n, err))
			continue
		}
		entries = append(entries, e)
		g := group{e.Service, e.Path}
		if stats[g] == nil {
			stats[g] = new(Stats)
		}
		stats[g].Add(e)
	}
	groups := make([]group, 0)
	for g := range stats {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(x, y group) int {
		return cmp.Or(cmp.Compare(stats[y].Total, stats[x].Total), strings.Compare(x.svc+x.path, y.svc+y.path))
	})
	var buf bytes.Buffer
	w := csv.NewWriter(io.MultiWriter(&buf, os.Stdout))
	w.Write([]string{"service", "path", "n", "errors", "avg", "max"})
	for _, g := range groups {
		s := stats[g]
		w.Write([]string{g.svc, g.path, strconv.Itoa(s.N), fmt.Sprint(s.Errs), (s.Total / time.Duration(s.N)).String(), s.Max.Round(10 * time.Millisecond).String()})
	}
	w.Flush()
	fmt.Println(w.Error(), strings.Join(bad, " | "))
	recs, err := csv.NewReader(&buf).ReadAll()
	fmt.Println(len(recs), err, recs[1])
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(b.Level, a.Level) })
	for _, e := range entries[:3] {
		fmt.Println(e.Time.Format("15:04:05.000"), e.Level, e.Path, e.Took, e.Time.Weekday())
	}
	fmt.Printf("%v\n%+v\n", entries[0], *stats[group{"web", "/pay"}])
	span := entries[len(entries)-1].Time.Sub(entries[0].Time)
	fmt.Println(span, span.Minutes(), span.Truncate(time.Minute))
	_, err = csv.NewReader(strings.NewReader("a,b\n\"c,d\ne")).ReadAll()
	fmt.Println(err)
	_, err = csv.NewReader(strings.NewReader("a,b\nc\n")).ReadAll()
	fmt.Println(err)
}
