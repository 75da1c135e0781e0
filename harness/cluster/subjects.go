package cluster

import (
	"encoding/hex"
	"strings"

	"github.com/usetools/usetools/harness/record/store"
)

// The streams.
const (
	queueStream   = "UT_QUEUE"   // jobs
	recordsStream = "UT_RECORDS" // lines of records, and what stands beside them
	stateStream   = "UT_STATE"   // the latest runs of requests, claims, the lock, the key, who is alive
	keptStream    = "UT_KEPT"    // values for Stored
	auditStream   = "UT_AUDIT"
)

// Subjects. Their last tokens are names as token writes them.
const (
	prefix       = "ut."
	newsSubjects = prefix + "news." // the headers of what is published in recordsStream, behind this

	scriptSubjects = prefix + "script."
	auditSubjects  = prefix + "audit."

	keySubject  = prefix + "key"
	lockSubject = prefix + "lock"
)

func jobSubject(pool, request, id string) string {
	return prefix + "run." + token(pool) + "." + token(request) + "." + id
}

// recordSubject is the subject of the lines of a record, and besideSubject that of what
// stands beside it; the latter is "" for what is no record's name.
func recordSubject(name string) string {
	return prefix + "rec." + strings.Replace(name[:len(name)-idSize-1], ".", "_", 1) + "." + name[len(name)-idSize:]
}

const idSize = 10

// recordName is the name of the record whose lines have a subject, "" where it is none's.
func recordName(subject string) string {
	rest, ok := strings.CutPrefix(subject, prefix+"rec.")
	at, id, two := strings.Cut(rest, ".")
	name := strings.Replace(at, "_", ".", 1) + "-" + id
	if _, _, valid := store.ParseName(name); !ok || !two || !valid {
		return ""
	}
	return name
}

func besideSubject(id, file string) string { return prefix + "val." + id + "." + token(file) }
func requestSubject(key string) string     { return prefix + "req." + token(key) }
func onceSubject(name string) string       { return prefix + "once." + token(name) }
func aliveSubject(process string) string   { return prefix + "alive." + token(process) }
func pingSubject(process string) string    { return prefix + "ping." + token(process) }
func cancelSubject(id string) string       { return prefix + "cancel." + id }
func eventSubject(front, id string) string { return prefix + "event." + token(front) + "." + id }
func doneSubject(front, id string) string  { return prefix + "done." + token(front) + "." + id }
func askSubject(front, id string) string   { return prefix + "ask." + token(front) + "." + id }
func keptSubject(tenant, handle string) string {
	return prefix + "kept." + token(tenant) + "." + token(handle)
}
func auditSubject(front string) string { return auditSubjects + token(front) }

// scriptSubject is the subject of a script of a library, see library.Spread.
func scriptSubject(of, name string) string { return scriptSubjects + token(of) + "." + token(name) }

// token writes a text as one token of a subject: itself where it has letters of the
// lower case, digits and hyphens alone, else "_" and its bytes in hexadecimal.
func token(s string) string {
	plain := func(c rune) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "_" + hex.EncodeToString([]byte(s))
}

// untoken is the text that a token writes, "" where it writes none.
func untoken(t string) string {
	code, ok := strings.CutPrefix(t, "_")
	if !ok {
		return t
	}
	b, _ := hex.DecodeString(code)
	return string(b)
}
