package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const version = "1.0.0"

// newServer returns the MCP server over a root. It may serve several sessions:
// no call leaves anything behind.
func newServer(r root) *mcp.Server {
	s := mcp.NewServer(
		&mcp.Implementation{Name: "git", Title: "Git repository reader", Version: version},
		&mcp.ServerOptions{
			Instructions: r.instructions(),
			Logger:       slog.New(slog.DiscardHandler),
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	s.AddReceivingMiddleware(recoverPanics)

	add(s, logTool, logDefaults, r.log)
	add(s, diffTool, diffDefaults, r.diff)
	add(s, showTool, showDefaults, r.show)
	add(s, statusTool, statusDefaults, r.status)
	add(s, branchesTool, branchesDefaults, r.branches)
	add(s, blameTool, blameDefaults, r.blame)
	return s
}

// instructions never name the temporary folder of a demonstration: they are
// stored in registries, which should not change from run to run.
func (r root) instructions() string {
	serves := fmt.Sprintf("Reads the git repositories in %s and below, and changes nothing.", r.dir)
	if r.demo {
		serves = "Reads a demonstration repository in a temporary folder, made because the folder that this server was " +
			"started in is no git repository. Changes nothing."
	}
	return serves + ` repo_path is relative to that root; "." is its own repository. ` +
		"Find commits with git_log and branches with git_branches; git_show and git_diff tell which files changed and, " +
		"with patch, how; " +
		"git_blame tells who wrote a line; git_status tells what is not committed yet. " +
		"Revisions are branch and tag names, hashes or their beginnings, and HEAD~2 or main^ forms."
}

// Source says where a result comes from. Every result starts with it.
type Source struct {
	Repository string `json:"repository" jsonschema:"Top folder of the repository that was read"`
	Note       string `json:"note,omitempty" jsonschema:"What to know about this result: what was left out or cut, or that the repository is a demonstration"`
}

// add installs a tool: arguments are read over the defaults and checked, the
// result is sent structured and, for clients that know only text, as JSON text.
// What fails is the tool's error, in words, and never ends the session.
func add[In, Out any](s *mcp.Server, tool mcp.Tool, defaults In, run func(context.Context, In) (Out, error)) {
	closed := false
	tool.InputSchema = inputSchema(defaults)
	tool.OutputSchema = outputSchema[Out]()
	tool.Annotations = &mcp.ToolAnnotations{
		Title:           tool.Title,
		ReadOnlyHint:    true,
		DestructiveHint: new(bool),
		IdempotentHint:  true,
		OpenWorldHint:   &closed,
	}
	s.AddTool(&tool, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		params, err := parseArguments(request.Params.Arguments, defaults)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", tool.Name, err)), nil
		}
		result, err := run(ctx, params)
		if err != nil {
			return failed(fmt.Errorf("%s: %w", tool.Name, err)), nil
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(result); err != nil {
			return failed(fmt.Errorf("%s: encoding the result: %w", tool.Name, err)), nil
		}
		encoded := bytes.TrimSpace(text.Bytes())
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(encoded)}},
			StructuredContent: json.RawMessage(encoded),
		}, nil
	})
}

func failed(err error) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	result.SetError(err)
	return result
}

// recoverPanics keeps one bad call, such as one on a damaged repository, from
// ending the server: the SDK leaves panics of handlers to the process.
func recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			p := recover()
			switch {
			case p == nil:
			case method == "tools/call":
				result, err = failed(fmt.Errorf("internal error: %v", p)), nil
			default:
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		return next(ctx, method, request)
	}
}
