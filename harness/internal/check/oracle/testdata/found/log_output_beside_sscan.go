package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	log.Println("log")
	var n int
	fmt.Sscan("3", &n)
	fmt.Println(n)
}
