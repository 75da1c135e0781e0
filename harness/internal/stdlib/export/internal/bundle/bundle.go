// Package bundle is the format of std.bin: the export data of many packages
// behind each other, with the release they come from.
//
//	"usetools export 1 go1.26.8\n"
//	per package, sorted by path: uvarint length and path, uvarint length and data
package bundle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const magic = "usetools export 1 "

// Bundle is export data by import path.
type Bundle struct {
	Release string // of the toolchain, as runtime.Version gives it
	Data    map[string][]byte
}

// Encode returns the same bytes for the same bundle.
func Encode(b Bundle) []byte {
	out := []byte(magic + b.Release + "\n")
	for _, path := range slices.Sorted(maps.Keys(b.Data)) {
		out = binary.AppendUvarint(out, uint64(len(path)))
		out = append(out, path...)
		out = binary.AppendUvarint(out, uint64(len(b.Data[path])))
		out = append(out, b.Data[path]...)
	}
	return out
}

// Open splits encoded bytes. The data are slices of src.
func Open(src []byte) (Bundle, error) {
	head, rest, ok := bytes.Cut(src, []byte("\n"))
	release, known := strings.CutPrefix(string(head), magic)
	if !ok || !known {
		return Bundle{}, fmt.Errorf("bundle begins %.40q, not %q", head, magic)
	}
	b := Bundle{Release: release, Data: map[string][]byte{}}
	for len(rest) > 0 {
		path, tail, ok := chunk(rest)
		if !ok {
			return Bundle{}, fmt.Errorf("bundle is cut off after %d packages", len(b.Data))
		}
		data, tail, ok := chunk(tail)
		if !ok {
			return Bundle{}, fmt.Errorf("bundle is cut off inside %q", path)
		}
		b.Data[string(path)], rest = data, tail
	}
	return b, nil
}

func chunk(src []byte) (data, rest []byte, ok bool) {
	n, width := binary.Uvarint(src)
	if width <= 0 || n > uint64(len(src)-width) {
		return nil, nil, false
	}
	return src[width:][:n], src[width:][n:], true
}
