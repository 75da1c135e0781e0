// A tool that answers with an image, and a script that hands it on.
//
//	go run ./cmd/harness run -config examples/images/.mcp.json examples/images/main.go
package main

import (
	"fmt"

	"servers/chart"
)

func main() {
	UseTools("draw a bar chart")

	lengths := map[string]int{}
	for n := 1; n <= 1000; n++ { // how many steps until n is 1: half of it, or three times it and one
		steps := 0
		for m := n; m != 1; steps++ {
			if m%2 == 0 {
				m /= 2
			} else {
				m = 3*m + 1
			}
		}
		lengths[fmt.Sprintf("%03d-%03d", steps/20*20, steps/20*20+19)]++
	}
	var bars []chart.Bar
	for from := 0; from < 200; from += 20 {
		label := fmt.Sprintf("%03d-%03d", from, from+19)
		bars = append(bars, chart.Bar{Label: label, Value: float64(lengths[label])})
	}

	c, err := chart.BarChart(chart.BarChartParams{Bars: bars})
	if err != nil {
		panic(err)
	}
	for _, e := range c.Legend {
		fmt.Println(e.Colour, e.Label, "steps:", lengths[e.Label])
	}
	images := c.Images()
	Return(map[string]any{"chart": images[0], "pixels": c.Width * c.Height})
}
