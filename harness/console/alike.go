package console

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record/show"
)

// Bounds of what is compared of calls that are much alike. Those beyond them are shown
// one by one.
const (
	maxAlikeBytes = 16 << 10 // of one call's arguments
	maxColumns    = 12
	maxTokens     = 400 // of a text, words and what is between them
	maxSlots      = 6   // places in which a text differs
)

// What makes a value stand out among others of its column.
const (
	fewest   = 4  // calls there must be
	manyFold = 10 // times the median
)

// alikeness is what many calls have in common, and in what they differ. Same and the
// columns together have all arguments of all calls.
type alikeness struct {
	Same    []sameValue
	Columns []difference
	Remarks [][]string // of each call: why it stands out
}

// sameValue is an argument that is the same in all calls, but for what is marked.
type sameValue struct {
	Path  string
	Parts []textPart
}

// textPart is a piece of a text; Slot is the name of the column whose value is there in
// the first call, "" of what all have.
type textPart struct{ Text, Slot string }

// difference is an argument, or a part of one, that is another in some calls.
type difference struct {
	Name   string
	Number bool
	Cells  []string // of each call; "" where it does not have the argument
}

// compare says in what the arguments of calls differ; nil: they are too large, too few
// or too different to be shown side by side.
func compare(args []json.RawMessage) *alikeness {
	if len(args) < 2 {
		return nil
	}
	values := make([]map[string]string, len(args))
	var paths []string
	for i, raw := range args {
		if len(raw) > maxAlikeBytes {
			return nil
		}
		values[i] = map[string]string{}
		for _, l := range show.Leaves(raw) {
			if !slices.Contains(paths, l.Path) {
				if paths = append(paths, l.Path); len(paths) > 20*maxColumns {
					return nil
				}
			}
			values[i][l.Path] = l.JSON
		}
	}
	a := &alikeness{Remarks: make([][]string, len(args))}
	for _, path := range paths {
		cells := make([]string, len(args))
		for i := range values {
			cells[i] = values[i][path]
		}
		a.add(path, cells)
		a.hosts(path, cells)
		a.lacking(path, cells)
	}
	if a.merge(); len(a.Columns) > maxColumns {
		return nil
	}
	a.medians()
	a.twice(args)
	return a
}

// add takes the values that an argument has in the calls.
func (a *alikeness) add(path string, cells []string) {
	if slices.Min(cells) == slices.Max(cells) {
		a.Same = append(a.Same, sameValue{path, []textPart{{Text: cells[0]}}})
		return
	}
	if parts, slots := commonText(cells); parts != nil {
		same := sameValue{Path: path}
		for i, text := range parts {
			if text != "" {
				same.Parts = append(same.Parts, textPart{Text: text})
			}
			if i < len(slots) {
				name := path
				if len(slots) > 1 {
					name = fmt.Sprintf("%s %d", path, i+1)
				}
				same.Parts = append(same.Parts, textPart{slots[i][0], name})
				a.Columns = append(a.Columns, difference{Name: name, Cells: slots[i]})
			}
		}
		a.Same = append(a.Same, same)
		return
	}
	a.Columns = append(a.Columns, difference{Name: path, Cells: cells})
}

// merge makes one column of those that have the same values, and knows numbers.
func (a *alikeness) merge() {
	var out []difference
	in := map[string]int{} // which of out a column is in, by its name
	for _, c := range a.Columns {
		i := slices.IndexFunc(out, func(o difference) bool { return slices.Equal(o.Cells, c.Cells) })
		if i < 0 {
			i = len(out)
			out = append(out, c)
		} else {
			out[i].Name += ", " + c.Name
		}
		in[c.Name] = i
	}
	for i := range out {
		out[i].Number = !slices.ContainsFunc(out[i].Cells, func(s string) bool { _, ok := number(s); return !ok })
	}
	for i := range a.Same {
		for j := range a.Same[i].Parts {
			if p := &a.Same[i].Parts[j]; p.Slot != "" {
				p.Slot = out[in[p.Slot]].Name
			}
		}
	}
	a.Columns = out
}

// number is the number that a value is: 12, 1,890.00.
func number(s string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return n, err == nil
}

// medians marks numbers that are many times the median.
func (a *alikeness) medians() {
	for _, c := range a.Columns {
		if !c.Number || len(c.Cells) < fewest {
			continue
		}
		all := make([]float64, len(c.Cells))
		for i, s := range c.Cells {
			all[i], _ = number(s)
		}
		sorted := slices.Sorted(slices.Values(all))
		median := sorted[len(sorted)/2]
		for i, n := range all {
			if median > 0 && n >= manyFold*median {
				a.remark(i, "%s is %.0f times the median", c.Name, n/median)
			}
		}
	}
}

// host finds the hosts of mail addresses and URLs.
var host = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:@|[a-z]+://(?:[^/\s"@]*@)?)` +
		`([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)`)
})

