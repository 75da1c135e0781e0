package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
)

// rounds is a shop whose orders ask a person so many questions before they are taken.
type rounds struct {
	*shop
	questions int
	gone      bool // it cannot be reached
	heard     []string
}

func (s *rounds) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool := req.Tool
	how := req.Send
	if s.gone {
		return nil, errors.New("connection refused")
	}
	if how.Continue == nil && s.questions == 0 {
		return s.shop.Call(ctx, server, req)
	}
	if err := how.Begin(ctx); err != nil {
		return nil, err
	}
	n := 0
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := how.Continue; c != nil {
		fmt.Sscanf(c.State, "state %d", &n)
		s.heard = append(s.heard, fmt.Sprintf("%d: %s", n, c.Input))
	}
	if n++; n > s.questions {
		s.calls[tool]++
		return backend.DecodeResult([]byte(`{"content":[],"structuredContent":{"order":7}}`))
	}
	state := fmt.Sprintf("state %d", n)
	if err := how.Later(state); err != nil {
		return nil, err
	}
	return nil, &backend.InputRequiredError{State: state, Requests: json.RawMessage(fmt.Sprintf(
		`{"q%d":{"method":"elicitation/create","params":{"message":"which one?"}}}`, n))}
}

func asksRounds(t *testing.T, questions int) (*harness.Harness, *rounds, *store.Store, *harness.Script) {
	h, shop, store, s := asksFor(t)
	server := &rounds{shop: shop, questions: questions}
	s.Policy, s.Catalog = nil, &catalog.Catalog{Registry: s.Catalog.Registry, Calls: server}
	return h, server, store, s
}

func reply(t *testing.T, store *store.Store, id, input string) {
	t.Helper()
	if err := store.Answer(id, &record.Answer{Yes: true, Who: "ann", Input: json.RawMessage(input)}); err != nil {
		t.Fatal(err)
	}
}

// Each question of a server gets its own answer.
func TestAServersQuestionsGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	h, server, store, s := asksRounds(t, 2)
	res := runs(t, h, s, `
UseTools("order an item")
o, err := shop.Buy(shop.BuyParams{Item: "nut"})
fmt.Println(o.Order, err)`)
	for n := range 2 {
		if res.Status != outcome.Waiting || len(res.Waiting) != 1 {
			t.Fatalf("%s %+v", res.Text(), res.Waiting)
		}
		id := res.Waiting[0].ID
		if res = mustResume(t, h, s, res.Run); res.Status != outcome.Waiting || len(res.Waiting) != 1 || res.Waiting[0].ID != id ||
			len(server.heard) != n {
			t.Fatalf("gone on with without an answer: %s %+v %q", res.Text(), res.Waiting, server.heard)
		}
		reply(t, store, id, fmt.Sprintf(`{"q%d":{"action":"accept"}}`, n+1))
		res = mustResume(t, h, s, res.Run)
	}
	if res.Status != outcome.OK || res.Stdout != "7 <nil>\n" || server.calls["buy"] != 1 ||
		strings.Join(server.heard, ", ") != `1: {"q1":{"action":"accept"}}, 2: {"q2":{"action":"accept"}}` {
		t.Errorf("%s %v %q", res.Text(), server.calls, server.heard)
	}
}

// A run asks at most three questions of servers.
func TestServersAskAtMostThreeQuestions(t *testing.T) {
	t.Parallel()
	h, server, store, s := asksRounds(t, 100)
	res := runs(t, h, s, `
UseTools("order an item")
_, err := shop.Buy(shop.BuyParams{Item: "nut"})
fmt.Println(err)`)
	for range harness.MaxQuestions {
		if res.Status != outcome.Waiting || len(res.Waiting) != 1 {
			t.Fatalf("%s %+v", res.Text(), res.Waiting)
		}
		reply(t, store, res.Waiting[0].ID, `{}`)
		res = mustResume(t, h, s, res.Run)
	}
	if res.Status == outcome.Waiting || len(res.Unknown) != 1 || server.calls["buy"] != 0 {
		t.Errorf("%s %+v %q", res.Text(), res.Waiting, server.heard)
	}
}

// A call that cannot go on now stays what it was, and why is said.
func TestACallWhoseServerIsGoneCanGoOnLater(t *testing.T) {
	t.Parallel()
	h, server, store, s := asksRounds(t, 1)
	res := runs(t, h, s, `
UseTools("order an item")
o, err := shop.Buy(shop.BuyParams{Item: "nut"})
fmt.Println(o.Order, err)`)
	reply(t, store, res.Waiting[0].ID, `{}`)
	server.gone = true
	if res = mustResume(t, h, s, res.Run); res.Status == outcome.OK || !strings.Contains(res.Text(), "connection refused") {
		t.Errorf("%s", res.Text())
	}
	server.gone = false
	denies := *s
	denies.Policy = &policy.Policy{Deny: []string{"shop.buy"}}
	if res = mustResume(t, h, &denies, res.Run); res.Status == outcome.OK || len(server.heard) != 0 {
		t.Errorf("%s", res.Text())
	}
	if res = mustResume(t, h, s, res.Run); res.Status != outcome.OK || res.Stdout != "7 <nil>\n" || server.calls["buy"] != 1 {
		t.Errorf("%s %v", res.Text(), server.calls)
	}
}
