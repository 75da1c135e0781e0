package flow

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
)

// Match says how a value was found in a text.
type Match string

// How a value was found.
const (
	Equal   Match = "equal"   // the text is the value
	Within  Match = "within"  // the text contains the value
	Address Match = "address" // the text contains an address in the value
	Part    Match = "part"    // the text contains a part of the value
	Nowhere Match = "nowhere" // no text contains it: the script made it
	Unknown Match = "unknown" // the value or the texts exceed a bound
)

// Origin says where a value in the arguments of a call comes from. It does not repeat the value,
// which is in the arguments, at Arg.
type Origin struct {
	Arg    string `json:"arg"`              // path of the value in the arguments: to[0]
	Target bool   `json:"target,omitempty"` // it is a recipient, place or object of the call
	// IsAddress is true if the whole value is an address, or if Match is Address.
	IsAddress bool  `json:"address,omitempty"`
	Size      int   `json:"size"` // characters of the value in normal form
	Match     Match `json:"match"`
	// Of is how many characters of the value the text contains, if Match is Address or Part.
	Of int `json:"of,omitempty"`
	// Source is the text with the value. It is zero if Match is Nowhere or Unknown.
	Source
}

// IsExplained reports whether a trusted text contains the value.
func (o *Origin) IsExplained() bool {
	return o.Trust == Trusted && o.Match != Part
}

// IsForeign reports whether untrusted text contains the value and trusted text does not, or whether
// that is unknown.
func (o *Origin) IsForeign() bool {
	return o.Match == Unknown || o.Trust == Untrusted && o.Match != Part
}

// Explain returns the origins of the values in the arguments of a call: of each string and number,
// and of each address in a string that is not explained. Targets come first.
func (x *Index) Explain(s *Settings, tool string, args json.RawMessage) []Origin {
	v, err := jsontree.Parse(args, jsontree.Limits{})
	if err != nil {
		return []Origin{{Match: Unknown, Target: true}}
	}
	names, configured := s.Targets(tool)
	e := explaining{x: x, guess: !configured, counts: map[bool]int{}}
	for _, i := range sortedMembers(v) {
		name := v.Keys[i]
		e.target = slices.Contains(names, name) || e.guess && isTarget(name)
		e.value(v.Items[i], joined("", name))
	}
	isContent := func(o Origin) bool { return !o.Target }
	return append(slices.DeleteFunc(slices.Clone(e.out), isContent), slices.DeleteFunc(e.out, func(o Origin) bool { return o.Target })...)
}

// explaining is the state of one Explain.
type explaining struct {
	x      *Index
	target bool         // values of the argument are targets
	guess  bool         // all addresses are targets, and members of arguments by their names
	counts map[bool]int // of origins, by Target
	out    []Origin
}

// value explains all strings and numbers in a value, and names of members that contain addresses.
func (e *explaining) value(v *jsontree.Value, path string) {
	switch v.Kind {
	case jsontree.String:
		e.leaf(Normal(v.Text), path)
	case jsontree.Number:
		e.leaf(normalNumber(v.Text), path)
	case jsontree.List:
		for i, item := range v.Items {
			e.value(item, path+"["+strconv.Itoa(i)+"]")
		}
	case jsontree.Object:
		was := e.target
		for _, i := range sortedMembers(v) {
			key := v.Keys[i]
			if name := Normal(key); len(addresses(name)) > 0 {
				e.leaf(name, joined(path, key))
			}
			e.target = was || e.guess && isTarget(key)
			e.value(v.Items[i], joined(path, key))
			e.target = was
		}
	}
}

// leaf explains a value in normal form and, if it is not explained, the addresses in it.
func (e *explaining) leaf(value, path string) {
	if value == "" {
		return
	}
	o := Origin{Arg: path, Size: utf8.RuneCountInString(value), Match: Unknown}
	if len(value) > MaxValue {
		o.Target = true // it may contain one
		e.add(&o, "")
		return
	}
	found := addresses(value)
	if len(found) > 0 && isWhole(found[0], value) {
		o.IsAddress = true
		value, found = found[0], found[1:]
	}
	o.Target = e.target || e.guess && o.IsAddress
	e.add(&o, value)
	if o.IsExplained() {
		return
	}
	for _, a := range found {
		its := Origin{Arg: path, Target: e.guess || e.target, IsAddress: true, Size: o.Size, Match: Unknown, Of: utf8.RuneCountInString(a)}
		e.add(&its, a)
	}
}

// add completes the origin of a value and adds it to the list. Beyond MaxTargets it adds one more,
// as unknown.
func (e *explaining) add(o *Origin, value string) {
	e.counts[o.Target]++
	switch n := e.counts[o.Target]; {
	case n > MaxTargets+1:
		return
	case n <= MaxTargets && value != "":
		e.x.locate(o, value)
	}
	e.out = append(e.out, *o)
}

// locate sets the source of a value in normal form.
func (x *Index) locate(o *Origin, value string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	from, equal := x.find(value)
	switch {
	case x.of(Untrusted).full && (from == nil || from.Trust != Trusted):
		return
	case from == nil:
		if o.Match = Nowhere; !o.Target {
			x.part(o, value)
		}
		return
	case equal && o.Of == 0:
		o.Match = Equal
	case o.Of == 0:
		o.Match = Within
	default:
		o.Match = Address
	}
	o.Source = *from
}

// Bounds of a part: a text has a part of a value if it contains one of some pieces of the value.
const (
	minPart = 20 // bytes
	pieces  = 8
)

// part finds the longest part of a value that a text contains. It tries some pieces of the value,
// so that it may miss a short part. The caller holds the lock.
func (x *Index) part(o *Origin, value string) {
	step := max(minPart/2, len(value)/pieces)
	best := 0
	for at := 0; at+minPart <= len(value); at += step {
		for t := range x.texts {
			for i := range x.texts[t].entries {
				e := &x.texts[t].entries[i]
				n, before := common(value, at, e.text)
				if n > best || n > 0 && n == best && e.Trust == Untrusted && o.Trust != Untrusted {
					best = n
					o.Match, o.Source = Part, e.Source
					o.Of = utf8.RuneCountInString(value[at-before : at-before+n])
				}
			}
		}
	}
}

// common returns the length of the substring around value[at:at+minPart] that text also contains,
// and how many of its bytes precede at. Both are zero if text does not contain that piece of value.
func common(value string, at int, text string) (n, before int) {
	in := strings.Index(text, value[at:at+minPart])
	if in < 0 {
		return 0, 0
	}
	after := minPart
	for before < min(at, in) && value[at-before-1] == text[in-before-1] {
		before++
	}
	for at+after < len(value) && in+after < len(text) && value[at+after] == text[in+after] {
		after++
	}
	return before + after, before
}

// IsForeign reports whether untrusted text contains a value, or an address in it, that trusted text
// does not. The value is a string, a number, or a list or object of values, as package json decodes
// them with numbers as written. Beyond a bound it reports true.
func (x *Index) IsForeign(value any) bool {
	raw, err := json.Marshal(value)
	if err != nil {
		return true
	}
	v, err := jsontree.Parse(raw, jsontree.Limits{})
	if err != nil {
		return true
	}
	e := explaining{x: x, target: true, counts: map[bool]int{}}
	e.value(v, "")
	return slices.ContainsFunc(e.out, func(o Origin) bool { return o.IsForeign() })
}
