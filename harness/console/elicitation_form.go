package console

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// formQuestion is a question of a server: a page to open, or a form to fill in.
type formQuestion struct {
	*form
	Message string
	URL     string
	Tick    string // name of the input that confirms that the person used the page
	of      *backend.Question
}

// newFormQuestions returns the questions of a server.
func newFormQuestions(requests json.RawMessage) (out []formQuestion, err error) {
	all, err := backend.Questions(requests)
	for i, q := range all {
		id := fmt.Sprintf("q%d", i)
		f := newFormAt(id, wrappers.SchemaFields(q.Schema))
		defaults := map[string]json.RawMessage{}
		for _, x := range wrappers.SchemaFields(q.Schema) {
			if x.Default != "" {
				defaults[x.Name] = json.RawMessage(x.Default)
			}
		}
		b, _ := json.Marshal(defaults) // valid JSON
		f.fill(b)
		out = append(out, formQuestion{f, visibleText(q.Message), oneLine(q.URL), id, q})
	}
	return out, err
}

// form sets the questions of a server, or those of a rejected form.
func (q *question) form(rejected []formQuestion) {
	q.Form = rejected
	if rejected == nil {
		var err error
		if q.Form, err = newFormQuestions(q.Question); err != nil {
			q.Unreadable = oneLine(text.FirstBytes(err.Error(), 500))
		}
	}
}

// fill reads the answers to a server's questions. If an answer is wrong, it returns the form
// with errors.
func fill(requests json.RawMessage, sent url.Values) (input json.RawMessage, rejected []formQuestion, err error) {
	all, err := newFormQuestions(requests)
	if err != nil {
		return nil, nil, err
	}
	replies := map[string]*backend.Reply{}
	ok := true
	for _, q := range all {
		r := &backend.Reply{Action: backend.Accept}
		replies[q.of.Key] = r
		if q.URL != "" {
			if sent.Get(q.Tick) == "" {
				ok, q.Error = false, "Confirm first that you completed the page."
			}
			continue
		}
		var fine bool
		if r.Content, fine = q.read(sent); fine {
			if err := q.of.Fits(r.Content); err != nil {
				fine, q.Error = false, "The answer does not fit the question: "+text.FirstBytes(err.Error(), 500)
			}
		}
		ok = ok && fine
	}
	if !ok {
		return nil, all, nil
	}
	input, err = backend.Answers(replies)
	return input, nil, err
}
