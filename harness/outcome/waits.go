package outcome

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// maxWaits is how many calls waitsText tells of, and maxMade how many that were made.
const (
	maxWaits = 20
	maxMade  = 10
)

// AddEffect notes an effect that was made at a place.
func (r *Result) AddEffect(at, tool string, args json.RawMessage) {
	r.AddMade(fmt.Sprintf("%s: %s(%s)", at, tool, text.Cut(argsText(args), 150)))
}

// AddMade notes what is told of an effect that was made.
func (r *Result) AddMade(line string) {
	if len(r.Made) == maxMade {
		r.MoreMade++
		return
	}
	r.Made = append(r.Made, line)
}

// MadeEffect reports whether a call of a record has made an effect.
func MadeEffect(m *record.Made) bool {
	return m.Call.Class != record.Read && m.Done != nil && !m.Done.Failed && (m.Done.Kind == record.Unread ||
		m.Done.Kind == record.Answered && m.Done.Error == "")
}

// waitsText lists the effects of a run that did not end with ok, its pending calls,
// its unresolved calls, and what to do about each. It returns "" for a run that has
// ended without effects.
func (r *Result) waitsText() string {
	var b strings.Builder
	if len(r.Made) > 0 && !r.Dry {
		b.WriteString("done before, and stays done:\n")
		for _, line := range r.Made {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		if r.MoreMade > 0 {
			fmt.Fprintf(&b, "  … and %d more\n", r.MoreMade)
		}
		const sendRest = "a script that makes these again makes them twice: send only what is left"
		switch r.Status {
		case Waiting, Uncertain:
		case Lost:
			if r.NoResume != "" {
				b.WriteString(sendRest + "\n")
				break
			}
			fmt.Fprintf(&b, "exactly this script sent again goes on behind them%s\n", r.Next.or("resume", r.Run))
		case Timeout, Canceled:
			more := []string{"resume", r.Run}
			if r.Status == Timeout {
				more = append(more, "-timeout", fmt.Sprintf("%.0fs", 2*r.Timing.Total/1000+1))
			}
			b.WriteString(sendRest)
			if r.Run != "" && r.NoResume == "" {
				b.WriteString(r.Next.or(more...))
			}
			b.WriteString("\n")
		default:
			b.WriteString(sendRest + "\n")
		}
	}
	if r.Status == Canceled && r.Run != "" && r.NoResume == "" && len(r.Made) == 0 && r.Next.Command != nil {
		fmt.Fprintf(&b, "to resume it: %s\n", r.Next.Command("resume", r.Run))
	}
	if r.NoResume != "" {
		fmt.Fprintf(&b, "this run cannot be resumed, and does not go on after an answer: %s\n", r.NoResume)
	}
	if n := len(r.Unknown); n > 0 {
		fmt.Fprintf(&b, "nobody knows whether %s been done; it may yet be. Do not make it again, in no other script either: "+
			"look first, and tell the user.\n", oneOrMany(n, "this call has", "these calls have"))
		for _, u := range r.Unknown[:min(n, maxWaits)] {
			fmt.Fprintf(&b, "  call %d, %s: %s(%s), sent %s in attempt %d: %s\n", u.N, Where(u.Script, u.File, u.Line), u.Tool,
				argsText(u.Args), u.Sent.UTC().Format(time.RFC3339), u.Attempt, u.Why)
			if u.Key != "" {
				fmt.Fprintf(&b, "    Idempotency-Key: %s\n", u.Key)
			}
		}
		more(&b, n)
		b.WriteString(r.Next.settle(r.Run, r.Unknown[0].N))
	}
	if n := len(r.Waiting); n > 0 {
		nothing := ""
		if !slices.ContainsFunc(r.Waiting, func(w Pending) bool { return w.Question != nil }) {
			nothing = fmt.Sprintf("; nothing of %s was sent", oneOrMany(n, "it", "them"))
		}
		fmt.Fprintf(&b, "%s for a person%s:\n", oneOrMany(n, "a call waits", fmt.Sprintf("%d calls wait", n)), nothing)
		for _, w := range r.Waiting[:min(n, maxWaits)] {
			fmt.Fprintf(&b, "  %s  %s: %s(%s): %s\n", w.ID, Where(w.Script, w.File, w.Line), w.Tool, argsText(w.Args), w.Why)
		}
		more(&b, n)
		if r.NoResume != "" {
			return b.String() // no answer helps
		}
		first := slices.MinFunc(r.Waiting, func(a, b Pending) int { return a.Until.Compare(b.Until) })
		answers := r.Next.approve(first.ID)
		if first.Question != nil && r.Next.Command != nil {
			answers = "at a terminal: " + r.Next.Command("resume", r.Run) + "\n"
		}
		fmt.Fprintf(&b, "tell the user, who answers until %s %sThen send exactly this script again: it goes on where it "+
			"stands, and repeats nothing\n", first.Until.UTC().Format(time.RFC3339), answers)
	}
	return b.String()
}

func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func more(b *strings.Builder, n int) {
	if n > maxWaits {
		fmt.Fprintf(b, "  … and %d more\n", n-maxWaits)
	}
}

// argsText are arguments for a reader, cut short.
func argsText(args json.RawMessage) string {
	if string(args) == "{}" {
		return ""
	}
	return text.Cut(string(registry.PrintableJSON(args)), 500)
}

// Resumable reports whether a run with this status can be resumed, if its record has all.
func (r *Result) Resumable() bool {
	switch r.Status {
	case Waiting, Uncertain, Lost, Timeout, Canceled:
		return true
	}
	return false
}
