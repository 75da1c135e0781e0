// What the encoders of pictures and package draw ask of a script's own types beyond image.Image.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
)

type board struct{ w, h int }

func (b board) ColorModel() color.Model { return color.NRGBAModel }
func (b board) Bounds() image.Rectangle { return image.Rect(0, 0, b.w, b.h) }
func (b board) At(x, y int) color.Color { return color.NRGBA{uint8(x * 40), uint8(y * 40), 9, 255} }

type tiled struct {
	board
	p color.Palette
}

func (t tiled) ColorModel() color.Model     { return t.p }
func (t tiled) At(x, y int) color.Color     { return t.p[t.ColorIndexAt(x, y)] }
func (t tiled) ColorIndexAt(x, y int) uint8 { return uint8((x + y) % len(t.p)) }

type hazy struct{ board }

func (hazy) Opaque() bool { return false }

type exact struct {
	board
	asked *int
}

func (e exact) RGBA64At(x, y int) color.RGBA64 {
	*e.asked++
	return color.RGBA64{1 << 12, 2 << 12, 3 << 12, 0xffff}
}

type canvas struct {
	board
	log *[]string
}

func (c canvas) Set(x, y int, v color.Color) { *c.log = append(*c.log, fmt.Sprint("set", x, y)) }
func (c canvas) SetRGBA64(x, y int, v color.RGBA64) {
	*c.log = append(*c.log, fmt.Sprint("wide", x, y, v.R>>12))
}
func (c canvas) RGBA64At(x, y int) color.RGBA64 { return color.RGBA64{} }

type greys int

func (g greys) Quantize(p color.Palette, m image.Image) color.Palette {
	for i := range int(g) {
		p = append(p, color.Gray{uint8(i * 255 / (int(g) - 1))})
	}
	return p
}

type fill struct{ c color.Color }

func (f fill) Draw(dst draw.Image, r image.Rectangle, src image.Image, sp image.Point) {
	draw.Draw(dst, r, image.NewUniform(f.c), image.Point{}, draw.Src)
}

type buffers struct {
	b    *png.EncoderBuffer
	gets int
}

func (b *buffers) Get() *png.EncoderBuffer  { b.gets++; return b.b }
func (b *buffers) Put(x *png.EncoderBuffer) { b.b = x }

type bytewise struct{ *strings.Reader }

func main() {
	var buf bytes.Buffer
	asked := 0
	pictures := []image.Image{board{3, 2}, tiled{board{3, 2}, color.Palette{color.Black, color.White}}, hazy{board{3, 2}}, exact{board{3, 2}, &asked}}
	for _, m := range pictures {
		buf.Reset()
		err := png.Encode(&buf, m)
		back, err2 := png.Decode(&buf)
		fmt.Printf("%T %v %v %v\n", back, err, err2, back.At(1, 0))
	}
	dst := image.NewRGBA(image.Rect(0, 0, 3, 2))
	draw.Draw(dst, dst.Rect, pictures[3], image.Point{}, draw.Over)
	fmt.Println(dst.At(0, 0), asked)
	var log []string
	draw.Draw(canvas{board{2, 1}, &log}, image.Rect(0, 0, 2, 1), pictures[3], image.Point{}, draw.Src)
	fmt.Println(log)
	buf.Reset()
	fmt.Println(gif.Encode(&buf, pictures[0], &gif.Options{NumColors: 16, Quantizer: greys(4), Drawer: fill{color.White}}))
	g, err := gif.Decode(&buf)
	fmt.Println(g.At(1, 1), err)
	pool := &buffers{}
	enc := png.Encoder{BufferPool: pool}
	for range 2 {
		buf.Reset()
		enc.Encode(&buf, pictures[0])
	}
	fmt.Println(pool.gets, pool.b != nil)
	buf.Reset()
	jpeg.Encode(&buf, pictures[0], nil)
	var r jpeg.Reader = bytewise{strings.NewReader(buf.String())}
	cfg, err := jpeg.DecodeConfig(r)
	fmt.Println(cfg.Width, cfg.Height, err)
	_, isIndexed := pictures[1].(image.PalettedImage)
	_, isWide := pictures[1].(image.RGBA64Image)
	var w image.RGBA64Image = pictures[3].(exact)
	fmt.Println(isIndexed, isWide, w.RGBA64At(0, 0).R)
}
