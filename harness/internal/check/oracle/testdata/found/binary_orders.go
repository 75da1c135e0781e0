package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

type rec struct {
	A uint16
	B [2]int8
}

func main() {
	order := binary.BigEndian
	var buf bytes.Buffer
	fmt.Println(binary.Write(&buf, order, rec{1, [2]int8{2, 3}}), buf.Bytes())
	b := make([]byte, 4)
	order.PutUint32(b, 7)
	fmt.Println(b, order.Uint16(b[2:]), order)
	le := binary.LittleEndian
	fmt.Println(le.AppendUint16(nil, 258), le.String())
	var back rec
	fmt.Println(binary.Read(&buf, order, &back), back)
	for _, o := range []binary.ByteOrder{order, le, binary.NativeEndian} {
		fmt.Println(o.Uint16([]byte{1, 2}))
	}
}

type codec struct {
	order binary.ByteOrder
	n     int
}

func init() {
	o := binary.LittleEndian
	c := codec{order: o}
	var a any = o
	fmt.Println(c.order, a == any(binary.LittleEndian), o == binary.LittleEndian)
	fmt.Printf("%v %T %+v\n", o, o, c)
	f := func() any { return o.Uint32([]byte{1, 0, 0, 0}) }
	fmt.Println(f())
	pick := map[bool]binary.ByteOrder{true: binary.BigEndian, false: o}
	fmt.Println(pick[true], pick[false].Uint16([]byte{1, 2}))
}
