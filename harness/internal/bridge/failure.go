package bridge

import (
	"encoding/json"
	"fmt"
	"strings"
)

// FailureSign returns what makes a result that claims success look like a
// failure, or "". Many servers answer with a plain "Error retrieving key …" or
// {"success": false, "error": "…"}; the result is left as it is, because the
// words alone prove nothing.
func FailureSign(text string, structured []byte) string {
	if len(structured) > maxFailure {
		return ""
	}
	t := strings.TrimSpace(text)
	if v, ok := unwrapped(structured); ok {
		var str string
		if json.Unmarshal(v, &str) == nil {
			t = strings.TrimSpace(str)
		}
	}
	if len(structured) > 0 {
		if sign := failureObject(structured); sign != "" {
			return sign
		}
	}
	if len(t) > maxFailure {
		return ""
	}
	if strings.HasPrefix(t, "{") {
		return failureObject([]byte(t))
	}
	low := strings.ToLower(t)
	for _, p := range failureWords {
		if strings.HasPrefix(low, p) {
			return fmt.Sprintf("it begins %.80q", t)
		}
	}
	return ""
}

// maxFailure is the length beyond which a text is a document, not a message.
const maxFailure = 4 << 10

// failureWords are beginnings of messages (observed: the Redis, NixOS, SQLite
// and Kubernetes servers of the Python world).
var failureWords = []string{
	"error:", "error ", "❌", "failed to ", "failure:", "failed:", "exception:", "traceback (most recent call last)",
	"unable to ", "could not ", "cannot ", "an error occurred", "an unexpected error", "unexpected error", "invalid ", "database error",
}

// failureObject is failureSign of a JSON object.
func failureObject(data []byte) string {
	var m struct {
		Error   json.RawMessage `json:"error"`
		Success *bool           `json:"success"`
	}
	if json.Unmarshal(data, &m) != nil {
		return ""
	}
	var msg string
	switch {
	case json.Unmarshal(m.Error, &msg) == nil && msg != "":
		return fmt.Sprintf("its field error is %.80q", msg)
	case m.Success != nil && !*m.Success:
		return "its field success is false"
	}
	return ""
}
