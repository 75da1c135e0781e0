// Command harness runs Go scripts that say in plain words which tools they
// need, and looks into the registry of tools. See `harness help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/harness/help"
	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Exit codes besides those of harness.Status.
const (
	exitUsage    = 64
	exitInternal = 70
	exitNotFound = 2
)

func main() {
	harness.RunWorker()
	if err := harness.Harden(); err != nil { // workers are locked even so
		fmt.Fprintln(os.Stderr, "harness: protecting this process from others:", err)
	}
	lifetime.KeepLogs()
	os.Exit(execute(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// exit ends a command with an exit code and without a message.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// failure ends a command with a message on stderr and an exit code.
type failure struct {
	code    int
	message string
}

func (f failure) Error() string { return f.message }

// notFound returns the error of a command that did not find an item that its arguments name.
func notFound(format string, args ...any) error {
	return failure{exitNotFound, fmt.Sprintf(format, args...)}
}

// usageError reports wrong arguments.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// execute runs the command line and returns the exit code.
func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A closed pipe (harness … | head) ends the command like Ctrl-C: servers
	// and workers end, too.
	ctx, out, stop := lifetime.Until(stdout)
	defer stop()
	stderr = lifetime.Screen(stderr)
	e := &env{stdin: stdin, stdout: out, stderr: stderr}
	root := e.app()
	guide := ""
	if len(args) > 2 && args[1] == "help" && root.Command(args[2]) != nil { // package cli shows the help of "runs" for "help runs settle"
		args = append(append(args[:1:1], args[2:]...), "--help")
		guide = args[1]
	}
	err := root.Run(ctx, e.completing(args))
	if err == nil && help.Guide(guide) != "" {
		fmt.Fprintf(out, "\nGuide: harness help %s%s\n", guidePrefix, guide)
	}
	if lost := out.Err(); lost != nil && (err == nil || err == exit(0)) {
		err = lost
	}
	var code exit
	var failed failure
	var usage usageError
	var catalog *catalog.Error
	var topic cli.ExitCoder // returned for help on an unknown command
	if errors.As(err, &topic) {
		err = usageError{err.Error() + "; harness help lists the commands"}
	}
	if errors.As(err, &usage) || errors.As(err, &catalog) {
		failed = failure{exitUsage, err.Error()}
	} else if !errors.As(err, &failed) && err != nil {
		failed = failure{exitInternal, err.Error()}
	}
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case ctx.Err() != nil && (failed.code == exitInternal || errors.Is(err, context.Canceled)):
		if !out.Closed() { // a closed pipe needs no message
			fmt.Fprintln(stderr, "harness: canceled")
		}
		return outcome.Canceled.ExitCode()
	}
	fmt.Fprintln(stderr, "harness:", registry.PrintableText(failed.message, 16<<10))
	return failed.code
}

func (e *env) app() *cli.Command {
	root := &cli.Command{
		Name:  "harness",
		Usage: "run Go scripts that ask for tools in plain words",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "config",
				Usage: "config `FILE` with MCP servers; may be repeated (default: .usetools/mcp.json, .mcp.json, " +
					".vscode/mcp.json, .cursor/mcp.json or .codex/tools.json in this folder or one above, else usetools/mcp.json in " +
					"your config folder)"},
			&cli.StringFlag{Name: "registry", Usage: "registry `FILE` (default: tool_registry.json beside the first config)"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "no-observe",
				Usage: "neither infer result types nor use inferred ones"},
			&cli.BoolFlag{Name: "no-usage", Usage: "do not record which tools scripts call"},
			&cli.BoolFlag{Name: "no-memory", Usage: "neither use nor store the tools of phrases in earlier runs"},
			&cli.BoolFlag{Name: "q", Usage: "print no progress, warnings or confirmations"},
			&cli.BoolFlag{Name: "version", Usage: "print the version", Local: true},
		},
		DisableSliceFlagSeparator: true,
		Writer:                    e.stdout,
		ErrWriter:                 e.stderr,
		EnableShellCompletion:     true,
		// The command of the package cli; see completionCommand.
		ShellCompletionCommandName: "__completion",
		ShellComplete:              e.complete,
		ExitErrHandler:             func(context.Context, *cli.Command, error) {},
		OnUsageError:               wrongUsage,
		After: func(context.Context, *cli.Command) error {
			e.close()
			return nil
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("version") {
				return e.versionCommand().Action(ctx, c)
			}
			if name := c.Args().First(); name != "" {
				return noCommand(c, name)
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	groups := e.commands()
	for _, g := range groups {
		root.Commands = append(root.Commands, g.commands...)
	}
	root.Command("phrases").Usage = "short for memory phrases"
	root.CustomRootCommandHelpTemplate = overview(root, groups)
	retire(root)
	e.prepare(root.Commands)
	return root
}

// group is a group of commands in the overview.
type group struct {
	purpose  string
	commands []*cli.Command
}

// commands returns all commands, in the order of the overview.
func (e *env) commands() []group {
	return []group{
		{"start", []*cli.Command{e.installCommand(), e.uninstallCommand(), e.addCommand(), e.removeCommand(),
			e.enableCommand(true), e.enableCommand(false), e.doctorCommand()}},
		{"find tools", []*cli.Command{e.toolsCommand(), e.searchCommand(), e.describeCommand(), e.resolveCommand(), e.skillsCommand(),
			e.memoryCommand(), e.phrasesCommand(), e.genCommand()}},
		{"run", []*cli.Command{e.runCommand(), e.checkCommand(), e.callCommand(), e.saveCommand(), e.scriptsCommand(),
			e.guideCommand()}},
		{"history", []*cli.Command{e.runsCommand(), e.replayCommand(), e.resumeCommand()}},
		{"approve", []*cli.Command{e.approvalsCommand()}},
		{"operate", []*cli.Command{e.serveCommand(), e.consoleCommand(), e.runnerCommand(), e.auditCommand(), e.logsCommand(),
			e.benchCommand(), e.completionCommand(), e.versionCommand(), e.helpCommand()}},
	}
}

// retire adds the retired commands, hidden. Each returns an error that names its
// replacement.
func retire(root *cli.Command) {
	for _, name := range config.RetiredNames() {
		words := strings.Fields(name)
		at := root
		for at != nil && len(words) > 2 {
			at, words = at.Command(words[1]), words[1:]
		}
		if at == nil || words[0] != at.Name || len(words) != 2 || strings.HasPrefix(words[1], "-") {
			continue
		}
		at.Commands = append(at.Commands, &cli.Command{Name: words[1], Hidden: true, ArgsUsage: "[…]",
			SkipFlagParsing: true,
			Action:          func(context.Context, *cli.Command) error { return usageError{config.Retired(name).Error()} }})
	}
}

// prepare sets the properties that all commands share.
func (e *env) prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = wrongUsage
		c.ShellComplete = e.complete
		c.DisableSliceFlagSeparator = true
		c.HideHelpCommand = len(c.Commands) == 0 // "h" and "help" are arguments there, such as of search
		run := c.Action
		c.Action = func(ctx context.Context, c *cli.Command) error {
			if err := countArguments(c); err != nil {
				return err
			}
			if run == nil {
				return cli.ShowSubcommandHelp(c)
			}
			return run(ctx, c)
		}
		e.prepare(c.Commands)
	}
}

