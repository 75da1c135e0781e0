//go:build !go1.27

package gotype

// groupLayout says where a map keeps eight keys and elements.
type groupLayout struct{ groupSize, slotSize, elemOff uintptr }

// known reports whether it is that of a probeMap.
func (g *groupLayout) known() bool {
	return g.elemOff == 16 && g.slotSize == 24 && g.groupSize == 8+8*24
}
