// Package join has the flags by which a command joins a cluster, see package cluster.
package join

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/cluster"
)

// Variable is the variable of the environment that may have the URL.
const Variable = "USETOOLS_CLUSTER"

// Flags are those by which a command joins a cluster.
func Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "cluster", Usage: "join the cluster at `URL`, NATS servers with JetStream: nats://a,nats://b,nats://c",
			Sources: cli.EnvVars(Variable)},
		&cli.StringFlag{Name: "cluster-creds", Usage: "`FILE` with the nkey seed or the credentials that the cluster knows"},
		&cli.StringFlag{Name: "cluster-ca", Usage: "`FILE` with the authorities that the servers' certificates are checked against"},
		&cli.StringFlag{Name: "cluster-cert", Usage: "`FILE` with the certificate that the servers are shown"},
		&cli.StringFlag{Name: "cluster-key", Usage: "`FILE` with its key"},
		&cli.IntFlag{Name: "replicas", Usage: "what is made in the cluster lies on `N` of its servers", Value: 1,
			Validator: func(n int) error {
				if n < 1 || n > 5 {
					return errors.New("want 1 to 5, and no more than there are servers")
				}
				return nil
			}},
	}
}

// Cluster joins the cluster that the flags name; nil: they name none. log is told what
// the operator should know.
func Cluster(ctx context.Context, c *cli.Command, log *slog.Logger) (*cluster.Cluster, error) {
	if c.String("cluster") == "" {
		for _, name := range []string{"cluster-creds", "cluster-ca", "cluster-cert", "cluster-key", "replicas"} {
			if c.IsSet(name) {
				return nil, fmt.Errorf("-%s does nothing without -cluster URL: add that, or leave it out", name)
			}
		}
		return nil, nil
	}
	return cluster.Connect(ctx, &cluster.Options{URL: c.String("cluster"), Creds: c.String("cluster-creds"), CA: c.String("cluster-ca"),
		Cert: c.String("cluster-cert"), Key: c.String("cluster-key"), Replicas: c.Int("replicas"), Log: log})
}
