// Command files is an MCP server that lists and reads the text files below one
// folder, and changes nothing.
//
//	go run ./examples/servers/files [-root FOLDER]
//
// It speaks MCP over stdin and stdout and ends when stdin does. What it opens,
// it opens through os.Root, so neither ".." nor a link leads out of the folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxFiles = 1000      // of one list
	maxRead  = 256 << 10 // bytes of one file
	maxWalk  = 100_000   // entries that a list looks at
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr, &mcp.StdioTransport{}))
}

// run serves one client and returns the exit code: 0 when the client left or
// the process was asked to end, 1 when serving failed, 2 for bad usage.
func run(ctx context.Context, args []string, stderr io.Writer, transport mcp.Transport) int {
	flags := flag.NewFlagSet("files", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("root", ".", "`folder` whose files are listed and read")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	root, err := os.OpenRoot(*dir)
	if err != nil {
		fmt.Fprintln(stderr, "files:", err)
		return 1
	}
	defer root.Close()
	err = newServer(folder{root}).Run(ctx, transport)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "files:", err)
		return 1
	}
	return 0
}

func newServer(f folder) *mcp.Server {
	no := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
	s := mcp.NewServer(&mcp.Implementation{Name: "files", Title: "File reader", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions: "Lists and reads the files below one folder. Paths are relative to it, with slashes.",
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	mcp.AddTool(s, &mcp.Tool{Name: "list_files",
		Description: "List the files in a folder and its sub-folders, with their sizes", Annotations: reads}, f.list)
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "Read the contents of a text file", Annotations: reads},
		f.read)
	return s
}

type folder struct{ root *os.Root }

// ListParams are the arguments of list_files.
type ListParams struct {
	Folder  string `json:"folder,omitempty" jsonschema:"Folder to list; left out: all"`
	Pattern string `json:"pattern,omitempty" jsonschema:"Which names, as in *.md; left out: all but those that begin with a dot"`
}

// ListResult is the answer of list_files.
type ListResult struct {
	Files []File `json:"files" jsonschema:"The files, sorted by path"`
	More  bool   `json:"more" jsonschema:"Whether there are more files than the 1000 that are listed"`
}

// File is a file that can be read.
type File struct {
	Path string `json:"path"`
	Size int64  `json:"size" jsonschema:"Size in bytes"`
}

func (f folder) list(ctx context.Context, _ *mcp.CallToolRequest, p ListParams) (*mcp.CallToolResult, ListResult,
	error) {
	out := ListResult{Files: []File{}}
	if _, err := path.Match(p.Pattern, ""); err != nil {
		return nil, out, fmt.Errorf("pattern %.80q: want wildcards as in *.md or [a-c]?.txt", p.Pattern)
	}
	top, seen := path.Clean("./"+p.Folder), 0
	err := fs.WalkDir(f.root.FS(), top, func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxWalk {
			out.More = true
			return fs.SkipAll
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == top:
			return err
		case err != nil: // not ours to read
			return nil
		case d.IsDir() && name != top && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || !matches(p.Pattern, d.Name()):
			return nil
		case len(out.Files) == maxFiles:
			out.More = true
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			out.Files = append(out.Files, File{name, info.Size()})
		}
		return nil
	})
	return nil, out, err
}

func matches(pattern, name string) bool {
	if pattern == "" {
		return !strings.HasPrefix(name, ".")
	}
	ok, _ := path.Match(pattern, name) // checked before
	return ok
}

// ReadParams are the arguments of read_file.
type ReadParams struct {
	Path string `json:"path" jsonschema:"Path of the file, as list_files gives it"`
}

// ReadResult is the answer of read_file.
type ReadResult struct {
	Text string `json:"text" jsonschema:"What the file holds, up to 256 KiB"`
	More bool   `json:"more" jsonschema:"Whether the file is longer than that"`
}

func (f folder) read(_ context.Context, _ *mcp.CallToolRequest, p ReadParams) (*mcp.CallToolResult, ReadResult, error) {
	var out ReadResult
	// Asked before it is opened: opening a pipe would wait for its other end.
	switch info, err := f.root.Stat(p.Path); {
	case err != nil:
		return nil, out, err
	case !info.Mode().IsRegular():
		return nil, out, fmt.Errorf("%q is not a file; list_files lists those that there are", p.Path)
	}
	file, err := f.root.Open(p.Path)
	if err != nil {
		return nil, out, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxRead+1))
	if err != nil {
		return nil, out, err
	}
	if len(b) > maxRead {
		b, out.More = b[:maxRead], true
		// not in the middle of a character
		for i := 0; i < utf8.UTFMax && !utf8.Valid(b[len(b)-min(len(b), utf8.UTFMax):]); i++ {
			b = b[:len(b)-1]
		}
	}
	if !utf8.Valid(b) {
		return nil, out, fmt.Errorf("%q is not a text in UTF-8", p.Path)
	}
	out.Text = string(b)
	return nil, out, nil
}
