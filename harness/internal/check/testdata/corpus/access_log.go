package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const raw = `10.0.0.1 - alice [12/Mar/2026:08:01:02 +0000] "GET /index.html HTTP/1.1" 200 5123 0.012
10.0.0.2 - - [12/Mar/2026:08:01:09 +0000] "POST /api/login HTTP/1.1" 401 87 0.201
10.0.0.1 - alice [12/Mar/2026:08:02:44 +0000] "GET /api/items?page=2 HTTP/1.1" 200 9981 0.077
garbage line here
10.0.0.3 - bob [12/Mar/2026:08:03:00 +0100] "DELETE /api/items/17 HTTP/2.0" 204 0 0.045
10.0.0.2 - carol [12/Mar/2026:08:03:59 +0000] "GET /api/items?page=1 HTTP/1.1" 500 311 1.900
10.0.0.1 - alice [12/Mar/2026:09:15:00 +0000] "GET /static/app.js HTTP/1.1" 304 0 0.001
10.0.0.9 - - [bad date] "GET / HTTP/1.1" 200 1 0.1`

type Entry struct {
	IP, User     string
	At           time.Time
	Method, Path string
	Status, Size int
	Took         time.Duration
}

type ParseError struct {
	Line int
	Text string
	Err  error
}

func (e *ParseError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d: no match: %q", e.Line, e.Text)
}
func (e *ParseError) Unwrap() error { return e.Err }

var lineRE = regexp.MustCompile(`^(?P<ip>\S+) - (?P<user>\S+) \[(?P<at>[^\]]+)\] "(?P<method>[A-Z]+) (?P<path>\S+) HTTP/[\d.]+" (?P<status>\d{3}) (?P<size>\d+) (?P<took>[\d.]+)$`)

func parse(n int, s string) (e Entry, err error) {
	m := lineRE.FindStringSubmatch(s)
	if m == nil {
		return e, &ParseError{Line: n, Text: s}
	}
	get := func(name string) string { return m[lineRE.SubexpIndex(name)] }
	defer func() {
		if err != nil {
			err = &ParseError{Line: n, Text: s, Err: err}
		}
	}()
	e.IP, e.User, e.Method, e.Path = get("ip"), get("user"), get("method"), get("path")
	if e.At, err = time.Parse("02/Jan/2006:15:04:05 -0700", get("at")); err != nil {
		return
	}
	if e.Status, err = strconv.Atoi(get("status")); err != nil {
		return
	}
	if e.Size, err = strconv.Atoi(get("size")); err != nil {
		return
	}
	secs, err := strconv.ParseFloat(get("took"), 64)
	if err != nil {
		return e, err
	}
	e.Took = time.Duration(secs * float64(time.Second))
	return e, nil
}

type Stats struct {
	Hits, Bytes int
	Slowest     time.Duration
	Statuses    map[int]int
}

func groupBy[K comparable, V any](xs []V, key func(V) K) map[K][]V {
	out := make(map[K][]V)
	for _, x := range xs {
		k := key(x)
		out[k] = append(out[k], x)
	}
	return out
}

func main() {
	var entries []Entry
	var errs []error
	sc := bufio.NewScanner(strings.NewReader(raw))
	for n := 1; sc.Scan(); n++ {
		e, err := parse(n, sc.Text())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	for _, err := range errs {
		fmt.Println("skip:", err)
	}
	stats := map[string]*Stats{}
	for _, e := range entries {
		path, _, _ := strings.Cut(e.Path, "?")
		s, ok := stats[path]
		if !ok {
			s = &Stats{Statuses: map[int]int{}}
			stats[path] = s
		}
		s.Hits++
		s.Bytes += e.Size
		s.Slowest = max(s.Slowest, e.Took)
		s.Statuses[e.Status/100]++
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(tw, "path\thits\tbytes\tslowest\tclasses\t")
	keys := slices.SortedFunc(maps.Keys(stats), func(a, b string) int {
		return cmp.Or(-cmp.Compare(stats[a].Hits, stats[b].Hits), strings.Compare(a, b))
	})
	for _, k := range keys {
		s := stats[k]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%v\t%v\t\n", k, s.Hits, s.Bytes, s.Slowest, s.Statuses)
	}
	tw.Flush()
	byHour := groupBy(entries, func(e Entry) time.Time { return e.At.UTC().Truncate(time.Hour) })
	for _, h := range slices.SortedFunc(maps.Keys(byHour), time.Time.Compare) {
		users := map[string]struct{}{}
		for _, e := range byHour[h] {
			users[e.User] = struct{}{}
		}
		fmt.Printf("%s %d hits, users %v\n", h.Format(time.RFC3339), len(byHour[h]), slices.Sorted(maps.Keys(users)))
	}
	fmt.Printf("%+v\n", entries[3])
}
