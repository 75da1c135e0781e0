package main

import "fmt"

type Node struct {
	V    int
	Kids []*Node
	P    *Node
}

func (n *Node) Sum() int {
	s := n.V
	for _, k := range n.Kids {
		s += k.Sum()
	}
	return s
}
func main() { n := &Node{V: 1}; n.Kids = append(n.Kids, &Node{V: 2, P: n}); fmt.Println(n.Sum()) }
