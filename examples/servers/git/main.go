// Command git is an MCP server that answers questions about git repositories:
// their history, the files changed between two commits, single commits, the
// state of the working tree, branches, and who wrote which line.
//
//	go run ./examples/servers/git [-root FOLDER] [-demo-if-none]
//
// It speaks MCP over stdin and stdout and ends when stdin does. Everything is
// read with go-git, so no git program is needed, and nothing is ever written.
//
// All that it serves lies below one folder, the root: the repository in it,
// and repositories in its sub-folders. A path that leaves the root, by "..",
// by a symbolic link or by a .git file, is refused (see [root]). Every answer
// is bounded in entries and in bytes, and says in its note what it left out.
//
// With -demo-if-none and a root without a repository, it makes a small one
// with several authors and weeks of history in a temporary folder, serves that
// instead, and says so in its instructions, on stderr and in every result.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const usage = `usage: git [-root FOLDER] [-demo-if-none] [FOLDER]

An MCP server on stdin and stdout for the git repositories in a folder, read only.
Tools: git_log, git_diff, git_show, git_status, git_branches, git_blame.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr, &mcp.StdioTransport{}))
}

// run serves one client and returns the exit code: 0 when the client left or
// the process was asked to end, 1 when serving failed, 2 for bad usage.
func run(ctx context.Context, args []string, stderr io.Writer, transport mcp.Transport) int {
	flags := flag.NewFlagSet("git", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	dir := flags.String("root", ".", "`folder` that holds the repository; nothing outside it is read")
	demo := flags.Bool("demo-if-none", false, "serve a temporary demonstration repository where the root has none")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	switch flags.NArg() {
	case 0:
	case 1:
		*dir = flags.Arg(0)
	default:
		fmt.Fprintf(stderr, "git: at most one folder, got %q\n", flags.Args())
		return 2
	}

	r, err := newRoot(*dir)
	if err != nil {
		fmt.Fprintln(stderr, "git:", err)
		return 1
	}
	if *demo && !r.hasRepository() {
		temp, err := os.MkdirTemp("", "usetools-git-demo-")
		if err != nil {
			fmt.Fprintln(stderr, "git: making a demonstration repository:", err)
			return 1
		}
		defer os.RemoveAll(temp)
		project := filepath.Join(temp, "steep")
		fmt.Fprintf(stderr, "git: %s is no git repository: serving a demonstration repository in %s\n", r.dir, project)
		if err := makeDemo(project, time.Now()); err != nil {
			fmt.Fprintln(stderr, "git: making a demonstration repository:", err)
			return 1
		}
		if r, err = newRoot(project); err != nil {
			fmt.Fprintln(stderr, "git:", err)
			return 1
		}
		r.demo = true
	}

	err = newServer(r).Run(ctx, transport)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "git:", err)
		return 1
	}
	return 0
}
