package present

import (
	"encoding/json"
	"fmt"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// maxExplained limits the effect calls of a run whose origins are computed from its record.
const maxExplained = 50

// Origins returns a section with the origins of the values in a call's arguments, or nothing if
// they are unknown.
func Origins(args json.RawMessage, origins []flow.Origin, late bool) Document {
	var out Document
	if late {
		out = append(out, &Callout{Warn, "", Words(Plain, "the script was sent after the client could read untrusted text")})
	}
	list := &List{Items: OriginLines(args, origins), Most: flow.MaxShown, Noun: "value"}
	if len(list.Items) > 0 {
		out = append(out, list)
	}
	if len(out) == 0 {
		return nil
	}
	return append(section("where the values come from"), out...)
}

// OriginLines returns a line for each argument value that is not in the script itself: its path,
// the shortened value, and its origin.
func OriginLines(args json.RawMessage, origins []flow.Origin) (out []Text) {
	values := map[string]string{}
	for _, l := range Leaves(args) {
		values[l.Path] = l.JSON
	}
	for i := range origins {
		o := &origins[i]
		if o.Kind == flow.Script && o.Trust == flow.Trusted && o.Match != flow.Part {
			continue
		}
		style := Plain
		if o.IsForeign() {
			style = Warn
		}
		line := Words(Strong, o.Arg)
		if v := values[o.Arg]; v != "" {
			line = line.Add(Plain, " = ").Add(Mono, text.Cut(v, 60))
		}
		out = append(out, line.Add(Plain, "  ").Add(style, originOf(o)))
	}
	return out
}

// originOf describes an origin in words.
func originOf(o *flow.Origin) string {
	from := ""
	switch o.Kind {
	case flow.Script:
		from = "the script"
	case flow.Input:
		from = "input " + o.Path
	case flow.Stored:
		from = "stored value " + o.Path
	case flow.Result:
		from = fmt.Sprintf("%s #%d", o.Tool, o.Call)
		if o.Path != "" {
			from += " " + o.Path
		}
	}
	switch o.Trust {
	case flow.Untrusted:
		from += " (untrusted), run " + o.Run + "; not in any earlier script or trusted result"
	case flow.Late:
		from += ", which the client wrote after it could read untrusted text"
	default:
		if o.Kind == flow.Result {
			from += ", run " + o.Run
		}
	}
	switch o.Match {
	case flow.Unknown:
		return "origin unknown: the values are too many or too large, or the record does not keep them"
	case flow.Nowhere:
		return "computed by the script: no text of the session contains it"
	case flow.Address:
		return "an address in it is from " + from
	case flow.Part:
		return fmt.Sprintf("%d of its %s are from %s", o.Of, text.Count(o.Size, "character"), from)
	}
	return "from " + from
}

// addOrigins sets the origins of the run's effect calls: recorded origins, and for the first
// maxExplained other calls the origins that follow from the record.
func (v *View) addOrigins() {
	bars := map[record.Line]*Bar{}
	for _, s := range v.Sources {
		for _, p := range s.Places {
			for _, b := range p.Calls {
				switch g := b.Guess; {
				case b.Call != nil && b.Call.Class != record.Read:
					bars[b.Call] = b
				case b.Call == nil && g != nil:
					b.Origins, b.Late = g.Origins, g.Late
				}
			}
		}
	}
	if len(bars) == 0 {
		return
	}
	explained := 0
	v.Run.Flow(&flow.Session{}, flow.NoLabels, func(l record.Line, f *flow.Facts) {
		if b := bars[l]; b != nil && explained < maxExplained {
			explained++
			b.Origins = flow.Shown(f.Origins())
		}
	})
	for _, a := range v.Run.Asks {
		for _, b := range bars {
			if a.Origins != nil && b.Call.Ask == a.A {
				b.Origins, b.Late = a.Origins, a.Late
			}
		}
	}
}
