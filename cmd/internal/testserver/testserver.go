// Package testserver is a small MCP server that the commands' tests start: a
// few tools that work, one that fails and one that never answers.
package testserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/skill/skilltest"
)

// Main serves over stdio until its input ends. -broken makes it print rubbish
// and exit with 3 instead, -silent makes it never answer, -events adds a
// tool that does not say what it answers, -notes FILE those that write a file,
// -waiting one that counts the calls of wait_long, -samples FILE those that note in a
// file that they were called, -skills FOLDER the skills in a folder.
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
	var opts *mcp.ServerOptions
	if len(os.Args) > 2 && os.Args[1] == "-skills" {
		opts = skilltest.Options()
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, opts)
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
	var waiting atomic.Int64
	mcp.AddTool(s, &mcp.Tool{Name: "wait_long", Description: "Wait for an hour before answering", Annotations: read},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			waiting.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(time.Hour):
			}
			return nil, nil, ctx.Err()
		})
	if len(os.Args) > 1 && os.Args[1] == "-waiting" {
		mcp.AddTool(s, &mcp.Tool{Name: "count_waiting", Description: "Count who waits", Annotations: read},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, sum, error) {
				return nil, sum{Sum: int(waiting.Load()), Parts: []int{}}, nil
			})
	}
	if len(os.Args) > 1 && os.Args[1] == "-events" {
		addEvents(s)
	}
	if len(os.Args) > 2 && os.Args[1] == "-samples" {
		addSamples(s, os.Args[2])
	}
	if len(os.Args) > 2 && os.Args[1] == "-notes" {
		addNotes(s, os.Args[2])
	}
	if opts != nil {
		files, err := skilltest.Read(os.DirFS(os.Args[2]))
		if err == nil {
			err = skilltest.Serve(s, files.Entries(), files)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// addNotes adds tools that change something: each call is a line of a file. A note
// "crash" is written, and the server dies before it answers; of a note "slow" it
// answers when the file NAME.go is there; a note "ask" asks the user for its text.
func addNotes(s *mcp.Server, file string) {
	type note struct {
		Text string `json:"text"`
	}
	type count struct {
		Notes int `json:"notes"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "list_notes", Description: "List the notes in the book",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, count, error) {
			b, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) {
				err = nil
			}
			return nil, count{bytes.Count(b, []byte("\n"))}, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "add_note", Description: "Write a note into the book"},
		func(ctx context.Context, r *mcp.CallToolRequest, in note) (*mcp.CallToolResult, count, error) {
			if in.Text == "ask" {
				answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "What shall the note say?",
					RequestedSchema: &jsonschema.Schema{Type: "object", Required: []string{"text"},
						Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}, "times": {Type: "integer"}}}})
				if err != nil {
					return nil, count{}, err
				}
				in.Text = fmt.Sprint(answer.Action, " ", answer.Content["text"], " ", answer.Content["times"])
			}
			f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return nil, count{}, err
			}
			defer f.Close()
			if _, err := fmt.Fprintln(f, in.Text); err != nil {
				return nil, count{}, err
			}
			if in.Text == "crash" {
				os.Exit(1)
			}
			for in.Text == "slow" {
				if _, err := os.Stat(file + ".go"); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			b, err := os.ReadFile(file)
			return nil, count{bytes.Count(b, []byte("\n"))}, err
		})
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

// addSamples adds tools without output schemas. Each call appends a line to a file.
func addSamples(s *mcp.Server, file string) {
	yes := true
	both := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	for _, tool := range []struct {
		name     string
		hints    *mcp.ToolAnnotations
		required []string
		answer   string
	}{
		{"get_status", both, nil, `{"state":"swordfish","users":3}`},
		{"get_health", both, nil, `{"healthy":true}`},
		{"get_user", both, []string{"id"}, `{"name":"x"}`},
		{"get_news", &mcp.ToolAnnotations{ReadOnlyHint: true}, nil, `{"news":1}`},
		{"reset_all", &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &yes}, nil, `{"done":true}`},
		{"get_dump", both, nil, `{"dump":"` + strings.Repeat("x", 70<<10) + `"}`},
		{"get_broken", both, nil, ""},
	} {
		schema := &jsonschema.Schema{Type: "object", Required: tool.required, Properties: map[string]*jsonschema.Schema{"id": {Type: "string"}}}
		s.AddTool(&mcp.Tool{Name: tool.name, Description: tool.name, Annotations: tool.hints, InputSchema: schema},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err != nil {
					return nil, err
				}
				fmt.Fprintln(f, tool.name)
				return &mcp.CallToolResult{IsError: tool.answer == "", Content: []mcp.Content{&mcp.TextContent{Text: tool.answer}}}, f.Close()
			})
	}
}
