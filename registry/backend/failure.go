package backend

import (
	"encoding/json"
	"fmt"
	"strings"
)

// FailureSign returns the sign that a result without IsError is a failure, or "". Many servers
// answer with a plain "Error retrieving key …" or {"success": false, "error": "…"}. Callers must
// not change the result, because the words alone prove nothing.
func (r *Result) FailureSign() string {
	if len(r.Structured) > maxFailure {
		return ""
	}
	t := r.Text()
	value, _ := r.Value() // an error about a large number does not matter here
	object, _ := value.(map[string]any)
	if wrapped, ok := object["result"].(string); ok && len(object) == 1 {
		t = wrapped
	}
	if sign := failureObject(object); sign != "" {
		return sign
	}
	t = strings.TrimSpace(t)
	if len(t) > maxFailure {
		return ""
	}
	if strings.HasPrefix(t, "{") {
		text := Result{Structured: json.RawMessage(t)}
		value, _ := text.Value()
		object, _ := value.(map[string]any)
		return failureObject(object)
	}
	low := strings.ToLower(t)
	for _, p := range failureWords {
		if strings.HasPrefix(low, p) {
			return fmt.Sprintf("it begins %.80q", t)
		}
	}
	return ""
}

// maxFailure is the length in bytes above which a text is a document, not a message.
const maxFailure = 4 << 10

// failureWords are beginnings of failure messages (observed: the Redis, NixOS, SQLite and
// Kubernetes servers written in Python).
var failureWords = []string{
	"error:", "error ", "❌", "failed to ", "failure:", "failed:", "exception:", "traceback (most recent call last)",
	"unable to ", "could not ", "cannot ", "an error occurred", "an unexpected error", "unexpected error", "invalid ", "database error",
}

// failureObject returns the FailureSign of an object.
func failureObject(m map[string]any) string {
	msg, _ := member(m, "error").(string)
	success := member(m, "success")
	good, ok := success.(bool)
	switch {
	case success != nil && !ok:
		return ""
	case msg != "":
		return fmt.Sprintf("its field error is %.80q", msg)
	case ok && !good:
		return "its field success is false"
	}
	return ""
}

// member returns a member of an object. It ignores case unless a key is equal.
func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	for key, v := range m {
		if strings.EqualFold(key, name) {
			return v
		}
	}
	return nil
}
