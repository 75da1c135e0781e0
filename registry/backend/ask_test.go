package backend

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuestionsAreThoseOfTheServer(t *testing.T) {
	got, err := Questions(json.RawMessage(`{"b":{"method":"elicitation/create","params":{"mode":"url","message":"Sign in.",
		"url":"https://x.example","elicitationId":"7"}},
		"a":{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"z":1.50,"a":2}}}}`))
	want := []*Question{{Key: "a", Mode: Form, Message: "Name?", Schema: json.RawMessage(`{"z":1.50,"a":2}`)},
		{Key: "b", Mode: URL, Message: "Sign in.", URL: "https://x.example"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
	asks := &InputRequiredError{Requests: json.RawMessage(
		`{"a":{"method":"elicitation/create","params":{"mode":"url","message":"Sign in.","url":"https://x.example"}}}`)}
	if got, want := asks.Error(), `the server asks for input: "Sign in." https://x.example`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAnswersAreWhatWasSaid(t *testing.T) {
	got, err := Answers(map[string]*Reply{"b": {Action: Decline}, "a": {Action: Accept,
		Content: json.RawMessage(`{"z":9007199254740993}`)}})
	if want := `{"a":{"action":"accept","content":{"z":9007199254740993}},"b":{"action":"decline"}}`; err != nil ||
		string(got) != want {
		t.Errorf("%s, error %v", got, err)
	}
	for name, r := range map[string]*Reply{
		"none": nil, "no action": {}, "another action": {Action: "yes"},
		"content with no": {Action: Decline, Content: json.RawMessage(`{}`)},
		"a list":          {Action: Accept, Content: json.RawMessage(`[]`)},
		"null":            {Action: Accept, Content: json.RawMessage(`null`)},
		"too much":        {Action: Accept, Content: json.RawMessage(`{"a":"` + strings.Repeat("x", MaxQuestion) + `"}`)},
	} {
		if got, err := Answers(map[string]*Reply{"a": r}); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzQuestions(f *testing.F) {
	for _, s := range []string{`{}`, `null`, `[]`, `{"a":null}`, `{"a":{"method":"elicitation/create","params":null}}`,
		`{"a":{"method":"elicitation/create","params":{"mode":"url","url":"x","requestedSchema":null}}}`,
		`{"a":{"method":"elicitation/create","params":{"requestedSchema": {}}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		questions, err := Questions(b)
		if err != nil {
			return
		}
		if len(questions) > MaxQuestions {
			t.Errorf("%d questions", len(questions))
		}
		for _, q := range questions {
			if q.Mode != Form && q.Mode != URL || (q.Mode == URL) != (q.URL != "") || q.Schema != nil && !json.Valid(q.Schema) {
				t.Errorf("%+v", q)
			}
		}
	})
}
