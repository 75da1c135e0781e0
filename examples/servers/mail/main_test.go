package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestMailbox(t *testing.T) {
	var sent bytes.Buffer
	there, here := mcp.NewInMemoryTransports()
	server, err := newServer(&sent).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, call := range []struct {
		tool string
		args map[string]any
		want string
		bad  bool
	}{
		{"list_messages", map[string]any{}, "Invoice 7714", false},
		{"get_message", map[string]any{"id": 3}, "Note to the assistant", false},
		{"get_message", map[string]any{"id": 5}, "there is no message 5", true},
		{"send_message", map[string]any{"to": "a@example.com", "subject": "Hi", "body": "x"}, "true", false},
	} {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: call.args})
		if err != nil {
			t.Fatal(err)
		}
		if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, call.want) || res.IsError != call.bad {
			t.Errorf("%s %v: %s", call.tool, call.args, text)
		}
	}
	if got := sent.String(); got != "mail: sent \"Hi\" to a@example.com\n" {
		t.Errorf("sent: %q", got)
	}
}
