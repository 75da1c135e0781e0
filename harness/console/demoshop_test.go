package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// demoShop are the servers of the demo world: an invented shop.
type demoShop struct {
	calls   atomic.Int64
	effects atomic.Int64
	// end ends calls that never answer by themselves.
	end context.Context
	// gate, where there is one, has each call wait for a value of it, or until it is closed.
	gate chan struct{}
}

// customers of the demo shop: name, address, what they paid for order 10371 + i.
var customers = []struct {
	name, mail string
	total      float64
}{
	{"Ingrid Vasko", "ingrid.vasko@mail.example", 148}, {"Paolo Renner", "p.renner@mail.example", 62.9},
	{"Sade Mwangi", "sade@mail.example", 219.5}, {"Elif Arslan", "elif.arslan@mail.example", 38},
	{"Noor Haddad", "noor.h@mail.example", 91.2}, {"Bram Oost", "oost@mail.example", 412.75},
	{"Lena Fischbach", "lena.fischbach@mail.example", 77}, {"Aoife Brennan", "aoife@mail.example", 54.3},
	{"Rui Tavares", "rui.tavares@mail.example", 129.99}, {"Hana Kobayashi", "hana.k@mail.example", 1890},
	{"Milo Dragan", "milo@mail.example", 66.4},
	{"Petra Nyberg-Achterberg van der Heuvel", "petra.nyberg-achterberg@correspondence.mail.example", 45.1},
	{"Joon-ho Baek", "joon@mail.example", 310}, {"Farida أحمد", "farida@mail.example", 18.75},
}

const (
	firstOrder  = 10371
	lockedOrder = 10379 // by an import: get_order fails
)

