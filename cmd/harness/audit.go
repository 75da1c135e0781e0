package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness/present"
)

func (e *env) auditCommand() *cli.Command {
	return &cli.Command{
		Name:  "audit",
		Usage: "print the audit of all front ends of a cluster",
		Description: `Each line of JSON is a run or a call. harness serve -cluster -audit FILE writes it to
the file and to the cluster, which keeps it for 30 days.

  harness audit -cluster nats://127.0.0.1:4222 -since 1h`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "print the lines of the last `AGE`, as in 90m or 7d", Value: "24h"},
		}, join.Flags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			age, err := present.Age(c.String("since"))
			if err != nil {
				return usageError{err.Error()}
			}
			cl, err := e.connected(ctx, c, e.serveLog(c))
			if err != nil {
				return err
			}
			if cl == nil {
				return usageError{"audit wants -cluster URL, or " + join.Variable + "; the audit of one server is in its file"}
			}
			out := &counted{to: e.stdout}
			if err = cl.ReadAudit(ctx, time.Now().Add(-age), out); err == nil && !out.some {
				fmt.Fprintln(e.stderr, "the audit of the cluster has no newer line; front ends write to it with harness serve -audit FILE")
			}
			return err
		},
	}
}

// counted writes to another writer and counts the bytes.
type counted struct {
	to   io.Writer
	some bool
}

func (c *counted) Write(b []byte) (int, error) {
	c.some = true
	return c.to.Write(b)
}
