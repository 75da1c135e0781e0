package present

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

const leastWidth = 60 // the minimum width, in columns

// Options say how a Document is written to a terminal. If nil, it is 80 columns of plain UTF-8.
type Options struct {
	Width  int // columns; if zero, 80; if negative, lines are not cut or wrapped
	Colour bool
	ASCII  bool           // write only ASCII
	All    bool           // omit nothing
	Now    time.Time      // for ages such as "5 min ago"; if zero, ages are omitted
	Zone   *time.Location // time zone; if nil, local
	// Command returns a command line that finds the records. If nil, it is [registry.Command].
	Command func(args ...string) string
}

func (o *Options) command(args ...string) string {
	if o.Command == nil {
		return registry.Command()(args...)
	}
	return o.Command(args...)
}

// Colours.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// page is a Document that is being written to a terminal.
type page struct {
	Options
	b     strings.Builder
	marks marks
	view  *View
}

// marks are the symbols of a page.
type marks struct {
	fill                  map[record.Class]string
	failed, open, madeUp  string
	tick, printed, folded string
	times                 string
	levels                []string // symbols of density, lowest first
}

var unicodeMarks = marks{
	fill:   map[record.Class]string{record.Read: "▒", record.Idempotent: "▓", record.Effect: "█"},
	failed: "╳", open: "▶", madeUp: "◌", tick: "╷", printed: "›", folded: "⋮", times: "×",
	levels: strings.Split(" ▁▂▃▄▅▆▇█", ""),
}

var asciiMarks = marks{
	fill:   map[record.Class]string{record.Read: "-", record.Idempotent: "+", record.Effect: "="},
	failed: "x", open: ">", madeUp: "o", tick: "|", printed: ">", folded: ":", times: "x",
	levels: strings.Split(" .:-=+*%@", ""),
}

func newPage(v *View, o *Options) *page {
	p := &page{view: v, marks: unicodeMarks}
	if o != nil {
		p.Options = *o
	}
	switch {
	case p.Width == 0:
		p.Width = 80
	case p.Width < 0:
		p.Width = 1 << 20
	default:
		p.Width = min(max(p.Width, leastWidth), 400)
	}
	if p.Zone == nil {
		p.Zone = time.Local
	}
	if p.ASCII {
		p.marks = asciiMarks
	}
	return p
}

// paint colours a text that is already safe to show.
func (p *page) paint(code, s string) string {
	if !p.Colour || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// safe returns a text as one line of at most limit columns.
func (p *page) safe(s string, limit int) string { return Visible(s, limit, p.ASCII) }

func (p *page) line(format string, args ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// wrapped breaks a text into lines of at most the given columns, and returns at most limit lines.
func (p *page) wrapped(s string, columns, limit int) (out []string) {
	columns = max(columns, 10)
	if p.All {
		limit = math.MaxInt
	}
	for l := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		shown := p.safe(untabbed(l), math.MaxInt)
		for {
			part := text.First(shown, columns)
			if len(part) < len(shown) {
				if at := strings.LastIndexByte(part, ' '); at > len(part)/2 {
					part = part[:at]
				}
			}
			if len(out) == limit {
				out[limit-1] = cutTo(out[limit-1], columns, " …", p.ASCII)
				return out
			}
			out = append(out, part)
			if shown = strings.TrimPrefix(shown[len(part):], " "); shown == "" {
				break
			}
		}
	}
	return out
}

// Ago returns how long ago a time was.
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in the future"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

func lineCount(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

func pad(s string, columns int) string {
	return strings.Repeat(" ", max(columns-utf8.RuneCountInString(s), 0))
}
