// Package testserver is a small MCP server that the commands' tests start: a
// few tools that work, one that fails and one that never answers.
package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Main serves over stdio until its input ends. -broken makes it print rubbish
// and exit with 3 instead, -silent makes it never answer, -events adds a
// tool that does not say what it answers.
func Main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "-broken":
			fmt.Println("this is no JSON-RPC")
			fmt.Fprintln(os.Stderr, "cannot open the database")
			os.Exit(3)
		case "-silent":
			os.Stdin.Read(make([]byte, 1))
			select {}
		}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	read := &mcp.ToolAnnotations{ReadOnlyHint: true}
	type numbers struct {
		A int `json:"a" jsonschema:"the first number"`
		B int `json:"b,omitempty" jsonschema:"the second number"`
	}
	type sum struct {
		Sum   int   `json:"sum"`
		Parts []int `json:"parts"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add_numbers", Description: "Add two numbers and return their sum", Annotations: read},
		func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B, []int{in.A, in.B}}, nil
		})
	type message struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo_text", Description: "Say a text back, unchanged", Annotations: read},
		func(_ context.Context, _ *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "delete_everything", Description: "Delete all files of the disk for ever"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("the disk is write-protected")
		})
	mcp.AddTool(s, &mcp.Tool{Name: "wait_long", Description: "Wait for an hour before answering", Annotations: read},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			select {
			case <-ctx.Done():
			case <-time.After(time.Hour):
			}
			return nil, nil, ctx.Err()
		})
	if len(os.Args) > 1 && os.Args[1] == "-events" {
		addEvents(s)
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// addEvents adds a read-only tool that answers with a text that is JSON, or,
// for the kind "odd", with one that is not.
func addEvents(s *mcp.Server) {
	type kind struct {
		Kind string `json:"kind"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "list_events", Description: "List the events of a kind",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in kind) (*mcp.CallToolResult, any, error) {
			answer := fmt.Sprintf(`{"events":[{"id":%d,"title":%q,"text":"secret-%s"}],"text":"one","total":1}`, len(in.Kind),
				in.Kind, in.Kind)
			if in.Kind == "odd" {
				answer = "there are no events today"
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer}}}, nil, nil
		})
}
