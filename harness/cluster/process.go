package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
)

// Process is a living process of the cluster.
type Process struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Version is the version of its build.
	Version string `json:"version,omitempty"`
	// Front reports whether the process accepts scripts. Runner is nil if it runs none.
	Front  bool    `json:"front,omitempty"`
	Runner *Runner `json:"runner,omitempty"`
	// Revision is the revision of the registry that it follows. If empty, it follows none.
	Revision string `json:"revision,omitempty"`
	// Seen is the time of its last sign of life.
	Seen time.Time `json:"seen,omitzero"`
}

// Runner is the pool of a runner, and its load.
type Runner struct {
	Pool    string `json:"pool"`
	Running int    `json:"running"`
	Max     int    `json:"max"`
}

// Kind describes the roles of a process in a few words.
func (p *Process) Kind() string {
	var all []string
	if p.Front {
		all = append(all, "front end")
	}
	if p.Runner != nil {
		all = append(all, "runner")
	}
	return cmp.Or(strings.Join(all, ", "), "other")
}

// self collects this process's entry in the list of processes.
type self struct {
	mu    sync.Mutex
	roles []*func(*Process)
}

func (s *self) entry(c *Cluster) *Process {
	p := &Process{ID: c.id, Name: c.o.Name, Version: c.o.Version, Revision: c.Revision()}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, say := range s.roles {
		(*say)(p)
	}
	return p
}

// announce adds a role to this process's entry until leave is called. It writes the entry at once;
// each sign of life repeats it.
func (c *Cluster) announce(say func(*Process)) (leave func(), err error) {
	c.self.mu.Lock()
	c.self.roles = append(c.self.roles, &say)
	c.self.mu.Unlock()
	leave = func() {
		c.self.mu.Lock()
		defer c.self.mu.Unlock()
		c.self.roles = slices.DeleteFunc(c.self.roles, func(other *func(*Process)) bool { return other == &say })
	}
	if err = c.backing.live(); err == nil {
		ctx, cancel := c.bounded()
		defer cancel()
		err = c.renewAlive(ctx)
	}
	if err != nil {
		leave()
	}
	return leave, err
}

// maxProcesses bounds the processes of a Status, and maxProcess an entry, in bytes.
const (
	// maxProcesses bounds the processes of a Status. maxProcess bounds an entry, in bytes.
	maxProcesses = 1000
	maxProcess   = 16 << 10
)

// processes returns the living processes, by name.
func (c *Cluster) processes(ctx context.Context) ([]*Process, error) {
	keys, err := c.all(ctx, aliveKeys+"*")
	if err != nil {
		return nil, err
	}
	var all []*Process
	for _, e := range keys[:min(len(keys), maxProcesses)] {
		p := &Process{}
		if len(e.Value()) > maxProcess || json.Unmarshal(e.Value(), p) != nil {
			p = &Process{Name: "a process of another version"}
		}
		p.ID, p.Seen = untoken(strings.TrimPrefix(e.Key(), aliveKeys)), e.Created()
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Process) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return all, nil
}
