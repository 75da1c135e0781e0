//go:build go1.27

package gotype

// groupLayout describes a group of eight keys and elements of a map.
type groupLayout struct{ groupSize, keysOff, keyStride, elemsOff, elemStride, elemOff uintptr }

// known reports whether it is the layout of a probeMap: keys and elements apart, or, with
// GOEXPERIMENT=nomapsplitgroup, side by side.
func (g *groupLayout) known() bool {
	apart := groupLayout{8 + 8*16 + 8, 8, 16, 8 + 8*16, 1, 0}
	beside := groupLayout{8 + 8*24, 8, 24, 8 + 16, 24, 16}
	return *g == apart || *g == beside
}
