package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/serve/remote"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// connect runs a script on the server of -connect.
func (e *env) connect(ctx context.Context, c *cli.Command) error {
	if err := config.Retired("harness run -connect " + c.String("connect")); err != nil {
		return usageError{err.Error()}
	}
	if err := pointless(c, true, "with -connect: the server has its own",
		"memory", "strict", "allow", "deny", "read-only", "approve", "approved", "sandbox", "no-memory", "no-observe", "no-usage", "record", "state",
		"no-rejoin"); err != nil {
		return err
	}
	source, err := e.script(c)
	if err != nil {
		return err
	}
	show, err := e.shower(c)
	if err != nil {
		return err
	}
	in, err := inputs(c.StringSlice("input"))
	if err != nil {
		return err
	}
	server := &remote.Server{URL: c.String("connect"), Token: os.Getenv(clients.TokenVariable), DryRun: c.Bool("dry-run")}
	if e.typed() {
		server.Ask = func(question string) bool {
			return e.agreed(ctx, registry.PrintableText(question, 16<<10)+"\nallow it?")
		}
	}
	res, err := server.Run(ctx, source, in, c.Duration("timeout"))
	var refused *remote.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return failure{exitInternal, refused.Message}
	case err != nil:
		return err
	case !c.Bool("json"):
		io.WriteString(e.stdout, res.Stdout)
		io.WriteString(e.stderr, res.Stderr+res.LedgerText())
	}
	return e.showResult(c, res, show)
}
