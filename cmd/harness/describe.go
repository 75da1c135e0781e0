package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

func (e *env) detailFlag(value discovery.Detail) cli.Flag {
	return choice(e, "detail", "`LEVEL` of detail:", value, discovery.Details...)
}

func (e *env) describeCommand() *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Usage:     "show how to call a tool",
		ArgsUsage: "TOOL…",
		Description: `A TOOL is an ID (git.git_log), a Go name (git.Log), or any exact name that a
phrase of UseTools may be. Exit code 2 if one of them was not found; the others
are shown anyway. Coloured on a terminal, unless NO_COLOR is set.

  harness describe git.git_log
  harness describe -detail micro_schema git.Log mcp__git__git_status
  harness -json describe -detail full_schema git_log`,
		Flags:  []cli.Flag{e.detailFlag(discovery.Go)},
		Action: on(e.known, e.describe),
	}
}

func (e *env) describe(_ context.Context, c *cli.Command, known *known) error {
	d := discovery.Detail(c.String("detail"))
	answer, err := known.catalog.Describe(c.Args().Slice(), d)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if err := e.print(answer); err != nil {
			return err
		}
	} else {
		for _, x := range answer.Tools {
			e.showEntry(x, d)
		}
	}
	if len(answer.NotFound) == 0 {
		return nil
	}
	for _, name := range answer.NotFound[1:] {
		e.tell(noTool(known.catalog, name).Error())
	}
	return noTool(known.catalog, answer.NotFound[0])
}

func (e *env) showEntry(x discovery.Entry, d discovery.Detail) {
	if x.Error != "" && (d == discovery.NameOnly || d == discovery.MicroSchema) {
		fmt.Fprintf(e.stderr, "harness: %s: %s\n", x.ID, x.Error)
	}
	switch d {
	case discovery.NameOnly:
		fmt.Fprintln(e.stdout, x.ID)
	case discovery.NameDescription:
		fmt.Fprintf(e.stdout, "%s  %s  %s  %s\n", x.ID, x.Go, x.Class, x.Short)
	case discovery.Go:
		rule := ""
		if x.Rule != "" {
			rule = fmt.Sprintf("// config: %s\n", strings.ReplaceAll(registry.PrintableText(x.Rule, len(x.Rule)), "\n", " "))
		}
		e.showGo(fmt.Sprintf("%s// %s: %s\n%s\n", x.Signature, x.Class, x.ClassWhy, rule))
	case discovery.MicroSchema:
		fmt.Fprintf(e.stdout, "%s %s\n", x.ID, registry.PrintableJSON(x.Micro))
	default:
		e.print(x)
	}
}

// showGo prints declarations of tools, with colours on a terminal.
func (e *env) showGo(text string) {
	if lifetime.Terminal(e.stdout) {
		text = outcome.Paint(text)
	}
	io.WriteString(e.stdout, text)
}
