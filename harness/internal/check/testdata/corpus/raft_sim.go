package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

type NodeID int
type Term uint64
type Role uint8

const (
	Follower Role = iota
	Candidate
	Leader
)

func (r Role) String() string   { return [...]string{"F", "C", "L"}[r] }
func (n NodeID) String() string { return fmt.Sprintf("n%d", int(n)) }

type Entry struct {
	Term Term
	Cmd  string
}
type Message interface{ isMessage() }
type header struct {
	From, To NodeID
	Term     Term
}
type (
	VoteReq struct {
		header
		LastIndex int
	}
	VoteResp struct {
		header
		Granted bool
	}
	Append struct {
		header
		Entries []Entry
		Commit  int
	}
	AppendResp struct {
		header
		Match int
		OK    bool
	}
)

func (header) isMessage() {}

type Node struct {
	id      NodeID
	role    Role
	term    Term
	voted   *NodeID
	votes   map[NodeID]bool
	log     []Entry
	commit  int
	match   map[NodeID]int
	timeout int
	cluster *Cluster
}

type Cluster struct {
	nodes []*Node
	queue []Message
	rng   *rand.Rand
	drop  func(Message) bool
	stats map[string]int
}

func NewCluster(n int, seed int64) *Cluster {
	c := &Cluster{rng: rand.New(rand.NewSource(seed)), stats: map[string]int{}, drop: func(Message) bool { return false }}
	for i := range n {
		c.nodes = append(c.nodes, &Node{id: NodeID(i), cluster: c, timeout: 5 + c.rng.Intn(10)})
	}
	return c
}

func (c *Cluster) send(m Message) {
	c.stats[strings.TrimPrefix(fmt.Sprintf("%T", m), "main.")]++
	if !c.drop(m) {
		c.queue = append(c.queue, m)
	}
}

func (n *Node) others(f func(*Node)) {
	for _, o := range n.cluster.nodes {
		if o != n {
			f(o)
		}
	}
}

func (n *Node) become(r Role, t Term) {
	if t > n.term {
		n.term, n.voted = t, nil
	}
	n.role = r
	n.timeout = 8 + n.cluster.rng.Intn(8)
}

func (n *Node) tick() {
	n.timeout--
	switch n.role {
	case Leader:
		n.others(func(o *Node) {
			from := n.match[o.id]
			n.cluster.send(Append{header{n.id, o.id, n.term}, slices.Clone(n.log[from:]), n.commit})
		})
	case Follower, Candidate:
		if n.timeout > 0 {
			return
		}
		n.become(Candidate, n.term+1)
		id := n.id
		n.voted, n.votes = &id, map[NodeID]bool{n.id: true}
		n.others(func(o *Node) { n.cluster.send(VoteReq{header{n.id, o.id, n.term}, len(n.log)}) })
	}
}

func (n *Node) handle(m Message) {
	switch m := m.(type) {
	case VoteReq:
		if m.Term > n.term {
			n.become(Follower, m.Term)
		}
		ok := m.Term == n.term && (n.voted == nil || *n.voted == m.From) && m.LastIndex >= len(n.log)
		if ok {
			n.voted = &m.From
		}
		n.cluster.send(VoteResp{header{n.id, m.From, n.term}, ok})
	case VoteResp:
		if n.role != Candidate || m.Term != n.term || !m.Granted {
			return
		}
		n.votes[m.From] = true
		if len(n.votes) > len(n.cluster.nodes)/2 {
			n.become(Leader, n.term)
			n.match = map[NodeID]int{}
		}
	case Append:
		if m.Term < n.term {
			return
		}
		n.become(Follower, m.Term)
		have := len(n.log)
		for _, e := range m.Entries {
			if !slices.Contains(n.log, e) {
				n.log = append(n.log, e)
			}
		}
		n.commit = min(m.Commit, len(n.log))
		n.cluster.send(AppendResp{header: header{n.id, m.From, n.term}, Match: len(n.log), OK: len(n.log) >= have})
	case AppendResp:
		if n.role != Leader {
			return
		}
		n.match[m.From] = max(n.match[m.From], m.Match)
		all := []int{len(n.log)}
		n.others(func(o *Node) { all = append(all, n.match[o.id]) })
		slices.SortFunc(all, func(a, b int) int { return cmp.Compare(b, a) })
		n.commit = all[len(all)/2]
	default:
		panic(fmt.Sprintf("unknown %T", m))
	}
}

func dest(m Message) NodeID {
	switch m := m.(type) {
	case VoteReq:
		return m.To
	case VoteResp:
		return m.To
	case Append:
		return m.To
	case AppendResp:
		return m.header.To
	}
	return -1
}

var ErrNoLeader = errors.New("no leader")

func (c *Cluster) Leader() (*Node, error) {
	i := slices.IndexFunc(c.nodes, func(n *Node) bool { return n.role == Leader })
	if i < 0 {
		return nil, fmt.Errorf("cluster of %d: %w", len(c.nodes), ErrNoLeader)
	}
	return c.nodes[i], nil
}

func (c *Cluster) Run(ticks int) {
	for range ticks {
		for _, n := range c.nodes {
			n.tick()
		}
		q := c.queue
		c.queue = nil
		for _, m := range q {
			c.nodes[dest(m)].handle(m)
		}
	}
}

func main() {
	c := NewCluster(5, 7)
	_, err := c.Leader()
	fmt.Println(err, errors.Is(err, ErrNoLeader))
	c.Run(30)
	l, err := c.Leader()
	if err != nil {
		fmt.Println("still", err)
		return
	}
	fmt.Println("leader", l.id, l.role, l.term)
	for i, cmd := range strings.Fields("set:a set:b del:a") {
		l.log = append(l.log, Entry{l.term, fmt.Sprint(i, cmd)})
	}
	c.Run(5)
	for _, n := range c.nodes {
		fmt.Print(n.id, n.role, " ", n.log, n.commit, "; ")
	}
	fmt.Println()
	bad := l.id
	c.drop = func(m Message) bool {
		a, ok := m.(Append)
		return ok && a.From == bad
	}
	c.Run(60)
	l2, err := c.Leader()
	fmt.Println(l2 != nil && err == nil, l2.term >= l.term, len(c.stats) == 4, c.stats["VoteReq"] > 0)
	fmt.Printf("%v %+v\n", Append{header{1, 2, 3}, []Entry{{1, "x"}}, 0}, VoteResp{Granted: true})
}