// hosts marks mail addresses and URLs of another host than nearly all others have.
func (a *alikeness) hosts(path string, cells []string) {
	if len(cells) < fewest {
		return
	}
	of := make([][]string, len(cells))
	times := map[string]int{} // by host: calls with it, or with one below it
	for i, s := range cells {
		counted := map[string]bool{}
		for _, m := range host().FindAllStringSubmatch(s, -1) {
			h := strings.ToLower(m[1])
			of[i] = append(of[i], h)
			for rest := h; strings.Contains(rest, "."); _, rest, _ = strings.Cut(rest, ".") {
				if !counted[rest] {
					counted[rest] = true
					times[rest]++
				}
			}
		}
	}
	usual := ""
	for _, h := range slices.Sorted(slices.Values(slices.Concat(of...))) { // not co.uk, which is nobody's host
		if times[h] > times[usual] {
			usual = h
		}
	}
	if times[usual]*4 < len(cells)*3 {
		return
	}
	for i, all := range of {
		for _, h := range all {
			if h != usual && !strings.HasSuffix(h, "."+usual) {
				a.remark(i, "%s goes to %s, others to %s", path, h, usual)
				break
			}
		}
	}
}

// lacking marks the few calls that have an argument which others do not have, and
// those that lack one.
func (a *alikeness) lacking(path string, cells []string) {
	has := 0
	for _, s := range cells {
		if s != "" {
			has++
		}
	}
	if len(cells) < fewest || has == len(cells) {
		return
	}
	for i, s := range cells {
		switch {
		case s != "" && has*4 <= len(cells):
			a.remark(i, "few have %s", path)
		case s == "" && has*4 >= len(cells)*3:
			a.remark(i, "it has no %s", path)
		}
	}
}

// twice marks calls with the arguments of an earlier one.
func (a *alikeness) twice(args []json.RawMessage) {
	first := map[string]int{}
	for i, raw := range args {
		if n, again := first[string(raw)]; again {
			a.remark(i, "the same as call %d", n+1)
		} else {
			first[string(raw)] = i
		}
	}
}

func (a *alikeness) remark(i int, format string, args ...any) {
	a.Remarks[i] = append(a.Remarks[i], fmt.Sprintf(format, args...))
}

// commonText finds in texts, which are JSON strings, what all have, in words, and
// what each has between: parts are the former, one more than slots, which have the
// latter of each text. nil: they have too little in common.
func commonText(all []string) (parts []string, slots [][]string) {
	texts := make([][]string, len(all))
	for i, s := range all {
		if len(s) < 2 || s[0] != '"' || !strings.Contains(s, " ") {
			return nil, nil
		}
		if texts[i] = tokens(s); len(texts[i]) > maxTokens {
			return nil, nil
		}
	}
	fixed := texts[0]
	for _, t := range texts[1:] {
		if fixed = longestCommon(fixed, t); len(fixed) == 0 {
			return nil, nil
		}
	}
	gaps := make([][]string, len(fixed)+1) // of each place between fixed tokens: what each text has there
	for g := range gaps {
		gaps[g] = make([]string, len(texts))
	}
	for i, t := range texts {
		g := 0
		for _, token := range t {
			if g < len(fixed) && token == fixed[g] {
				g++
				continue
			}
			gaps[g][i] += token
		}
	}
	words := 0
	parts = []string{""}
	for g := range gaps {
		if slices.ContainsFunc(gaps[g], func(s string) bool { return s != "" }) {
			last := len(parts) - 1
			if last > 0 && !strings.ContainsFunc(parts[last], isWord) { // nothing but spaces since the last one
				for i := range texts {
					slots[last-1][i] += parts[last] + gaps[g][i]
				}
				parts[last] = ""
			} else {
				slots, parts = append(slots, gaps[g]), append(parts, "")
			}
		}
		if g < len(fixed) {
			parts[len(parts)-1] += fixed[g]
			if r, _ := utf8.DecodeRuneInString(fixed[g]); isWord(r) {
				words++
			}
		}
	}
	if words < 2 || words < len(slots) || len(slots) > maxSlots {
		return nil, nil
	}
	return parts, slots
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// tokens splits a JSON string into words, numbers, escapes and what is between them.
func tokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		n := 1
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case s[i] == '\\' && i+1 < len(s):
			if n = 2; s[i+1] == 'u' {
				n = min(6, len(s)-i)
			}
		case isWord(r):
			n = 0
			for i+n < len(s) {
				r, size := utf8.DecodeRuneInString(s[i+n:])
				next, _ := utf8.DecodeRuneInString(s[min(i+n+size, len(s)):])
				prev, _ := utf8.DecodeLastRuneInString(s[i : i+n])
				inside := (r == '.' || r == ',') && unicode.IsDigit(prev) && unicode.IsDigit(next)
				if !isWord(r) && !inside {
					break
				}
				n += size
			}
		default:
			n = size
		}
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

// longestCommon is the longest common subsequence.
func longestCommon(a, b []string) []string {
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	long := make([][]int16, len(a)+1)
	for i := range long {
		long[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			head, i, j = append(head, a[i]), i+1, j+1
		case long[i+1][j] >= long[i][j+1]:
			i++
		default:
			j++
		}
	}
	return append(head, tail...)
}
