package flow

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
)

// Bounds of an Index, and of what Explain explains. See the package comment.
const (
	MaxText    = 8 << 20  // bytes in normal form of each degree of trust
	MaxTargets = 64       // targets of one call, and as many other values
	MaxValue   = 64 << 10 // bytes of one value in normal form
)

// leafCost is added to the bytes of each text when they count against MaxText.
const leafCost = 16

// parsing bounds one result. The rest of a larger result counts as text beyond MaxText.
var parsing = jsontree.Limits{Values: 100_000}

// Kind is the kind of a text.
type Kind string

// The kinds of texts.
const (
	Script Kind = "script" // the source of a script
	Input  Kind = "input"  // an input of a script
	Stored Kind = "stored" // a value that an earlier run saved
	Result Kind = "call"   // the result of a call
)

// Trust says who may have written a text.
type Trust string

// The degrees of trust.
const (
	Trusted   Trust = "trusted"   // a client before it could read untrusted text, or a service
	Untrusted Trust = "untrusted" // a third party may have written it
	Late      Trust = "late"      // a client after it could read untrusted text
)

// Source says where a text comes from.
type Source struct {
	Kind Kind   `json:"from,omitempty"`
	Run  string `json:"run,omitempty"`
	Call int    `json:"call,omitempty"` // number of the call in the run
	Tool string `json:"tool,omitempty"`
	// Path is the place of the text in the result ([3].body), or the name of an input. Unusual
	// names in it are replaced by "…", because a third party may have chosen them.
	Path  string `json:"path,omitempty"`
	Trust Trust  `json:"trust,omitempty"`
}

// Call identifies a call whose result is added to an Index.
type Call struct {
	Run  string
	N    int
	Tool string
}

func (c Call) source() Source { return Source{Kind: Result, Run: c.Run, Call: c.N, Tool: c.Tool} }

// Index has the texts of a session. It is safe for concurrent use. The zero value is ready to use.
type Index struct {
	mu    sync.RWMutex
	texts [3]texts // by index in trusts
}

// trusts are the degrees of trust in the order in which texts are searched.
var trusts = [3]Trust{Trusted, Untrusted, Late}

// texts are the texts of one degree of trust.
type texts struct {
	entries []entry
	size    int  // of the entries, in bytes
	full    bool // some were not added
}

func (x *Index) of(t Trust) *texts { return &x.texts[max(0, slices.Index(trusts[:], t))] }

// entry is a text in normal form.
type entry struct {
	text string
	Source
}

// AddScript adds the source of a script.
func (x *Index) AddScript(from Source, source string) { x.add(Normal(source), from) }

// AddValues adds inputs or stored values, JSON by name.
func (x *Index) AddValues(from Source, values map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v, err := jsontree.Parse(values[name], parsing); err == nil {
			w := walk{x: x, from: from}
			w.value(v, joined("", name), from.Trust, true)
		}
	}
}

// Add adds the result of a call in MCP's form. label says which text in it is untrusted; the server
// can mark more, by openWorldHint or maliciousActivityHint in annotations. Add reports whether the
// result has untrusted text, or an untrusted image or other data.
func (x *Index) Add(c Call, label Label, result json.RawMessage) (untrusted bool) {
	v, err := jsontree.Parse(result, parsing)
	if err != nil {
		x.overflow(Untrusted)
		return !label.IsZero()
	}
	if isMarkedUntrusted(v) {
		label = Label{All: true}
	}
	structured := v.Get("structuredContent")
	if structured != nil {
		untrusted = x.result(c, label, structured)
	}
	for _, block := range v.List("content") {
		its := label
		if isMarkedUntrusted(block) {
			its = Label{All: true}
		}
		text := block.Str("text")
		if block.Str("type") != "text" {
			untrusted = untrusted || !its.IsZero()
			text = block.Get("resource").Str("text")
		}
		inner, err := jsontree.Parse(json.RawMessage(text), parsing)
		switch {
		case err != nil || inner.Kind != jsontree.Object && inner.Kind != jsontree.List:
			inner = jsontree.NewString(text)
		case structured != nil && inner.JSON() == structured.JSON(): // servers repeat structured content as text for older clients
			continue
		}
		untrusted = x.result(c, its, inner) || untrusted
	}
	return untrusted
}

// Fail adds the error message of a call, and reports whether it is untrusted.
func (x *Index) Fail(c Call, label Label, message string) (untrusted bool) {
	return x.result(c, label, jsontree.NewString(message))
}

