package main

import "servers/shop"

// A needle in a long list: the dearest order that nobody has paid yet.
func main() {
	UseTools("list the orders of the shop")

	list, err := shop.ListOrders(shop.ListOrdersParams{Limit: 500})
	if err != nil {
		panic(err)
	}
	open, dearest := 0, shop.Order{}
	for _, o := range list.Orders {
		if o.Status != "open" {
			continue
		}
		open++
		if o.Total > dearest.Total {
			dearest = o
		}
	}
	Return(map[string]any{"open": open, "dearest": dearest.ID, "total": dearest.Total, "customer": dearest.Customer})
}
