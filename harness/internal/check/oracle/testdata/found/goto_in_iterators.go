package main

import "fmt"

func seq(n int) func(func(int) bool) {
	return func(y func(int) bool) {
		defer fmt.Println("end", n)
		for i := range n {
			if !y(i) {
				return
			}
		}
	}
}

func f(n int) (r int) {
	tries := 0
again:
	tries++
	for x := range seq(3) {
		for y := range seq(2) {
			if x == n && tries < 3 {
				fmt.Println("again", x, y)
				goto again
			}
			if x == 2 && y == 1 {
				goto done
			}
			if y == 0 {
				goto inner
			}
			fmt.Println("skipped?", x, y)
		inner:
			r += 10*x + y
		}
		if r > 1000 {
			goto fail
		}
		k := 0
	loop:
		if k < 2 {
			k++
			goto loop
		}
		fmt.Println("k", k)
	}
	return -r
done:
	return r * 100
fail:
	return 0
}

func g() {
	for x := range seq(4) {
		for y := range seq(4) {
			for _, z := range []int{1, 2} {
				switch {
				case z == 2 && y == 1:
					goto next
				case x == 3:
					goto out
				}
				defer fmt.Println("deferred", x, y, z)
			}
		}
	next:
		fmt.Println("next", x)
	}
out:
	fmt.Println("out")
}

func main() {
	fmt.Println(f(1), f(5))
	g()
}