// isMarkedUntrusted reports whether the annotations of a result or block say that third parties can
// write it.
func isMarkedUntrusted(v *jsontree.Value) bool {
	for _, a := range []*jsontree.Value{v.Get("annotations"), v.Get("_meta"), v.Get("_meta").Get("annotations")} {
		for _, hint := range []string{"openWorldHint", "maliciousActivityHint"} {
			if h := a.Get(hint); h != nil && h.Kind == jsontree.Bool && h.Yes {
				return true
			}
		}
	}
	return false
}

// result adds a value in a result, and reports whether it contains untrusted text.
func (x *Index) result(c Call, label Label, v *jsontree.Value) bool {
	w := walk{x: x, from: c.source(), label: label}
	if label.IsZero() {
		w.value(v, "", Trusted, true)
	} else {
		w.value(v, "", Untrusted, label.All)
	}
	return w.untrusted
}

// walk adds the strings and numbers in a value to an Index.
type walk struct {
	x         *Index
	from      Source
	label     Label
	untrusted bool // it has found untrusted text
}

// value adds a value. If uniform is true, everything in it has the same trust. Otherwise names decide
// the trust of members, and trust applies only to text outside of objects.
func (w *walk) value(v *jsontree.Value, path string, trust Trust, uniform bool) {
	w.from.Path, w.from.Trust = path, trust
	switch v.Kind {
	case jsontree.String:
		w.untrusted = w.untrusted || trust == Untrusted && v.Text != ""
		w.x.add(Normal(v.Text), w.from)
	case jsontree.Number:
		w.x.add(normalNumber(v.Text), w.from)
	case jsontree.List:
		for i, item := range v.Items {
			w.value(item, path+"["+strconv.Itoa(i)+"]", trust, uniform)
		}
	case jsontree.Object:
		for _, i := range sortedMembers(v) {
			key := v.Keys[i]
			at := joined(path, key)
			switch {
			case !uniform && w.label.has(key):
				w.value(v.Items[i], at, Untrusted, true)
			case !uniform:
				w.value(v.Items[i], at, Trusted, false)
			default:
				if trust == Untrusted { // a third party may have chosen it
					w.untrusted = true
					w.from.Path, w.from.Trust = at, trust
					w.x.add(Normal(key), w.from)
				}
				w.value(v.Items[i], at, trust, true)
			}
		}
	}
	if v.Count > len(v.Items) {
		w.untrusted = w.untrusted || trust == Untrusted || !uniform
		w.x.overflow(trust)
	}
}

// sortedMembers returns the indexes of an object's members, sorted by name.
func sortedMembers(v *jsontree.Value) []int {
	at := make([]int, len(v.Keys))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return strings.Compare(v.Keys[a], v.Keys[b]) })
	return at
}

// joined returns the path of a member. It replaces an unusual name by "…".
func joined(path, key string) string {
	plain := key != "" && len(key) <= 40 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
	switch {
	case len(path) > 200:
		return path
	case !plain:
		key = "…"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func (x *Index) add(text string, from Source) {
	if text == "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t, size := x.of(from.Trust), len(text)+leafCost
	if t.size+size > MaxText {
		t.full = true
		return
	}
	t.size += size
	t.entries = append(t.entries, entry{text, from})
}

// overflow notes that a text was not added.
func (x *Index) overflow(t Trust) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.of(t).full = true
}

// IsFull reports whether there was more untrusted text than MaxText. The rest is unknown.
func (x *Index) IsFull() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.of(Untrusted).full
}

// size returns the size of all texts in bytes.
func (x *Index) size() (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.texts {
		n += x.texts[i].size
	}
	return n
}

// drop removes all texts. Their content then counts as unknown.
func (x *Index) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range x.texts {
		x.texts[i] = texts{full: true}
	}
}

// minWithin is the least length, in characters, of a value that is searched for within the trusted
// result of a call.
const minWithin = 4

// find returns the first text that equals a value in normal form, or otherwise the first one that
// contains it. Trusted texts come first, then untrusted, then late ones. The caller holds the lock.
func (x *Index) find(value string) (from *Source, equal bool) {
	short := utf8.RuneCountInString(value) < minWithin
	for t := range x.texts {
		for i := range x.texts[t].entries {
			switch e := &x.texts[t].entries[i]; {
			case len(e.text) < len(value), short && e.Trust == Trusted && e.Kind == Result && e.text != value:
			case e.text == value:
				return &e.Source, true
			case from == nil && indexWord(e.text, value) >= 0:
				from = &e.Source
			}
		}
		if from != nil {
			break
		}
	}
	return from, false
}
