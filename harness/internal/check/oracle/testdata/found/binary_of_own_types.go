package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

type kind uint8

type header struct {
	Magic [2]byte
	Kind  kind
	_     uint8
	Len   int32
}

type closed struct{ a, b uint16 }

type point struct{ X, Y int16 }

func main() {
	var buf bytes.Buffer
	fmt.Println(binary.Write(&buf, binary.BigEndian, header{[2]byte{'A', 'B'}, 7, 0, -5}), buf.Bytes())
	b := buf.Bytes()
	b[3] = 0xff
	var h header
	fmt.Println(binary.Read(bytes.NewReader(b), binary.BigEndian, &h))
	fmt.Printf("%+v %d\n", h, binary.Size(h))
	for _, x := range []any{kind(3), []kind{1, 2}, point{1, 2}, &point{3, 4}, []point{{5, 6}}, closed{7, 8}, map[string]int{}, struct{ S []kind }{}, 5} {
		out, err := binary.Append(nil, binary.LittleEndian, x)
		fmt.Println(out, err, binary.Size(x))
		n, err := binary.Encode(make([]byte, 10), binary.BigEndian, x)
		fmt.Println(n, err)
		buf.Reset()
		fmt.Println(binary.Write(&buf, binary.LittleEndian, x), buf.Len())
		_, err = binary.Decode(make([]byte, 3), binary.LittleEndian, x)
		fmt.Println(err)
	}
	var p point
	ps := make([]point, 2)
	n, err := binary.Decode([]byte{1, 0, 2, 0}, binary.LittleEndian, &p)
	fmt.Println(n, err, p)
	fmt.Println(binary.Read(bytes.NewReader([]byte{1, 0, 2, 0, 3, 0, 4, 0}), binary.LittleEndian, ps), ps)
	write := binary.Write
	fmt.Println(write(&buf, binary.LittleEndian, p), buf.Len())
	defer func() { fmt.Println(recover()) }()
	var c closed
	fmt.Println(binary.Read(bytes.NewReader(make([]byte, 4)), binary.LittleEndian, &c), c)
}
