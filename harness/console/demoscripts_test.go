package console_test

// The scripts of the demo world.
const (
	lateScript = `UseTools("list the shop's orders by status", "get one order with all that belongs to it",
	"where is a parcel now", "open a ticket", "post a message to a channel")

days := 4
_ = Input("days", &days)

paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "paid", Limit: 200})
if err != nil {
	panic(err)
}
fmt.Println(len(paid.Orders), "paid orders")

var wg sync.WaitGroup
var mu sync.Mutex
var late []shop.GetOrderResult
slots := make(chan struct{}, 5)
for _, o := range paid.Orders[:14] {
	if placed, _ := time.Parse(time.RFC3339, o.Placed); time.Since(placed) < time.Duration(days)*24*time.Hour {
		continue
	}
	wg.Go(func() {
		slots <- struct{}{}
		defer func() { <-slots }()
		order, err := shop.GetOrder(shop.GetOrderParams{ID: o.ID})
		if err != nil {
			fmt.Println("left out:", err)
			return
		}
		parcel, err := warehouse.TrackParcel(warehouse.TrackParcelParams{Order: o.ID})
		if err == nil && parcel.LeftAt != "" {
			return // on its way
		}
		mu.Lock()
		defer mu.Unlock()
		late = append(late, order)
	})
}
wg.Wait()
fmt.Println(len(late), "have not left after", days, "days")

for _, o := range late {
	t, err := tickets.CreateTicket(tickets.CreateTicketParams{
		Queue: "warehouse",
		Title: fmt.Sprintf("Order %d waits since %s", o.ID, o.Placed[:10]),
		Body:  fmt.Sprintf("%s, %s: %.2f %s", o.Customer, o.Country, o.Total, o.Currency),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Key, "for", o.Customer)
}
if len(late) > 0 {
	_, err := chat.PostMessage(chat.PostMessageParams{Channel: "#warehouse",
		Text: fmt.Sprintf("%d orders have not left, tickets are open", len(late))})
	if err != nil {
		fmt.Println("nobody was told:", err)
	}
}
Return(map[string]any{"paid": len(paid.Orders), "late": len(late)})
`

	stockScript = `UseTools("list the articles of the shop", "how many pieces of an article are in stock")

type page struct {
	number   int
	articles []string
}
pages := make(chan page, 8)
var wg sync.WaitGroup
var mu sync.Mutex
var empty []string
for range 8 {
	wg.Go(func() {
		for p := range pages {
			for _, a := range p.articles {
				s, err := warehouse.StockLevel(warehouse.StockLevelParams{Article: a})
				if err != nil {
					panic(err)
				}
				if s.Free == 0 {
					mu.Lock()
					empty = append(empty, a)
					mu.Unlock()
				}
			}
		}
	})
}
for n := range 8 {
	list, err := shop.ListArticles(shop.ListArticlesParams{Page: n})
	if err != nil {
		panic(err)
	}
	pages <- page{n, list.Articles}
	fmt.Println("page", n+1, "of 8:", len(list.Articles), "articles")
}
close(pages)
wg.Wait()
Return(map[string]any{"empty": len(empty)})
`

	runningScript = `UseTools("list the articles of the shop", "how many pieces of an article are in stock",
	"have people count the pieces of an article again")
list, err := shop.ListArticles(shop.ListArticlesParams{Page: 0})
if err != nil {
	panic(err)
}
for _, a := range list.Articles[:9] {
	s, err := warehouse.StockLevel(warehouse.StockLevelParams{Article: a})
	if err != nil {
		panic(err)
	}
	fmt.Println(a, s.Free)
}
var wg sync.WaitGroup
for _, a := range list.Articles[:3] {
	wg.Go(func() { _, _ = warehouse.CountAgain(warehouse.CountAgainParams{Article: a}) })
}
wg.Wait()
`

	refundScript = `// Refund what customers are owed for lost parcels.
UseTools("list the shop's orders by status", "get one order with all that belongs to it",
	"where is a parcel now", "refund the payment of an order", "send an e-mail")

paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "sent"})
if err != nil {
	panic(err)
}
var owed []shop.GetOrderResult
for _, o := range paid.Orders[:13] {
	order, err := shop.GetOrder(shop.GetOrderParams{ID: o.ID})
	if err != nil {
		fmt.Println("left out:", err)
		continue
	}
	if _, err := warehouse.TrackParcel(warehouse.TrackParcelParams{Order: o.ID}); err == nil {
		owed = append(owed, order)
	}
}
fmt.Println(len(owed), "are owed money")

letter := func(o shop.GetOrderResult) string {
	return fmt.Sprintf("Dear %s,\n\nthe parcel of your order %d was lost on its way. We have refunded %.2f EUR today; "+
		"it takes two to five days until your bank shows it.\n\nThe shop", o.Customer, o.ID, o.Total)
}
var wg sync.WaitGroup
for i, o := range owed {
	wg.Go(func() {
		_, err := mail.SendMail(mail.SendMailParams{
			To:      o.Email,
			Subject: fmt.Sprintf("Your order %d", o.ID),
			Body:    letter(o),
		})
		fmt.Println(o.ID, err)
	})
	if i%3 == 0 {
		wg.Go(func() {
			_, err := shop.RefundPayment(shop.RefundPaymentParams{Order: o.ID, Amount: o.Total, Reason: "lost"})
			fmt.Println(o.ID, err)
		})
	}
}
wg.Wait()
`

	bookScript = `UseTools("book an entry in the ledger", "list the shop's orders by status")
back, err := shop.ListOrders(shop.ListOrdersParams{Status: "returned", Limit: 3})
if err != nil {
	panic(err)
}
for _, o := range back.Orders[:2] {
	_, err := ledger.BookEntry(ledger.BookEntryParams{Account: "4400", Amount: -o.Total,
		Reference: fmt.Sprintf("R-%d", o.ID)})
	if err != nil {
		panic(err)
	}
}
`

	priceScript = `UseTools("get the price of an article from the price list")
var wg sync.WaitGroup
for i := range 4 {
	wg.Go(func() { _, _ = ledger.GetPrice(ledger.GetPriceParams{Article: fmt.Sprintf("A-%04d", i)}) })
}
wg.Wait()
`

	panicScript = `UseTools("get an entry of the ledger", "list the shop's orders by status")
paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "paid"})
if err != nil {
	panic(err)
}
fmt.Println(len(paid.Orders), "invoices")
e, err := ledger.GetEntry(ledger.GetEntryParams{Account: "88-1042"})
if err != nil {
	panic(err)
}
Return(e.Amount)
`

	logScript = `UseTools("show the commit history of a git repository")
log, err := git.Log(git.LogParams{MaxCount: 3})
if err != nil {
	panic(err)
}
for _, c := range log.Commits {
	fmt.Println(c.Hash, c.Author+":", c.Subject)
}
Return(len(log.Commits))
`

	pushScript = `UseTools("push the commits of a branch")
_, err := git.Push(git.PushParams{Branch: "main"})
Return(fmt.Sprint(err))
`
)
