// Package join defines the flags with which a command joins a cluster; see package cluster.
package join

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/cluster"
)

// Variable is the environment variable with the URL, used if -cluster is not given.
const Variable = "USETOOLS_CLUSTER"

// Beside are the names of the flags that have no effect without -cluster.
var Beside = []string{"cluster-creds", "cluster-ca", "cluster-cert", "cluster-key", "ack-wait", "replicas"}

// connectFor is how long a command tries to connect.
const connectFor = 30 * time.Second

// Flags returns the flags for the cluster's address, the credentials, and the streams and
// buckets to create.
func Flags() []cli.Flag {
	return append(ExistingFlags(), &cli.IntFlag{Name: "replicas", Value: 1,
		Usage: "create streams of -cluster on `N` of its servers",
		Validator: func(n int) error {
			if n < 1 || n > 5 {
				return errors.New("want 1 to 5, and at most the number of servers")
			}
			return nil
		}})
}

// ExistingFlags returns the subset of Flags for a command that creates nothing in the cluster.
func ExistingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "cluster", Usage: "share runs and records through NATS JetStream at `URL`, several with commas " +
			"(or " + Variable + ")"},
		&cli.StringFlag{Name: "cluster-creds", Usage: "`FILE` with an nkey seed or a user's credentials for -cluster"},
		&cli.StringFlag{Name: "cluster-ca", Usage: "`FILE` with the certificate authorities of -cluster"},
		&cli.StringFlag{Name: "cluster-cert", Usage: "`FILE` with the client certificate for -cluster"},
		&cli.StringFlag{Name: "cluster-key", Usage: "`FILE` with the key of -cluster-cert"},
		&cli.DurationFlag{Name: "ack-wait", Usage: "a silent runner is lost after this time; use the same in all programs " +
			"of a cluster, and more than the restart of a NATS server takes", Value: cluster.DefaultAckWait,
			Validator: func(d time.Duration) error {
				if d <= 0 {
					return errors.New("want more than 0, as in 20s")
				}
				return nil
			}},
	}
}

// URL returns the URL of the NATS servers. It returns "" if the command joins no cluster.
func URL(c *cli.Command) string { return cmp.Or(c.String("cluster"), os.Getenv(Variable)) }

// Options returns the cluster's options from the flags.
func Options(c *cli.Command) *cluster.Options {
	return &cluster.Options{URL: URL(c), Creds: c.String("cluster-creds"), CA: c.String("cluster-ca"),
		Cert: c.String("cluster-cert"), Key: c.String("cluster-key"), Replicas: c.Int("replicas"),
		AckWait: c.Duration("ack-wait")}
}

// Cluster joins the cluster that the flags name. It returns nil without an error if they
// name none. version is the version of this build; log receives messages for the operator.
func Cluster(ctx context.Context, c *cli.Command, version string, log *slog.Logger) (*cluster.Cluster, error) {
	if URL(c) == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	o := Options(c)
	o.Version, o.Log = version, log
	return cluster.Connect(ctx, o)
}
