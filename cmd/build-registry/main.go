// Command build-registry asks the servers of a config for their tools and writes
// tool_registry.json, once or whenever something changes. See
// `build-registry -help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
)

func main() {
	lifetime.KeepLogs()
	os.Exit(execute(os.Args, os.Stdout, os.Stderr))
}

const exitUsage = 64

// errFailed ends the command with exit code 1 after the report was printed.
var errFailed = errors.New("failed")

func execute(args []string, stdout, stderr io.Writer) int {
	ctx, out, stop := lifetime.Until(stdout)
	defer stop()
	stderr = lifetime.Screen(stderr)
	err := command(out, stderr).Run(ctx, args)
	if err == nil {
		err = out.Err()
	}
	var usage usageError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		if !out.Closed() { // a closed pipe needs no message
			fmt.Fprintln(stderr, "build-registry: canceled")
		}
		return outcome.Canceled.ExitCode()
	case errors.Is(err, errFailed):
		return 1
	}
	fmt.Fprintln(stderr, "build-registry:", registry.PrintableText(err.Error(), 16<<10))
	if errors.As(err, &usage) {
		return exitUsage
	}
	return 1
}

// usageError reports wrong arguments or a wrong file.
type usageError struct{ error }

// pointless returns an error for a given flag that would do nothing.
func pointless(c *cli.Command, is bool, why string, names ...string) error {
	for _, name := range names {
		if is && c.IsSet(name) {
			return usageError{fmt.Errorf("-%s does nothing %s", name, why)}
		}
	}
	return nil
}

func command(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "build-registry",
		Usage: "ask the MCP servers of a config for their tools and write tool_registry.json",
		Description: `Exit codes: 0 when at least half of the servers answered (failures are reported);
1 when fewer did, or any failed under -strict; 64 usage. What a rebuild changes is
kept in a history beside the registry, tool_registry.history.jsonl.

  build-registry -config .mcp.json -o tool_registry.json
  build-registry -sample                                  and infer result types
  build-registry -watch
  build-registry -watch -cluster nats://127.0.0.1:4222    for all of a cluster
  build-registry accept git.git_log`,
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "config",
				Usage: "config `FILE`; may be repeated (default: the first of ./.mcp.json, ./.vscode/mcp.json, " +
					"./.cursor/mcp.json, ./.codex/tools.json)"},
			&cli.StringFlag{Name: "o", Aliases: []string{"registry"},
				Usage: "write to `FILE` (default: tool_registry.json beside the first config)"},
			&cli.BoolFlag{Name: "watch", Usage: "stay, and rebuild when the config, a server or its tools change", Local: true},
			&cli.DurationFlag{Name: "poll", Usage: "with -watch, ask all servers anew every `D`; negative: never",
				Value: build.DefaultPoll, Local: true},
			&cli.BoolFlag{Name: "strict", Usage: "fail when any server failed", Local: true},
			&cli.BoolFlag{Name: "sample", Usage: "call each read tool that is idempotent and needs no argument once, to infer its result type", Local: true},
			&cli.BoolFlag{Name: "json", Usage: "print the report as JSON"},
			&cli.BoolFlag{Name: "q", Usage: "print nothing but failures"},
		}, join.Flags()...),
		EnableShellCompletion:     true,
		DisableSliceFlagSeparator: true,
		Writer:                    stdout,
		ErrWriter:                 stderr,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		OnUsageError: func(_ context.Context, _ *cli.Command, err error, _ bool) error {
			return usageError{err}
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageError{fmt.Errorf("unknown argument %q; see build-registry -help", c.Args().First())}
			}
			if err := pointless(c, !c.Bool("watch"), "without -watch: add that, or leave it out", "poll"); err != nil {
				return err
			}
			if err := pointless(c, c.Bool("watch"), "with -watch, which continues when a server fails: leave it out",
				"strict"); err != nil {
				return err
			}
			j, err := newJob(c, stdout, stderr)
			if err != nil {
				return err
			}
			if err := pointless(c, join.URL(c) == "", "without -cluster URL: add that, or leave it out", join.Beside...); err != nil {
				return err
			}
			j.cluster, err = join.Cluster(ctx, c, "", slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil {
				return err
			}
			if j.cluster != nil {
				defer j.cluster.Close()
			}
			switch {
			case c.Bool("watch"):
				return j.watch(ctx, c.Duration("poll"))
			}
			return j.once(ctx, c.Bool("strict"))
		},
		Commands: []*cli.Command{acceptCommand(stdout, stderr), historyCommand(stdout), signInCommand(stdout, stderr)},
	}
}
