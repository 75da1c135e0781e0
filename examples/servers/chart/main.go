// Command chart is an MCP server with one tool, which draws: its answer is a PNG
// image, beside a typed result that tells what is in it.
//
//	go run ./examples/servers/chart
//
// It speaks MCP over stdin and stdout and ends when stdin does.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxBars = 50
	width   = 480 // pixels
	height  = 240
	gap     = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newServer().Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func newServer() *mcp.Server {
	no := false
	s := mcp.NewServer(&mcp.Implementation{Name: "chart", Title: "Bar charts", Version: "1.0.0"}, &mcp.ServerOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	mcp.AddTool(s, &mcp.Tool{
		Name: "bar_chart", Description: "Draw a bar chart as a PNG image",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}, barChart)
	return s
}

// Params are the arguments of bar_chart.
type Params struct {
	Bars []Bar `json:"bars" jsonschema:"The bars from left to right, 1 to 50"`
}

// Bar is a bar of a chart.
type Bar struct {
	Label string  `json:"label" jsonschema:"What the bar stands for; it is told in the legend, not drawn"`
	Value float64 `json:"value" jsonschema:"How high the bar is, 0 or more; the highest fills the chart"`
}

// Result is what bar_chart answers beside the image.
type Result struct {
	Width  int     `json:"width" jsonschema:"Width of the image in pixels"`
	Height int     `json:"height" jsonschema:"Height of the image in pixels"`
	Legend []Entry `json:"legend" jsonschema:"What the colours mean, from left to right"`
}

// Entry tells the colour of a bar.
type Entry struct {
	Label  string `json:"label"`
	Colour string `json:"colour" jsonschema:"As #rrggbb"`
}

var colours = []color.RGBA{{0x1f, 0x77, 0xb4, 0xff}, {0xff, 0x7f, 0x0e, 0xff}, {0x2c, 0xa0, 0x2c, 0xff},
	{0xd6, 0x27, 0x28, 0xff}, {0x94, 0x67, 0xbd, 0xff}}

func barChart(_ context.Context, _ *mcp.CallToolRequest, p Params) (*mcp.CallToolResult, Result, error) {
	out := Result{Width: width, Height: height, Legend: []Entry{}}
	if n := len(p.Bars); n == 0 || n > maxBars {
		return nil, out, fmt.Errorf("%d bars: want 1 to %d", n, maxBars)
	}
	highest := 0.0
	for _, b := range p.Bars {
		if b.Value < 0 {
			return nil, out, fmt.Errorf("the bar %.40q is %v high: want 0 or more", b.Label, b.Value)
		}
		highest = max(highest, b.Value)
	}
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
	for i, b := range p.Bars {
		c := colours[i%len(colours)]
		out.Legend = append(out.Legend, Entry{b.Label, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
		if highest > 0 {
			high := int(math.Round(b.Value / highest * (height - 2*gap)))
			left, right := i*(width-gap)/len(p.Bars)+gap, (i+1)*(width-gap)/len(p.Bars)
			draw.Draw(picture, image.Rect(left, height-gap-high, right, height-gap), image.NewUniform(c), image.Point{},
				draw.Src)
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		return nil, out, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: encoded.Bytes()}}},
		out, nil
}
