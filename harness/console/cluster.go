package console

import (
	"context"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// Cluster is how the processes are that run the scripts.
type Cluster struct {
	Engine    string // what joins them, in words
	Down      string // why it says no more; "": it does
	Queues    []ClusterQueue
	Processes []ClusterProcess
	Lost      int // runs of the last day that ended as lost, as far as the console has read
}

// ClusterQueue is what waits for runners.
type ClusterQueue struct {
	Name                              string
	Waiting, UnderWay, Places, Oldest int // Oldest in s
}

// ClusterProcess is a process of the cluster that is alive.
type ClusterProcess struct {
	Name, Kind, Version string
	Running, Places     int
	Registry            string // its revision, in words
}

// clusterWait is how long a page waits for what the cluster says.
const clusterWait = 2 * time.Second

// cluster asks how the cluster is; nil: there is none.
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
