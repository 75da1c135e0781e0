// Log analysis: regexp parse, group, percentile, tabwriter report.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const logs = `2025-03-01T10:00:00Z GET /api/users 200 12ms
2025-03-01T10:00:01Z GET /api/users 200 15ms
2025-03-01T10:00:05Z POST /api/orders 201 120ms
2025-03-01T10:01:00Z GET /api/orders/17 404 3ms
garbage line here
2025-03-01T10:01:30Z GET /api/users 500 1.2s
2025-03-01T10:02:00Z POST /api/orders 500 950ms
2025-03-01T10:02:10Z GET /health 200 800µs
2025-13-01T10:02:10Z GET /health 200 1ms
2025-03-01T10:04:59Z GET /api/orders/18 200 7ms`

type Entry struct {
	At     time.Time
	Method string
	Path   string
	Status int
	Took   time.Duration
}

type parseErr struct {
	line int
	why  error
}

func (p parseErr) Error() string { return fmt.Sprintf("line %d: %v", p.line, p.why) }

var re = regexp.MustCompile(`^(?P<at>\S+) (?P<method>[A-Z]+) (?P<path>/\S*) (?P<status>\d{3}) (?P<took>\S+)$`)

func parse(line string) (e Entry, err error) {
	m := re.FindStringSubmatch(line)
	if m == nil {
		return e, fmt.Errorf("no match: %.10q…", line)
	}
	get := func(name string) string { return m[re.SubexpIndex(name)] }
	if e.At, err = time.Parse(time.RFC3339, get("at")); err != nil {
		return
	}
	e.Method, e.Path = get("method"), get("path")
	e.Status, _ = strconv.Atoi(get("status"))
	e.Took, err = time.ParseDuration(get("took"))
	return
}

func read(s string) (es []Entry, errs []error) {
	sc := bufio.NewScanner(strings.NewReader(s))
	for n := 1; sc.Scan(); n++ {
		if e, err := parse(sc.Text()); err != nil {
			errs = append(errs, parseErr{n, err})
		} else {
			es = append(es, e)
		}
	}
	return
}

func percentile(ds []time.Duration, p float64) time.Duration {
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	return ds[int(math.Ceil(p*float64(len(ds))))-1]
}

var digits = regexp.MustCompile(`\d+`)

func main() {
	es, errs := read(logs)
	for _, err := range errs {
		fmt.Println(err)
	}
	type stat struct {
		n, fails int
		took     []time.Duration
	}
	by := map[string]*stat{}
	for _, e := range es {
		k := e.Method + " " + digits.ReplaceAllString(e.Path, ":id")
		s, ok := by[k]
		if !ok {
			s = &stat{}
			by[k] = s
		}
		s.n++
		if e.Status >= 500 {
			s.fails++
		}
		s.took = append(s.took, e.Took)
	}
	keys := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b].n, by[a].n), cmp.Compare(a, b))
	})
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w, "endpoint\tn\tfail %\tp50\tp95\t")
	for _, k := range keys {
		s := by[k]
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%v\t%v\t\n", k, s.n, 100*float64(s.fails)/float64(s.n), percentile(s.took, .5), percentile(s.took, .95))
	}
	w.Flush()
	perMin := map[time.Time]int{}
	for _, e := range es {
		perMin[e.At.Truncate(time.Minute)]++
	}
	start := es[0].At.Truncate(time.Minute)
	for m := start; !m.After(es[len(es)-1].At); m = m.Add(time.Minute) {
		fmt.Printf("%s %s\n", m.Format("15:04"), strings.Repeat("█", perMin[m]))
	}
	slowest := slices.MaxFunc(es, func(a, b Entry) int { return cmp.Compare(a.Took, b.Took) })
	fmt.Printf("%s %s %v %s\n", slowest.Method, slowest.Path, slowest.Took, slowest.At.Format(time.Kitchen))
	fmt.Println(es[len(es)-1].At.Sub(es[0].At), es[0].At.Weekday(), es[0].At.YearDay())
}
