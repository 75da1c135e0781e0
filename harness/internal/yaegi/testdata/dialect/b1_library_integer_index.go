package main

import (
	"fmt"
	"time"
)

type level int

const (
	low level = iota
	high
)

func main() {
	perDay := make([]int, 7)
	day := time.Monday
	perDay[day]++
	perDay[day] += 2
	perDay[time.Friday] = 5
	fmt.Println(perDay, perDay[day], "abcdefg"[day])
	names := [...]string{time.Sunday: "sun", time.Tuesday: "tue"}
	fmt.Printf("%q\n", names)
	var fixed [7]int
	t := time.Date(2024, 1, 3, 0, 0, 0, 0, time.UTC)
	fixed[t.Weekday()]++
	p := &fixed
	p[t.Weekday()] += 8
	fmt.Println(fixed, p[day], fixed[t.Weekday():], perDay[:time.Tuesday])
	months := make([]int, time.December+1)
	months[time.March]++
	for m := time.January; m < time.May; m++ {
		fmt.Print(months[m], " ")
	}
	fmt.Println()
	byLevel := []string{low: "l", high: "h"}
	l := high
	fmt.Println(byLevel[l], byLevel[low])
	count := map[time.Weekday]int{}
	count[t.Weekday()]++
	fmt.Println(count)
	defer func() { fmt.Println(recover()) }()
	fmt.Println(perDay[day+20])
}
