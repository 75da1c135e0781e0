package main

import "fmt"

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
)
const big = 1 << 100

type W uint8

const (
	R W = 1 << iota
	X
)

func main() { fmt.Print(KB, MB, big>>98, R|X, ^W(0), 'a'+1, 07_7, 1e3) }
