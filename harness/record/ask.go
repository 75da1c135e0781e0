package record

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Ledger is the A of an Ask for all effect calls of a dry run, the run's ledger. The Hash of that
// Ask is the run's LedgerDigest.
const Ledger = "ledger"

// GrantFor is how long an approval is valid if the person gives no time.
const GrantFor = 24 * time.Hour

// Asked is an Ask of a run with its answer. The ID of its approval is the run's ID, a dot and A.
type Asked struct {
	*Ask
	Answer *Answer // nil if it was not answered
	Used   *Call   // the first call that used the approval, or nil
}

// State returns Asking, Granted, Denied (rejected, or not answered in time) or Sent (the approval
// was used). An unused approval that has expired is Asking, because it needs a new answer.
func (a *Asked) State(now time.Time) State {
	s, _ := Planned.After(onAsk)
	switch {
	case a.Answer != nil:
		s, _ = s.After(eventOf(a.Answer))
		if s == Granted && a.Used != nil {
			s, _ = s.After(onCall)
		} else if s == Granted && now.After(a.Answer.Until) {
			s, _ = s.After(onExpired)
		}
	case now.After(a.Until):
		s, _ = s.After(onExpired)
	}
	return s
}

// expired reports whether it was approved and the approval has expired, even one for several calls.
func (a *Asked) expired(now time.Time) bool {
	return a.Answer != nil && a.Answer.Yes && now.After(a.Answer.Until)
}

// Open returns the unanswered asks that can still be answered.
func (r *Run) Open() []*Asked {
	var out []*Asked
	now := r.Now()
	for _, a := range r.Asks {
		if a.Answer == nil && a.State(now) == Asking && r.Waits(a) {
			out = append(out, a)
		}
	}
	return out
}

// addAsk adds an ask. It ignores an ask whose A is already used.
func (r *Run) addAsk(l *Ask) {
	if !isAskName(l.A) || r.asks[l.A] != nil {
		return
	}
	if r.asks == nil {
		r.asks = map[string]*Asked{}
	}
	a := &Asked{Ask: l}
	r.asks[l.A] = a
	r.Asks = append(r.Asks, a)
}

// isAskName reports whether a can be the A of an Ask. It becomes part of a file name.
func isAskName(a string) bool {
	n, err := strconv.Atoi(a)
	return a == Ledger || err == nil && n > 0 && strconv.Itoa(n) == a
}

// AskDigest returns the digest of all that a person approves: SHA-256, in hexadecimal, over fields
// prefixed by their length. a is an ask as its record has it; a Writer sets its Digest. Version 2
// covers the origins of the arguments. An ask without them has version 1, like those of earlier
// harnesses.
func AskDigest(run string, a *Ask) string {
	d := newDigest("ask/1")
	if a.Flow || a.Late || len(a.Origins) > 0 {
		d = newDigest("ask/2")
		d.add(strconv.FormatBool(a.Flow), strconv.FormatBool(a.Late), string(JSON(a.Origins)))
	}
	d.add(run, a.A, a.Path, a.Tool, a.Server, a.Hash, digestOf(a.Args), a.Place, strconv.Itoa(a.N), string(a.Question),
		a.Until.UTC().Format(time.RFC3339Nano), strconv.FormatBool(a.AllCalls))
	return d.sum()
}

// LedgerDigest returns the digest of the effect calls that a dry run did not make. It covers the
// script, its inputs, and the tools, definitions and arguments of the calls in any order.
func LedgerDigest(r *Run) string {
	d := newDigest("ledger/1")
	d.add(r.Begin.ID, digestOf(r.Begin.Script))
	for _, name := range slices.Sorted(maps.Keys(r.Begin.Inputs)) {
		d.add(name, digestOf(r.Begin.Inputs[name]))
	}
	hashes := map[string]string{}
	for t := range r.AllTools() {
		hashes[t.ID] = t.Hash
	}
	type effect struct{ tool, hash, args string }
	count := map[effect]int{}
	for _, l := range r.Lines {
		if g, ok := l.(*Guess); ok {
			count[effect{g.Tool, hashes[g.Tool], digestOf(g.Args)}]++
		}
	}
	effects := slices.SortedFunc(maps.Keys(count), func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.hash, b.hash), cmp.Compare(a.args, b.args))
	})
	d.add(strconv.Itoa(len(effects)))
	for _, e := range effects {
		d.add(e.tool, e.hash, e.args, strconv.Itoa(count[e]))
	}
	return d.sum()
}

// digestOf returns the digest of a value, wherever it is kept.
func digestOf(d Data) string {
	switch {
	case d.Redacted:
		return "hmac:" + d.SHA256
	case d.SHA256 != "":
		return d.SHA256
	case d.JSON == nil:
		return ""
	}
	sum := sha256.Sum256(d.JSON)
	return hex.EncodeToString(sum[:])
}

// digest hashes texts, each prefixed by its length.
type digest struct{ hash.Hash }

func newDigest(kind string) digest {
	d := digest{sha256.New()}
	d.add(kind)
	return d
}

func (d digest) add(fields ...string) {
	for _, f := range fields {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(f)))
		d.Write(size[:])
		d.Write([]byte(f))
	}
}

// MAC returns the HMAC-SHA-256 of texts, each prefixed by its length.
func MAC(key []byte, texts ...string) []byte {
	d := digest{hmac.New(sha256.New, key)}
	d.add(texts...)
	return d.Sum(nil)
}

func (d digest) sum() string { return hex.EncodeToString(d.Sum(nil)) }

// ApprovalID returns the ID of an approval.
func ApprovalID(run, a string) string { return fmt.Sprintf("%s.%s", run, a) }

// RejectAnswer notes in Forged why the answer to an ask is ignored.
func (r *Run) RejectAnswer(a string, why error) {
	id := ""
	if r.Begin != nil { // nil if the record lacks it
		id = r.Begin.ID
	}
	r.Forged = append(r.Forged, fmt.Sprintf("the answer to %s is ignored: %v", ApprovalID(id, a), why))
}

// addAnswer adds an answer to its ask.
func (r *Run) addAnswer(a *Asked, l *Answer) {
	switch {
	case a.Answer != nil:
		r.RejectAnswer(l.A, errors.New("it is a second answer"))
	case l.Digest != a.Digest:
		r.RejectAnswer(l.A, errors.New("it answers another question"))
	default:
		a.Answer = l
	}
}

// Waits reports whether an answer to an ask can still have an effect.
func (r *Run) Waits(a *Asked) bool {
	return r.End == nil || Resumable(r.End.Status) || a.A == Ledger
}

// Resumable reports whether a run that ended with this status may be resumed.
func Resumable(status string) bool {
	return status == string(Waiting) || status == string(Uncertain) || status == Lost
}
