package rt

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Pictures of a script. The encoders ask one whether it has a palette and
// whether it is opaque, and draw asks for wider colours: so it gets an adapter
// with just the methods that it has.

type (
	picture        struct{ adapter }
	indexed        struct{ picture }
	wide           struct{ picture }
	indexedWide    struct{ indexed }
	opaque         struct{ picture }
	opaqueIndexed  struct{ indexed }
	opaqueWide     struct{ wide }
	opaqueAll      struct{ indexedWide }
	drawing        struct{ picture }
	drawingWide    struct{ drawing }
	colorer        struct{ adapter }
	colorModel     struct{ adapter }
	drawer         struct{ adapter }
	quantizer      struct{ adapter }
	encoderBuffers struct{ adapter }
)

func (a picture) ColorModel() color.Model {
	c, _ := a.must("ColorModel")[0].Interface().(color.Model)
	return c
}
func (a picture) Bounds() image.Rectangle {
	r, _ := a.must("Bounds")[0].Interface().(image.Rectangle)
	return r
}
func (a picture) At(x, y int) color.Color {
	c, _ := a.must("At", x, y)[0].Interface().(color.Color)
	return c
}

func (a picture) index(x, y int) uint8 { return uint8(a.must("ColorIndexAt", x, y)[0].Uint()) }
func (a picture) isOpaque() bool       { return a.must("Opaque")[0].Bool() }
func (a picture) wideAt(x, y int) color.RGBA64 {
	c, _ := a.must("RGBA64At", x, y)[0].Interface().(color.RGBA64)
	return c
}

func (a indexed) ColorIndexAt(x, y int) uint8            { return a.index(x, y) }
func (a wide) RGBA64At(x, y int) color.RGBA64            { return a.wideAt(x, y) }
func (a indexedWide) RGBA64At(x, y int) color.RGBA64     { return a.wideAt(x, y) }
func (a opaque) Opaque() bool                            { return a.isOpaque() }
func (a opaqueIndexed) Opaque() bool                     { return a.isOpaque() }
func (a opaqueWide) Opaque() bool                        { return a.isOpaque() }
func (a opaqueAll) Opaque() bool                         { return a.isOpaque() }
func (a drawing) Set(x, y int, c color.Color)            { a.must("Set", x, y, c) }
func (a drawingWide) RGBA64At(x, y int) color.RGBA64     { return a.wideAt(x, y) }
func (a drawingWide) SetRGBA64(x, y int, c color.RGBA64) { a.must("SetRGBA64", x, y, c) }
func (a encoderBuffers) Put(b *png.EncoderBuffer)        { a.must("Put", b) }
func (a encoderBuffers) Get() *png.EncoderBuffer {
	b, _ := a.must("Get")[0].Interface().(*png.EncoderBuffer)
	return b
}
func (a drawer) Draw(d draw.Image, r image.Rectangle, s image.Image, p image.Point) {
	a.must("Draw", d, r, s, p)
}
func (a quantizer) Quantize(p color.Palette, m image.Image) color.Palette {
	out, _ := a.must("Quantize", p, m)[0].Interface().(color.Palette)
	return out
}

func (a colorer) RGBA() (r, g, b, alpha uint32) {
	v := a.must("RGBA")
	return uint32(v[0].Uint()), uint32(v[1].Uint()), uint32(v[2].Uint()), uint32(v[3].Uint())
}
func (a colorModel) Convert(c color.Color) color.Color {
	out, _ := a.must("Convert", c)[0].Interface().(color.Color)
	return out
}

func pictureOf(a adapter) image.Image {
	index := a.can("ColorIndexAt", "(int, int) uint8")
	colors := a.can("RGBA64At", "(int, int) color.RGBA64")
	p := picture{a}
	if a.can("Opaque", "() bool") {
		switch {
		case index && colors:
			return opaqueAll{indexedWide{indexed{p}}}
		case index:
			return opaqueIndexed{indexed{p}}
		case colors:
			return opaqueWide{wide{p}}
		}
		return opaque{p}
	}
	switch {
	case index && colors:
		return indexedWide{indexed{p}}
	case index:
		return indexed{p}
	case colors:
		return wide{p}
	}
	return p
}

func drawingOf(a adapter) draw.Image {
	d := drawing{picture{a}}
	if a.can("RGBA64At", "(int, int) color.RGBA64") && a.can("SetRGBA64", "(int, int, color.RGBA64)") {
		return drawingWide{d}
	}
	return d
}

var imageAdapters = map[string]any{
	"ToImage":          adapted(pictureOf),
	"ToPalettedImage":  adapted(func(a adapter) image.PalettedImage { return pictureOf(a).(image.PalettedImage) }),
	"ToRGBA64Image":    adapted(func(a adapter) image.RGBA64Image { return pictureOf(a).(image.RGBA64Image) }),
	"ToDrawImage":      adapted(drawingOf),
	"ToDrawRGBA64":     adapted(func(a adapter) draw.RGBA64Image { return drawingWide{drawing{picture{a}}} }),
	"ToColor":          adapted(func(a adapter) color.Color { return colorer{a} }),
	"ToColorModel":     adapted(func(a adapter) color.Model { return colorModel{a} }),
	"ToDrawer":         adapted(func(a adapter) draw.Drawer { return drawer{a} }),
	"ToQuantizer":      adapted(func(a adapter) draw.Quantizer { return quantizer{a} }),
	"ToEncoderBuffers": adapted(func(a adapter) png.EncoderBufferPool { return encoderBuffers{a} }),
}
