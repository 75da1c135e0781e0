package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

type Severity int8

const (
	Debug Severity = iota - 1
	Info
	Warn
	Error
)

var sevNames = map[string]Severity{"DEBUG": Debug, "INFO": Info, "WARN": Warn, "ERROR": Error}

func (s Severity) String() string {
	for n, v := range sevNames {
		if v == s {
			return n
		}
	}
	return "?"
}

type Line struct {
	At  time.Time
	Sev Severity
	Svc string
	Msg string
	KV  map[string]string
}
type Session struct {
	ID         string
	Start, End time.Time
	Lines      []*Line
	worst      Severity
}

func (s Session) Duration() time.Duration { return s.End.Sub(s.Start) }

var (
	re   = regexp.MustCompile(`^(\S+) (\w+)\s+\[([\w.]+)\] (.*?)((?: \w+=(?:"[^"]*"|\S+))*)$`)
	kvRE = regexp.MustCompile(`(\w+)=("[^"]*"|\S+)`)
)

const input = `2026-04-01T10:00:00Z INFO  [web] request started sid=a1 path=/x
2026-04-01T10:00:00.250Z DEBUG [db] query sid=a1 sql="select 1" ms=12
2026-04-01T10:00:01Z WARN  [web.auth] slow login sid=b2
2026-04-01T10:00:01.5Z ERROR [db] query failed sid=a1 err="dead lock"
oops
2026-04-01T10:00:02Z INFO  [web] request done sid=a1 status=500
2026-04-01T10:00:09+01:00 INFO [cron] tick
2026-04-01T10:01:30Z INFO [web] bye sid=b2
2026-04-01T10:01:31Z TRACE [x] y`

func parse(s string) (*Line, error) {
	m := re.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("no match in %.10q", s)
	}
	at, err := time.Parse(time.RFC3339, m[1])
	if err != nil {
		return nil, err
	}
	sev, ok := sevNames[m[2]]
	if !ok {
		return nil, fmt.Errorf("severity %s", m[2])
	}
	l := &Line{at, sev, m[3], m[4], map[string]string{}}
	for _, kv := range kvRE.FindAllStringSubmatch(m[5], -1) {
		l.KV[kv[1]] = strings.Trim(kv[2], `"`)
	}
	return l, nil
}

func main() {
	sessions := map[string]*Session{}
	matrix := map[string]map[Severity]int{}
	var orphans, bad int
	for n, text := range strings.Split(input, "\n") {
		l, err := parse(text)
		if err != nil {
			bad++
			fmt.Printf("line %d: %v\n", n+1, err)
			continue
		}
		root, _, _ := strings.Cut(l.Svc, ".")
		if matrix[root] == nil {
			matrix[root] = make(map[Severity]int)
		}
		matrix[root][l.Sev]++
		sid, ok := l.KV["sid"]
		if !ok {
			orphans++
			continue
		}
		s, ok := sessions[sid]
		if !ok {
			s = &Session{ID: sid, Start: l.At, worst: Debug}
			sessions[sid] = s
		}
		s.Lines = append(s.Lines, l)
		s.End = l.At
		s.worst = max(s.worst, l.Sev)
	}
	ordered := slices.SortedFunc(maps.Values(sessions), func(a, b *Session) int { return cmp.Compare(b.Duration(), a.Duration()) })
	for _, s := range ordered {
		fmt.Printf("%s %8v %-5v %d lines\n", s.ID, s.Duration(), s.worst, len(s.Lines))
		prev := s.Start
		for _, l := range s.Lines {
			fmt.Printf("   +%-7v %-16s %v\n", l.At.Sub(prev), l.Msg, l.KV)
			prev = l.At
		}
	}
	for _, svc := range slices.Sorted(maps.Keys(matrix)) {
		fmt.Printf("%-5s", svc)
		for s := Debug; s <= Error; s++ {
			fmt.Printf("%3d", matrix[svc][s])
		}
		fmt.Println()
	}
	fmt.Println(orphans, bad, matrix)
	fmt.Printf("%v %d %s %v\n", Warn, Warn, Severity(9), []Severity{Debug, Error})
	win := map[time.Time]int{}
	for _, s := range ordered {
		for _, l := range s.Lines {
			win[l.At.Truncate(time.Minute)]++
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(win), func(a, b time.Time) int { return a.Compare(b) }) {
		fmt.Println(t.Format("15:04"), strings.Repeat("#", win[t]))
	}
	l := *ordered[0].Lines[0]
	l.KV = maps.Clone(l.KV)
	l.KV["new"] = "1"
	fmt.Println(len(l.KV), len(ordered[0].Lines[0].KV), l.At == ordered[0].Start)
	fmt.Println(l)
}
