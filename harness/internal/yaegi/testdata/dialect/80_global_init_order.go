package main

import "fmt"

var a = b + 1
var b = f()

func f() int { return 41 }
func init()  { fmt.Print("init ") }
func main()  { fmt.Println(a, b) }
