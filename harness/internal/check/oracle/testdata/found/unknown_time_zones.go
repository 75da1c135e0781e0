package main

import (
	"fmt"
	"time"
)

func main() {
	load := time.LoadLocation
	for _, name := range []string{"", "UTC", "Europe/Oslo", "Mars/Base", "../x", "/etc/passwd", "europe/oslo x"} {
		l, err := time.LoadLocation(name)
		m, again := load(name)
		fmt.Println(l, err, m, again)
	}
}
