//go:build !unix

package main

// canFreeze says that no process can be stopped here and go on later.
const canFreeze = false

func (c *child) freeze(bool) {}
