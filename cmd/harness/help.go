package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/harness/help"
)

// guidePrefix distinguishes a guide from a command with the same name.
const guidePrefix = "guide/"

func (e *env) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "print a guide, or the flags and examples of a command",
		ArgsUsage: "[TOPIC]",
		Description: `TOPIC is a command or a guide. Without it, help lists both. If a command and a guide
have the same name, guide/NAME is the guide.

  harness help
  harness help quickstart
  harness help serve
  harness help guide/serve`,
		Action: func(_ context.Context, c *cli.Command) error {
			topic := c.Args().First()
			if topic == "" {
				return cli.ShowRootCommandHelp(c.Root())
			}
			guide := help.Guide(strings.TrimPrefix(topic, guidePrefix))
			if guide == "" {
				return noTopic(c, topic)
			}
			_, err := io.WriteString(e.stdout, guide)
			return err
		},
	}
}

// noTopic returns the error for an unknown topic of help, with the nearest one.
func noTopic(c *cli.Command, topic string) error {
	known := c.Root().VisibleCommands()
	for _, name := range help.Topics {
		known = append(known, &cli.Command{Name: name})
	}
	return usageError{fmt.Sprintf("there is no help on %q%s; harness help lists commands and guides", topic,
		didYouMean(known, strings.TrimPrefix(topic, guidePrefix)))}
}

// didYouMean returns the command with the nearest name as a question, or "" if none is near.
func didYouMean(known []*cli.Command, name string) string {
	near := cli.SuggestCommand(known, name) // which suggests a command for any word
	if near == "" || name == "" || near[0] != name[0] {
		return ""
	}
	return fmt.Sprintf("; did you mean %q", near)
}

// overview is the help of the program: a line for each command and guide.
func overview(root *cli.Command, groups []group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", root.Name, root.Usage)
	for _, g := range groups {
		fmt.Fprintf(&b, "%s\n", g.purpose)
		for _, c := range g.commands {
			fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Usage)
		}
	}
	b.WriteString("guides\n")
	for _, topic := range help.Topics {
		fmt.Fprintf(&b, "  %-18s %s\n", topic, help.Title(topic))
	}
	b.WriteString(`
"harness help NAME" shows a guide, or a command's flags and examples. All commands have the
flags -config FILE, -registry FILE, -json, -q, -no-memory, -no-observe and -no-usage.
`)
	return b.String()
}
