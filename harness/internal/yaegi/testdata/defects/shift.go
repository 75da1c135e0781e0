package main

import "fmt"

func main() { var x int32 = -8; n := 40; var u uint8 = 200; fmt.Print(x>>n, u<<1, u<<n, 1<<(n-38)) }
