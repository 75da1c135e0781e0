package main

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestBarsAreAsHighAsTheyShouldBe(t *testing.T) {
	res, out, err := barChart(t.Context(), nil, Params{[]Bar{{"a", 10}, {"b", 5}, {"c", 0}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Result{480, 240, []Entry{{"a", "#1f77b4"}, {"b", "#ff7f0e"}, {"c", "#2ca02c"}}}, out); d != "" {
		t.Error(d)
	}
	picture, err := png.Decode(bytes.NewReader(res.Content[0].(*mcp.ImageContent).Data))
	if err != nil {
		t.Fatal(err)
	}
	for bar, want := range []int{232, 116, 0} {
		got := 0
		for y := range height {
			if color.RGBAModel.Convert(picture.At(80+bar*160, y)) == colours[bar] {
				got++
			}
		}
		if got != want {
			t.Errorf("bar %d is %d pixels high, want %d", bar, got, want)
		}
	}
}

func TestWhatCannotBeDrawnIsRefused(t *testing.T) {
	for want, bars := range map[string][]Bar{"0 bars": nil, "51 bars: want 1 to 50": make([]Bar, 51),
		`the bar "x" is -1 high`: {{"x", -1}}} {
		if _, _, err := barChart(t.Context(), nil, Params{bars}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
	for _, bars := range [][]Bar{{{"nothing", 0}}, make([]Bar, 50), {{"huge", 1e308}, {"small", 1e-308}}} {
		if _, _, err := barChart(t.Context(), nil, Params{bars}); err != nil {
			t.Error(err)
		}
	}
}
