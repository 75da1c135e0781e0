package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/usetools/usetools/harness/record/store"
)

// The streams.
const (
	queueStream   = "UT_QUEUE"   // jobs
	recordsStream = "UT_RECORDS" // lines of records, and the values beside them
	stateStream   = "KV_" + stateBucket
	keptStream    = "UT_KEPT" // values for Stored
	auditStream   = "UT_AUDIT"

	stateBucket = "ut_state" // the latest runs of requests, claims, the lock, the key, processes, saved scripts
)

// Subjects. Their last tokens are names as token writes them.
const (
	prefix        = "ut."
	auditSubjects = prefix + "audit."
	doneSubjects  = prefix + "done."
	stateSubjects = "$KV." + stateBucket + "." // before a key

	recordsKey = "key"
	lockKey    = "lock"
	aliveKeys  = "alive."
	scriptKeys = "script."
)

func jobSubject(pool, request, id string) string {
	return prefix + "run." + token(pool) + "." + token(request) + "." + id
}

// recordSubject returns the subject of the lines of a record.
func recordSubject(name string) string {
	return prefix + "rec." + strings.Replace(name[:len(name)-idSize-1], ".", "_", 1) + "." + name[len(name)-idSize:]
}

const idSize = 10

// recordName returns the name of the record with a subject, or "" for another subject.
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
func requestKey(request string) string {
	return fmt.Sprintf("req.%x", sha256.Sum256([]byte(request)))
}
func onceKey(name string) string           { return "once." + token(name) }
func aliveKey(process string) string       { return aliveKeys + token(process) }
func pingSubject(process string) string    { return prefix + "ping." + token(process) }
func cancelSubject(id string) string       { return prefix + "cancel." + id }
func eventSubject(front, id string) string { return prefix + "event." + token(front) + "." + id }
func doneSubject(front, id string) string  { return doneSubjects + token(front) + "." + id }
func askSubject(front, id string) string   { return prefix + "ask." + token(front) + "." + id }
func keptSubjects(tenant, handle string) string { // before the last tokens
	return prefix + "kept." + token(tenant) + "." + token(handle) + "."
}
func keptKey(tenant string) string     { return "kept." + token(tenant) }
func auditSubject(front string) string { return auditSubjects + token(front) }

// scriptKey returns the key of a script of a library, see library.Spread.
func scriptKey(of, name string) string { return scriptKeys + token(of) + "." + token(name) }

// token encodes a text as one token of a subject: the text itself if it has only lower-case
// letters, digits and hyphens, otherwise "_" and its bytes in hexadecimal.
func token(s string) string {
	plain := func(c rune) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "_" + hex.EncodeToString([]byte(s))
}

// untoken returns the text that a token encodes, or "" if the token is invalid.
func untoken(t string) string {
	code, ok := strings.CutPrefix(t, "_")
	if !ok {
		return t
	}
	b, _ := hex.DecodeString(code)
	return string(b)
}
