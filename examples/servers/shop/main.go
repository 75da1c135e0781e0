// Command shop is an MCP server over the orders of a shop, which it makes up:
// the same 500 in every process. It is there to be measured and tried with: one
// tool gives a long list, the other one order with all that belongs to it, as
// the services of real shops do.
//
//	go run ./examples/servers/shop
//
// It speaks MCP over stdin and stdout, ends when stdin does, and changes nothing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newServer().Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// ListParams are the arguments of list_orders.
type ListParams struct {
	Offset int `json:"offset,omitempty" jsonschema:"Orders to leave out before the first one returned, for paging; default 0"`
	Limit  int `json:"limit,omitempty" jsonschema:"Greatest number of orders to return; 1 to 500; default 100"`
}

// ListResult is what list_orders answers.
type ListResult struct {
	Orders  []Summary `json:"orders" jsonschema:"The orders, oldest first"`
	HasMore bool      `json:"has_more" jsonschema:"Whether further orders follow"`
}

// GetParams are the arguments of get_order.
type GetParams struct {
	ID int `json:"id" jsonschema:"Number of the order"`
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Title: "Orders of a shop", Version: "1.0.0"}, nil)
	orders := made()
	closed := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	mcp.AddTool(s, &mcp.Tool{
		Name: "list_orders", Annotations: reads,
		Description: "List the orders of the shop, oldest first: number, customer, status, total and when it was placed.",
	}, func(_ context.Context, _ *mcp.CallToolRequest, p ListParams) (*mcp.CallToolResult, *ListResult, error) {
		if p.Limit == 0 {
			p.Limit = 100
		}
		if p.Offset < 0 || p.Limit < 1 || p.Limit > len(orders) {
			return nil, nil, fmt.Errorf("list_orders: offset %d, limit %d: want an offset from 0 and a limit from 1 to %d",
				p.Offset, p.Limit, len(orders))
		}
		from := min(p.Offset, len(orders))
		to := min(from+p.Limit, len(orders))
		res := &ListResult{Orders: []Summary{}, HasMore: to < len(orders)}
		for _, o := range orders[from:to] {
			res.Orders = append(res.Orders, o.Summary)
		}
		return nil, res, nil
	})
	mcp.AddTool(s, &mcp.Tool{
		Name: "get_order", Annotations: reads,
		Description: "Get one order of the shop with all that belongs to it: customer, addresses, lines, payments, " +
			"shipments and history.",
	}, func(_ context.Context, _ *mcp.CallToolRequest, p GetParams) (*mcp.CallToolResult, *Order, error) {
		i := p.ID - firstID
		if i < 0 || i >= len(orders) {
			return nil, nil, fmt.Errorf("get_order: there is no order %d; they are numbered %d to %d", p.ID, firstID,
				firstID+len(orders)-1)
		}
		return nil, &orders[i], nil
	})
	return s
}
