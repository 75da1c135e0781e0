package console

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// capital returns a text with an initial capital letter.
func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// sentence returns an error as a sentence.
func sentence(err error) string { return capital(strings.TrimSuffix(err.Error(), ".")) + "." }

// thousands formats a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural formats a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// count is plural for nouns with a plural in s.
func count(n int, noun string) string { return plural(n, noun, noun+"s") }

// titled returns the title of a run.
func titled(s *record.Summary) string {
	title, _ := present.Title(s)
	return title
}

// titleCode returns the first line of the script of a run without another title, or "".
func titleCode(s *record.Summary) string {
	_, code := present.Title(s)
	return code
}

// day formats a time for people, in the time zone shown at the foot of each page.
func day(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	at := func(t time.Time) [3]int { y, m, d := t.Date(); return [3]int{y, int(m), d} }
	switch {
	case at(t) == at(now):
		return t.Format("15:04:05")
	case at(t) == at(now.AddDate(0, 0, -1)):
		return "yesterday, " + t.Format("15:04")
	case at(t) == at(now.AddDate(0, 0, 1)):
		return "tomorrow, " + t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan, 15:04")
	}
	return t.Format("2 Jan 2006, 15:04")
}

// zone returns the time zone of all pages: CET, UTC+01:00.
func zone(now time.Time) string {
	name, offset := now.Local().Zone()
	if offset == 0 {
		return "UTC"
	}
	utc := now.Local().Format("UTC-07:00")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") { // the zone has no name
		return utc
	}
	return name + ", " + utc
}
