package main

import (
	"sync"

	"servers/shop"
)

// Twenty calls side by side, of whose large answers three fields are kept.
func main() {
	UseTools("get one order of the shop with all that belongs to it")

	type row struct {
		ID     int     `json:"id"`
		Status string  `json:"status"`
		Total  float64 `json:"total"`
	}
	rows := make([]row, 20)
	errs := make([]error, len(rows))
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			o, err := shop.GetOrder(shop.GetOrderParams{ID: 10101 + i})
			rows[i], errs[i] = row{o.ID, o.Status, o.Total}, err
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
	Return(rows)
}
