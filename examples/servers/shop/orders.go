package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// firstID is the number of the oldest of the orders; number is how many there
// are.
const (
	firstID = 10001
	number  = 500
)

// Summary is an order as lists show it.
type Summary struct {
	ID       int     `json:"id" jsonschema:"Number of the order"`
	Customer string  `json:"customer" jsonschema:"Name of the customer"`
	Country  string  `json:"country" jsonschema:"Country that it goes to, ISO 3166"`
	Status   string  `json:"status" jsonschema:"open, paid, shipped, delivered or returned"`
	Total    float64 `json:"total" jsonschema:"What it costs, in currency"`
	Currency string  `json:"currency" jsonschema:"ISO 4217"`
	Placed   string  `json:"placed" jsonschema:"When it was placed, RFC 3339"`
}

// Order is an order with all that belongs to it.
type Order struct {
	Summary
	Email     string    `json:"email" jsonschema:"The customer's address for mail"`
	Phone     string    `json:"phone" jsonschema:"The customer's telephone"`
	Billing   Address   `json:"billing" jsonschema:"Where the bill goes"`
	Shipping  Address   `json:"shipping" jsonschema:"Where the goods go"`
	Lines     []Line    `json:"lines" jsonschema:"What was ordered"`
	Payments  []Payment `json:"payments" jsonschema:"What was paid"`
	Shipments []Parcel  `json:"shipments" jsonschema:"What was sent"`
	History   []Event   `json:"history" jsonschema:"What happened to it, oldest first"`
}

// Address is a postal address.
type Address struct {
	Name     string `json:"name" jsonschema:"Who lives there"`
	Street   string `json:"street" jsonschema:"Street and number"`
	City     string `json:"city" jsonschema:"Town"`
	Postcode string `json:"postcode" jsonschema:"Postcode"`
	Country  string `json:"country" jsonschema:"ISO 3166"`
}

// Line is one kind of goods in an order.
type Line struct {
	SKU       string  `json:"sku" jsonschema:"Stock keeping unit"`
	Name      string  `json:"name" jsonschema:"Name of the goods"`
	Quantity  int     `json:"quantity" jsonschema:"How many"`
	UnitPrice float64 `json:"unit_price" jsonschema:"Price of one"`
	Tax       float64 `json:"tax" jsonschema:"Tax in the line"`
}

// Payment is one payment.
type Payment struct {
	Method    string  `json:"method" jsonschema:"card, transfer or voucher"`
	Amount    float64 `json:"amount" jsonschema:"How much"`
	Reference string  `json:"reference" jsonschema:"The bank's reference"`
	At        string  `json:"at" jsonschema:"When, RFC 3339"`
}

// Parcel is one shipment.
type Parcel struct {
	Carrier  string `json:"carrier" jsonschema:"Who carries it"`
	Tracking string `json:"tracking" jsonschema:"Number to follow it by"`
	At       string `json:"at" jsonschema:"When it left, RFC 3339"`
}

// Event is one step in an order's life.
type Event struct {
	At   string `json:"at" jsonschema:"When, RFC 3339"`
	What string `json:"what" jsonschema:"What happened"`
}

var (
	people = []string{"Ada Moreau", "Bela Kovacs", "Chidi Obi", "Dana Weiss", "Emre Aydin", "Fumi Sato", "Greta Holm",
		"Hugo Lima", "Ines Duarte", "Jonas Berg"}
	streets = []string{"Mill Lane", "Station Road", "High Street", "Harbour Way", "Church Hill"}
	places  = []struct{ city, country string }{{"Lyon", "FR"}, {"Graz", "AT"}, {"Porto", "PT"}, {"Malmö", "SE"},
		{"Leeds", "GB"}, {"Ghent", "BE"}}
	goods = []string{"Teapot, cast iron", "Kettle, 1.2 l", "Cup, porcelain", "Tea strainer", "Sencha, 100 g",
		"Assam, 250 g", "Tray, bamboo", "Timer"}
	statuses  = []string{"open", "paid", "shipped", "delivered", "delivered", "delivered", "returned"}
	methods   = []string{"card", "transfer", "voucher"}
	carriers  = []string{"Post", "Parcel24", "NordCargo"}
	firstTime = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
)

// made makes the orders up, always the same.
func made() []Order {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	orders := make([]Order, number)
	for i := range orders {
		at := firstTime.Add(time.Duration(i)*5*time.Hour + time.Duration(r.IntN(240))*time.Minute)
		stamp := func(hours int) string { return at.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339) }
		o := &orders[i]
		name, place, status := pick(people), places[r.IntN(len(places))], pick(statuses)
		o.Summary = Summary{ID: firstID + i, Customer: name, Country: place.country, Status: status, Currency: "EUR",
			Placed: stamp(0)}
		o.Email = fmt.Sprintf("customer%d@example.org", r.IntN(200))
		o.Phone = fmt.Sprintf("+00 555 %06d", r.IntN(1e6))
		o.Billing = Address{name, fmt.Sprintf("%d %s", 1+r.IntN(120), pick(streets)), place.city,
			fmt.Sprintf("%05d", r.IntN(1e5)), place.country}
		o.Shipping = o.Billing
		cents := 0
		for range 2 + r.IntN(4) {
			price, n := 300+r.IntN(9000), 1+r.IntN(3)
			cents += price * n
			o.Lines = append(o.Lines, Line{fmt.Sprintf("TEA-%04d", r.IntN(1e4)), pick(goods), n, euros(price),
				euros(price * n / 6)})
		}
		o.Total = euros(cents)
		o.Payments, o.Shipments = []Payment{}, []Parcel{}
		o.History = []Event{{stamp(0), "placed in the web shop"}, {stamp(0), "confirmation sent by mail"}}
		if status == "open" {
			continue
		}
		o.Payments = append(o.Payments, Payment{pick(methods), o.Total, fmt.Sprintf("RF%016d", r.Int64N(1e16)), stamp(2)})
		o.History = append(o.History, Event{stamp(2), "payment received"})
		if status == "paid" {
			continue
		}
		o.Shipments = append(o.Shipments, Parcel{pick(carriers), fmt.Sprintf("%012d", r.Int64N(1e12)), stamp(26)})
		o.History = append(o.History, Event{stamp(26), "handed to the carrier"})
		if status != "shipped" {
			o.History = append(o.History, Event{stamp(74), "delivered"})
		}
		if status == "returned" {
			o.History = append(o.History, Event{stamp(200), "sent back by the customer"})
		}
	}
	return orders
}

func euros(cents int) float64 { return float64(cents) / 100 }