// countArguments returns an error if a command has fewer or more arguments than its
// ArgsUsage permits. Arguments in brackets are optional, an argument before … may be
// repeated, and -- is not an argument.
func countArguments(c *cli.Command) error {
	least, most := 0, 0
	for _, word := range strings.Fields(c.ArgsUsage) {
		if !strings.HasPrefix(word, "[") && word != "--" {
			least++
		}
		if most++; strings.Contains(word, "…") {
			most = math.MaxInt
			break
		}
	}
	n := c.Args().Len()
	var known []string
	for _, sub := range c.VisibleCommands() {
		if sub.Name != "help" {
			known = append(known, sub.Name)
		}
	}
	switch {
	case n >= least && n <= most:
		return nil
	case most > 0:
		return usageError{fmt.Sprintf("%s wants %s; see %[1]s -help", c.FullName(), c.ArgsUsage)}
	case len(known) > 0:
		return usageError{fmt.Sprintf("there is no command %q; known: %s", c.FullName()+" "+c.Args().First(),
			strings.Join(known, ", "))}
	}
	return usageError{fmt.Sprintf("%s takes no arguments, got %q; see %[1]s -help", c.FullName(), c.Args().First())}
}

func wrongUsage(_ context.Context, c *cli.Command, err error, _ bool) error {
	msg := err.Error()
	if _, flag, is := strings.Cut(msg, "flag provided but not defined: "); is {
		if err := config.Retired(c.FullName() + " " + flag); err != nil {
			return usageError{err.Error()}
		}
	}
	if strings.Contains(msg, "missing unit in duration") {
		msg += "; want a unit, as in 30s or 2m"
	}
	return usageError{msg}
}

// noCommand returns the error for an unknown command, with the nearest one.
func noCommand(c *cli.Command, name string) error {
	return usageError{fmt.Sprintf("there is no command %q%s; see harness help", name, didYouMean(c.Root().Commands, name))}
}
