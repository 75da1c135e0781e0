// Package bundle is the format of std.bin: the types of many packages, each declaration
// once, so that only the declarations that a script names are read.
//
//	"usetools export 2 go1.26.8\n"
//	4 numbers: packages, objects, and the bytes of text and data
//	per package, sorted by path: the offsets in text of its path and its name, its
//	    first object, the offset in data of its imports
//	per object, by package and name: its offset in data
//	text: strings, each once, after its length
//	data: declarations
//
// Numbers in the tables are little-endian uint32, in data uvarints. A declaration refers to
// others by their number; its first number is its name in text.
package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const magic = "usetools export 2 "

// Sizes in bytes of the head of a bundle and of a row of each table.
const (
	headSize    = 4 * 4
	packageSize = 4 * 4
	objectSize  = 4
)

// Kinds of declarations.
const (
	objConst = iota
	objVar
	objFunc
	objAlias
	objType
)

// Kinds of types.
const (
	typBasic     = iota // by types.BasicKind
	typUniverse         // by its name in the universe
	typDeclared         // by its number
	typInstance         // the same, with type arguments
	typParameter        // by its index in those of the declaration
	typPointer
	typSlice
	typArray
	typMap
	typChan
	typFunc
	typStruct
	typInterface
	typUnion
)

// Kinds of constants' values.
const (
	valBool = iota
	valString
	valInt
	valFloat
	valComplex
)

// Flags of struct fields, interfaces and signatures.
const flagSet = 1 // embedded, implicit, variadic

// A Bundle is an encoded library. It is decoded on demand.
type Bundle struct {
	Release string // of the toolchain, as runtime.Version gives it

	packages, objects int
	packageTable      string
	objectTable       string
	text, data        string
}

// errDamaged is the error for bytes that are not a bundle.
var errDamaged = errors.New("the bundle is damaged")

// Open reads the tables of an encoded bundle. The Bundle refers to src.
func Open(src string) (*Bundle, error) {
	head, rest, ok := strings.Cut(src, "\n")
	release, known := strings.CutPrefix(head, magic)
	if !ok || !known {
		return nil, fmt.Errorf("bundle begins %.40q, not %q", head, magic)
	}
	if len(rest) < headSize {
		return nil, errDamaged
	}
	b := &Bundle{Release: release, packages: int(u32(rest, 0)), objects: int(u32(rest, 1))}
	text, data := int(u32(rest, 2)), int(u32(rest, 3))
	tables := headSize + b.packages*packageSize
	if len(rest) != tables+b.objects*objectSize+text+data {
		return nil, errDamaged
	}
	b.packageTable, b.objectTable = rest[headSize:tables], rest[tables:][:b.objects*objectSize]
	b.data = rest[len(rest)-data:]
	b.text = rest[len(rest)-data-text:][:text]
	return b, nil
}

// u32 returns number i of a table.
func u32(table string, i int) uint32 {
	s := table[4*i:][:4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// uvarint reads a number at the beginning of s and returns the rest.
func uvarint(s string) (uint64, string) {
	var n uint64
	for i := range min(len(s), binary.MaxVarintLen64) {
		n |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:]
		}
	}
	panic(errDamaged)
}

// string returns the string at an offset in text. It is a part of the bundle.
func (b *Bundle) string(at uint64) string {
	n, rest := uvarint(b.text[at:])
	return rest[:n]
}

func (b *Bundle) path(p int) string    { return b.string(uint64(u32(b.packageTable, 4*p))) }
func (b *Bundle) name(p int) string    { return b.string(uint64(u32(b.packageTable, 4*p+1))) }
func (b *Bundle) imports(p int) string { return b.data[u32(b.packageTable, 4*p+3):] }

// span returns the first object of a package, and that of the next.
func (b *Bundle) span(p int) (first, next int) {
	first, next = int(u32(b.packageTable, 4*p+2)), b.objects
	if p+1 < b.packages {
		next = int(u32(b.packageTable, 4*(p+1)+2))
	}
	return first, next
}

// declaration returns an object's name and the rest of its declaration.
func (b *Bundle) declaration(o int) (name, rest string) {
	at, rest := uvarint(b.data[u32(b.objectTable, o):])
	return b.string(at), rest
}

// find returns the package with a path.
func (b *Bundle) find(path string) (p int, ok bool) {
	low, high := 0, b.packages
	for low < high {
		if mid := (low + high) / 2; b.path(mid) < path {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < b.packages && b.path(low) == path
}

// object returns the object of a package with a name.
func (b *Bundle) object(p int, name string) (o int, ok bool) {
	first, next := b.span(p)
	low, high := first, next
	for low < high {
		mid := (low + high) / 2
		if n, _ := b.declaration(mid); n < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == next {
		return 0, false
	}
	n, _ := b.declaration(low)
	return low, n == name
}

// owner returns the package of an object.
func (b *Bundle) owner(o int) int {
	low, high := 0, b.packages
	for high-low > 1 {
		mid := (low + high) / 2
		if first, _ := b.span(mid); first <= o {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
