//go:build !go1.27

package gotype

// groupLayout describes a group of eight keys and elements of a map.
type groupLayout struct{ groupSize, slotSize, elemOff uintptr }

// known reports whether it is the layout of a probeMap.
func (g *groupLayout) known() bool {
	return g.elemOff == 16 && g.slotSize == 24 && g.groupSize == 8+8*24
}
