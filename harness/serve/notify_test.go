package serve_test

//lint:file-ignore SA1019 clients of all revisions but the newest learn what a script prints by logging

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/usetools/usetools/harness/serve/transport"
)

func TestProgressAndLogsAreToldOf(t *testing.T) {
	s, _ := serving(t, nil)
	progress, logs := make(chan string, 10), make(chan string, 10)
	c := connect(t, s, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context,
			r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Message
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { logs <- fmt.Sprint(r.Params.Data) },
	})
	if c.InitializeResult().ProtocolVersion <= transport.LastStateful {
		if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
	}
	p := &mcp.CallToolParams{Name: "execute",
		Arguments: map[string]any{"script": "fmt.Println(\"first\")\n_, _ = files.ReadFile(files.ReadFileParams{Path: \"a\"})"}}
	p.SetProgressToken("t")
	if p.Meta == nil {
		p.Meta = mcp.Meta{}
	}
	p.Meta["io.modelcontextprotocol/logLevel"] = "info"
	if _, err := c.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, progress); got != "call 1: files.read_file" {
		t.Errorf("progress %q", got)
	}
	if got := receive(t, logs); got != "first" {
		t.Errorf("log %q", got)
	}
}
