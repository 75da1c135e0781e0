package bind

import (
	"encoding/json"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// A phrase that means a tool by itself means that one, whatever other tools the script
// uses that no phrase has claimed.
func TestAPhraseKeepsTheToolThatItMeans(t *testing.T) {
	in := json.RawMessage(`{"type":"object"}`)
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "shop", Name: "get_order", Description: "Get one order with all that belongs to it", Input: in},
		{Server: "tickets", Name: "create_ticket", Description: "Open a ticket in a queue", Input: in},
		{Server: "chat", Name: "post_message", Description: "Post a message to a channel", Input: in},
	}}
	reg.Normalize()
	cat := &catalog.Catalog{Registry: reg}
	view, err := cat.View()
	if err != nil {
		t.Fatal(err)
	}
	ticket, _ := view.Tool("tickets.create_ticket")
	b := &Bound{View: view}
	var used []*wrappers.Tool
	for _, tool := range reg.Tools {
		tool, _ := view.Tool(tool.ID)
		used = append(used, tool)
	}
	for _, c := range []struct {
		verdict discovery.Verdict
		tool    string
		want    string
	}{
		{discovery.Resolved, "tickets.create_ticket", "tickets.create_ticket"},
		{discovery.Ambiguous, "", "chat.post_message"}, // which no phrase has claimed
	} {
		res := discovery.Resolution{Phrase: "open a ticket", Verdict: c.verdict, Tool: c.tool, By: discovery.ByPhrase,
			Candidates: []discovery.Candidate{{ID: "tickets.create_ticket"}, {ID: "chat.post_message"}}}
		b.Allowed = map[string]*wrappers.Tool{ticket.ID: ticket} // by an earlier phrase
		if b.pick(&res, used); res.Tool != c.want || res.Verdict != discovery.Resolved {
			t.Errorf("%s %s: %+v, want %s", c.verdict, c.tool, res, c.want)
		}
	}
}
