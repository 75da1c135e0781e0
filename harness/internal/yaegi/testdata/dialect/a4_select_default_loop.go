package main

import (
	"context"
	"fmt"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	n := 0
	for {
		select {
		case <-ctx.Done():
			fmt.Println("done", n >= 3)
			return
		case <-t.C:
			if n++; n == 3 {
				cancel()
			}
		}
	}
}
