package console

import (
	"context"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// Cluster is the state of the processes that run scripts.
type Cluster struct {
	Engine    string // what connects them, in words
	Down      string // why the state is unavailable, or ""
	Queues    []ClusterQueue
	Processes []ClusterProcess
	Lost      int // lost runs of the last day, among those the console read
}

// ClusterQueue is a queue of scripts for runners.
type ClusterQueue struct {
	Name                              string
	Waiting, UnderWay, Places, Oldest int // Oldest is an age in s
}

// ClusterProcess is a live process of the cluster.
type ClusterProcess struct {
	Name, Kind, Version string
	Running, Places     int
	Registry            string // its revision, in words
}

// clusterWait is how long a page waits for the state of the cluster.
const clusterWait = 2 * time.Second

// cluster returns the state of the cluster, or nil without a cluster.
func (c *Console) cluster(ctx context.Context, lastDay []*record.Summary) *Cluster {
	if c.opts.Cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, clusterWait)
	defer cancel()
	k, err := c.opts.Cluster(ctx)
	if err != nil {
		k = &Cluster{Down: err.Error()}
	}
	for _, x := range lastDay {
		if x.Status == record.Lost {
			k.Lost++
		}
	}
	return k
}
