package console

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/present"
)

const (
	maxBatchBytes = 16 << 10 // bytes of a call's arguments
	maxColumns    = 12       // arguments that differ
	fewest        = 4        // least calls for remarks about values
	manyFold      = 10       // a number stands out from this many times the median
)

// batchDiff shows calls side by side. Same and Columns together contain all arguments of all calls.
type batchDiff struct {
	Same    []sameValue
	Columns []difference
	Remarks [][]string // how each call stands out
}

// sameValue is an argument that is equal in all calls or, if Differs, its common prefix and suffix.
type sameValue struct {
	Path, Begin, End string
	Differs          bool
}

// difference is an argument that differs between calls, without its common prefix and suffix.
type difference struct {
	Path   string
	Number bool
	Cells  []string // one for each call; "" if the call lacks the argument
}

// compareCalls compares the arguments of calls. It returns nil if the calls are too large, too few
// or too different to be shown side by side.
func compareCalls(args []json.RawMessage) *batchDiff {
	d := &batchDiff{Remarks: make([][]string, len(args))}
	values := map[string][]string{}
	var paths []string
	for i, raw := range args {
		if len(raw) > maxBatchBytes || len(paths) > 20*maxColumns {
			return nil
		}
		for _, l := range present.Leaves(raw) {
			if values[l.Path] == nil {
				paths, values[l.Path] = append(paths, l.Path), make([]string, len(args))
			}
			values[l.Path][i] = l.JSON
		}
		if n := slices.IndexFunc(args, func(x json.RawMessage) bool { return string(x) == string(raw) }); n < i {
			d.remark(i, "the same as call %d", n+1)
		}
	}
	for _, path := range paths {
		cells := values[path]
		if slices.Min(cells) == slices.Max(cells) {
			d.Same = append(d.Same, sameValue{Path: path, Begin: cells[0]})
			continue
		}
		if len(cells) >= fewest {
			d.markLacking(path, cells)
			d.markNumbers(path, cells)
			d.markHosts(path, cells)
		}
		if begin, end := affixes(cells); begin+end != "" {
			d.Same = append(d.Same, sameValue{path, begin, end, true})
			for i, s := range cells {
				cells[i] = s[len(begin) : len(s)-len(end)]
			}
		}
		number := !slices.ContainsFunc(cells, func(s string) bool { return digits().FindString(s) != s })
		d.Columns = append(d.Columns, difference{path, number, cells})
	}
	if len(args) < 2 || len(d.Columns) > maxColumns {
		return nil
	}
	return d
}

// affixes returns the common prefix and suffix, in whole words, of texts that are JSON strings.
func affixes(texts []string) (begin, end string) {
	begin = texts[0]
	for _, s := range texts {
		for !strings.HasPrefix(s, begin) {
			begin = begin[:len(begin)-1]
		}
	}
	begin = begin[:strings.LastIndex(begin, " ")+1]
	end = texts[0][len(begin):]
	for _, s := range texts {
		for !strings.HasSuffix(s[len(begin):], end) {
			end = end[1:]
		}
	}
	if _, words, found := strings.Cut(end, " "); found {
		return begin, " " + words
	}
	if begin != "" {
		return begin, `"`
	}
	return "", ""
}

func (d *batchDiff) remark(i int, format string, args ...any) {
	d.Remarks[i] = append(d.Remarks[i], fmt.Sprintf(format, args...))
}

// markLacking marks calls that have or lack an argument, unlike at least three quarters of the
// calls.
func (d *batchDiff) markLacking(path string, cells []string) {
	have := len(slices.DeleteFunc(slices.Clone(cells), func(s string) bool { return s == "" }))
	for i, s := range cells {
		if s != "" && have*4 <= len(cells) {
			d.remark(i, "few calls have %s", path)
		} else if s == "" && have*4 >= len(cells)*3 {
			d.remark(i, "it has no %s", path)
		}
	}
}

// digits matches numbers such as 12 and 1,890.00.
var digits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
})

// markNumbers marks numbers that are many times the median at their position, if all values have
// equally many numbers.
func (d *batchDiff) markNumbers(path string, cells []string) {
	at := map[int][]float64{} // by position, the number of each call
	for i, s := range cells {
		for k, m := range digits().FindAllString(s, -1) {
			n, _ := strconv.ParseFloat(strings.ReplaceAll(m, ",", ""), 64)
			if at[k] = append(at[k], n); len(at[k]) != i+1 {
				return
			}
		}
	}
	for k := range len(at) {
		median := present.Quantile(slices.Sorted(slices.Values(at[k])), .5)
		for i, n := range at[k] {
			if len(at[k]) == len(cells) && median > 0 && n >= manyFold*median {
				d.remark(i, "%s has %g, %.0f times the median", path, n, n/median)
			}
		}
	}
}

// host matches the hosts of mail addresses and URLs.
var host = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:@|[a-z]+://(?:[^/\s"@]*@)?)` +
		`([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)`)
})

// markHosts marks mail addresses and URLs with an unusual host, if more than half of the calls have
// another host, and it is not a parent domain.
func (d *batchDiff) markHosts(path string, cells []string) {
	of, times, usual := make([][]string, len(cells)), map[string]int{}, ""
	for i, s := range cells {
		for _, m := range host().FindAllStringSubmatch(s, -1) {
			h := strings.ToLower(m[1])
			if slices.Contains(of[i], h) {
				continue
			}
			of[i] = append(of[i], h)
			if times[h]++; times[h] > times[usual] {
				usual = h
			}
		}
	}
	for i, all := range of {
		for _, h := range all {
			if times[usual]*2 > len(cells) && h != usual && !strings.HasSuffix(h, "."+usual) {
				d.remark(i, "%s goes to %s, others to %s", path, h, usual)
				break
			}
		}
	}
}