// waits is a server that takes its time.
func waits(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Call answers a call of any of the servers.
func (s *demoShop) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	tool, args := req.Tool, req.Args.JSON()
	if how := req.Send; how != nil {
		if err := how.Begin(ctx); err != nil {
			return nil, err
		}
		if how.Effect {
			s.effects.Add(1)
		}
	}
	n := s.calls.Add(1)
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var a struct {
		ID, Order, Site, Page   int
		Title, Account, Article string
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	switch server + "." + tool {
	case "shop.list_orders":
		orders := []map[string]any{}
		for i := range 61 {
			c := customers[i%len(customers)]
			placed := time.Now().Add(-time.Duration(61-i) * 7 * time.Hour)
			orders = append(orders, map[string]any{"id": firstOrder + i, "placed": placed.Format(time.RFC3339),
				"customer": c.name, "total": c.total})
		}
		return structured(ctx, 20*time.Millisecond, map[string]any{"orders": orders})
	case "shop.get_order":
		if a.ID == lockedOrder {
			return failed(ctx, 30*time.Millisecond, "order %d is locked by an import since 09:40:55", a.ID)
		}
		c := customers[(a.ID-firstOrder)%len(customers)]
		return structured(ctx, time.Duration(7+a.ID%9)*time.Millisecond, map[string]any{"id": a.ID, "customer": c.name,
			"email": c.mail, "country": []string{"NO", "IT", "KE", "TR"}[a.ID%4], "total": c.total, "currency": "EUR",
			"placed": "2026-11-1" + fmt.Sprint(a.ID%10) + "T08:30:00Z",
			"lines":  []map[string]any{{"article": "NUT-8", "count": a.ID % 7}, {"article": "BOLT-8-40", "count": 4}}})
	case "shop.list_articles":
		articles := []string{}
		for i := range 124 {
			articles = append(articles, fmt.Sprintf("A-%04d", a.Page*124+i))
		}
		return structured(ctx, 2*time.Millisecond, map[string]any{"articles": articles, "pages": 8})
	case "shop.refund_payment":
		return structured(ctx, 3*time.Millisecond, map[string]any{"refund": fmt.Sprintf("R-%d", a.Order)})
	case "warehouse.track_parcel":
		left := any("")
		if a.Order%6 != 3 { // three of those that late_orders looks at
			left = "2026-11-20T16:00:00Z"
		}
		return structured(ctx, time.Duration(6+a.Order%8)*time.Millisecond, map[string]any{"order": a.Order,
			"carrier": "Nordpost", "left_at": left, "eta": nil})
	case "warehouse.stock_level":
		return structured(ctx, time.Duration(n%4)*300*time.Microsecond, map[string]any{"article": a.Article, "free": n % 90})
	case "tickets.create_ticket":
		return structured(ctx, 8*time.Millisecond, map[string]any{"key": fmt.Sprintf("WH-%d", 2200+n%100)})
	case "ledger.get_entry":
		return failed(ctx, 2*time.Millisecond, "no entry %s", a.Account)
	case "ledger.get_price":
		return nil, waits(ctx, time.Hour)
	case "ledger.book_entry":
		return nil, errors.Join(waits(ctx, 2*time.Millisecond), fmt.Errorf("calling: %w", backend.ErrDisconnected))
	case "warehouse.count_again": // until the world ends
		select {
		case <-s.end.Done():
			return nil, fmt.Errorf("calling: %w", backend.ErrDisconnected)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case "git.git_log":
		return structured(ctx, 2*time.Millisecond, map[string]any{"commits": []map[string]any{
			{"hash": "9c1f2e", "author": "Ann", "subject": "shop: orders say when they were placed"},
			{"hash": "07aa51", "author": "Bo", "subject": "shop: an import locks one order, not all"}}})
	case "git.git_blame":
		return structured(ctx, 3*time.Millisecond, map[string]any{"path": "orders.go", "lines": []map[string]any{
			{"number": 1, "author": "Ann", "text": "package orders"}, {"number": 2, "author": "Bo", "text": ""}}})
	}
	return text(ctx, 2*time.Millisecond, "done")
}

func structured(ctx context.Context, took time.Duration, v any) (*backend.Result, error) {
	return answered(ctx, took, map[string]any{"content": []any{}, "structuredContent": v})
}

func text(ctx context.Context, took time.Duration, s string) (*backend.Result, error) {
	return answered(ctx, took, map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
}

func failed(ctx context.Context, took time.Duration, format string, args ...any) (*backend.Result, error) {
	return answered(ctx, took, map[string]any{"isError": true,
		"content": []any{map[string]any{"type": "text", "text": fmt.Sprintf(format, args...)}}})
}

func answered(ctx context.Context, took time.Duration, v any) (*backend.Result, error) {
	if err := waits(ctx, took); err != nil {
		return nil, err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return backend.DecodeResult(b)
}

// demoTool writes a tool down: an ID, what it does, its hint (read, effect, deletes or
// nothing), and its arguments and results: names with a type (a text without one; int,
// number, bool, a schema in JSON), ! after those that are required.
func demoTool(id, about, hint, category, in, out string) registry.Tool {
	server, name, _ := strings.Cut(id, ".")
	t := registry.Tool{Server: server, Name: name, Description: about, Category: category, Input: demoSchema(in)}
	if out != "" {
		t.Output = demoSchema(out)
	}
	yes, no := true, false
	switch hint {
	case "read":
		t.Annotations = &registry.Annotations{ReadOnly: &yes}
	case "effect":
		t.Annotations = &registry.Annotations{ReadOnly: &no, Destructive: &no}
	case "deletes":
		t.Annotations = &registry.Annotations{Destructive: &yes}
	}
	return t
}

func demoSchema(fields string) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for f := range strings.FieldsSeq(fields) {
		name, kind, _ := strings.Cut(f, ":")
		var s any
		switch kind = strings.TrimSuffix(kind, "!"); kind {
		case "", "string":
			s = map[string]any{"type": "string"}
		case "int":
			s = map[string]any{"type": "integer"}
		case "number":
			s = map[string]any{"type": "number"}
		case "bool":
			s = map[string]any{"type": "boolean"}
		default:
			s = json.RawMessage(kind)
		}
		if strings.HasSuffix(f, "!") {
			required = append(required, strings.TrimSuffix(name, "!"))
		}
		properties[strings.TrimSuffix(name, "!")] = s
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		panic(err)
	}
	return b
}

const (
	demoOrders = `orders:{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},` +
		`"placed":{"type":"string"},"customer":{"type":"string"},"total":{"type":"number"}},"required":["id","placed"]}}`
	demoOrder = `id:int! customer! email country total:number currency placed lines:{"type":"array","items":{"type":` +
		`"object","properties":{"article":{"type":"string"},"count":{"type":"integer"}}}}`
	demoCommits = `commits:{"type":"array","items":{"type":"object","properties":{"hash":{"type":"string"},"author":` +
		`{"type":"string"},"subject":{"type":"string"}}}}`
	demoLines = `path lines:{"type":"array","items":{"type":"object","properties":{"number":{"type":"integer"},` +
		`"author":{"type":"string"},"text":{"type":"string"}}}}`
	demoStatus = `status:{"type":"string","enum":["paid","packed","sent","returned"],"description":"one_of_these"}`
)

// demoRegistry is what the shop's servers offer.
func demoRegistry() *registry.Registry {
	down := "connection refused"
	reg := &registry.Registry{
		Servers: []registry.Server{
			{Name: "shop", Transport: "openapi", Title: "The shop", Version: "2.4.0"},
			{Name: "warehouse", Transport: "stdio", Protocol: "2026-07-28"},
			{Name: "tickets", Transport: "http", Protocol: "2026-07-28", Instructions: "Queues are warehouse, shop and money.",
				Skills: []registry.Skill{{Name: "triage", Description: "Sort new tickets <script>alert(1)</script>", URI: "skill://triage/SKILL.md", Files: 1, Held: true,
					Text: "---\nname: triage\n---\n\n# Triage\n\n</pre><img src=x onerror=alert(1)>\u202e\x1b[31m\n"}}},
			{Name: "chat", Transport: "http", Protocol: "2025-06-18"},
			{Name: "git", Transport: "stdio", Protocol: "2026-07-28"},
			{Name: "notes", Transport: "stdio", Protocol: "2026-07-28"},
			{Name: "ledger", Transport: "stdio", Protocol: "2025-11-25", Error: &down,
				Skills: []registry.Skill{{Name: "close-month", Description: "Close a month", URI: "skill://close-month/SKILL.md", Files: 2, Text: "Close it."}}},
			{Name: "mail", Transport: "http", Protocol: "2026-07-28"},
		},
		Tools: []registry.Tool{
			demoTool("shop.list_orders", "List the shop's orders by status, oldest first", "read", "commerce",
				demoStatus+" limit:int", demoOrders),
			demoTool("shop.get_order", "Get one order with all that belongs to it: customer, lines, total", "read", "commerce",
				"id:int!", demoOrder),
			demoTool("shop.list_articles", "List the articles of the shop, page by page", "read", "commerce", "page:int",
				`articles:{"type":"array","items":{"type":"string"}} pages:int`),
			demoTool("shop.refund_payment", "Refund the payment of an order to its customer", "effect", "commerce",
				"order:int! amount:number! reason", "refund"),
			demoTool("shop.delete_order", "Delete an order for ever", "deletes", "commerce", "id:int!", ""),
			demoTool("warehouse.track_parcel", "Track the parcel of an order: where it is now and when it left", "read", "commerce",
				"order:int!", "order:int carrier left_at eta:{\"type\":\"string\"}!"),
			demoTool("warehouse.stock_level", "How many pieces of an article are in stock", "read", "commerce", "article! site",
				"article free:int"),
			demoTool("warehouse.count_again", "Have people count the pieces of an article again", "read", "commerce", "article!", ""),
			demoTool("warehouse.recalculate_projected_replenishment_quantities_for_all_sites",
				"Recalculate how much of each article has to be ordered again, for all sites", "effect", "commerce", "", ""),
			demoTool("tickets.create_ticket", "Open a ticket in a queue", "effect", "messages", "queue! title! body", "key"),
			demoTool("tickets.close_ticket", "Close a ticket and tell its reporter", "effect", "messages", "key!", ""),
			demoTool("tickets.resolve_ticket", "Close a ticket as resolved", "effect", "messages", "key! how", ""),
			demoTool("tickets.list_changes", "List the changes of a ticket with their authors, oldest first", "read", "messages",
				"key!", ""),
			demoTool("chat.post_message", "Post a message to a channel", "effect", "messages", "channel! text!", ""),
			demoTool("chat.list_channels", "List the channels", "read", "messages", "", ""),
			demoTool("mail.send_mail", "Send an e-mail; it cannot be taken back", "effect", "messages", "to! subject! body!", ""),
			demoTool("mail.search_mail", "Search e-mails by words, sender and date", "read", "messages", "words! from since", ""),
			demoTool("git.git_log", "Show the commit history of a git repository: hash, author, date and message", "read",
				"version control", "repo_path max_count:int author", demoCommits),
			demoTool("git.git_blame", "Show who last changed each line of a file in a git repository", "read", "version control",
				"repo_path path! revision from:int to:int", demoLines),
			demoTool("git.git_diff", "Show which files and lines changed between two commits", "read", "version control",
				"repo_path from! to!", ""),
			demoTool("git.git_push", "Push the commits of a branch to the remote repository", "effect", "version control",
				"repo_path branch!", ""),
			demoTool("notes.page_history", "Who edited a page of the notes, and when", "read", "files", "page!", ""),
			demoTool("notes.write_page", "Write a page of the notes", "effect", "files", "page! text!", ""),
			demoTool("notes.find_page", "البحث عن صفحة: find a page of the notes by its words", "read", "files", "words!", ""),
			demoTool("ledger.get_entry", "Get an entry of the ledger by its account number", "read", "database", "account!",
				"account amount:number"),
			demoTool("ledger.get_price", "Get the price of an article from the price list", "read", "database", "article!", ""),
			demoTool("ledger.book_entry", "Book an entry in the ledger", "effect", "database",
				"account! amount:number! reference", ""),
		},
	}
	for i := range reg.Tools {
		if t := &reg.Tools[i]; t.Server == "ledger" && t.Name == "get_price" {
			t.Stale = true
		}
	}
	reg.Normalize()
	return reg
}
