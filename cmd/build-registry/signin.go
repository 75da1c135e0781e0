package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

func signInCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:        "signin",
		Usage:       "sign in to a server that wants OAuth",
		ArgsUsage:   "SERVER",
		Description: `Prints a URL to open in a browser on this machine, and waits. The token is kept in the user's config folder, readable by its owner only.`,
		Flags:       []cli.Flag{&cli.DurationFlag{Name: "wait", Usage: "give up after `D`", Value: 5 * time.Minute}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return usageError{fmt.Errorf("signin wants one SERVER")}
			}
			paths := c.StringSlice("config")
			if len(paths) == 0 {
				paths = config.Search(".").Files
			}
			cfg, err := config.Load(paths...)
			if err != nil {
				return err
			}
			s, ok := cfg.Server(c.Args().First())
			switch {
			case !ok:
				return usageError{fmt.Errorf("server %q is not in the config", c.Args().First())}
			case s.Err != nil:
				return s.Err
			}
			ctx, cancel := context.WithTimeout(ctx, c.Duration("wait"))
			defer cancel()
			err = mcp.SignIn(ctx, s, nil, func(page string) {
				host := ""
				if u, err := url.Parse(page); err == nil {
					host = u.Host
				}
				fmt.Fprintf(stderr, "open this in a browser on this machine, to sign in at %s:\n\n  %s\n\n", host, page)
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "signed in to %s\n", s.Name)
			return nil
		},
	}
}
