package backend

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fits returns an error if an answer does not fit the question's schema. All answers fit an
// unusable schema, because the server checks them itself.
func (q *Question) Fits(content json.RawMessage) error {
	var s jsonschema.Schema
	if json.Unmarshal(q.Schema, &s) != nil {
		return nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(content, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}

// Declined returns a rejection of all inputRequests, in the form of [Answers], or nil if they
// contain no question.
func Declined(requests json.RawMessage) (json.RawMessage, error) {
	all, err := Questions(requests)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	replies := map[string]*Reply{}
	for _, q := range all {
		replies[q.Key] = &Reply{Action: Decline}
	}
	return Answers(replies)
}
