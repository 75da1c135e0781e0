package main

import (
	"bytes"
	"compress/flate"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"reflect"
	"strings"
)

func kind(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case reflect.Type:
		return "type " + v.String() + " " + v.Kind().String()
	case binary.ByteOrder:
		return "order " + v.String()
	case cipher.Block:
		return fmt.Sprint("block ", v.BlockSize())
	case image.PalettedImage:
		return fmt.Sprint("palette ", v.ColorIndexAt(0, 0), v.Bounds())
	case flate.Reader:
		b, err := v.ReadByte()
		return fmt.Sprint("reader ", b, err)
	case crypto.SignerOpts:
		return fmt.Sprint("opts ", v.HashFunc())
	case interface{ Len() int }:
		return fmt.Sprint("len ", v.Len())
	default:
		return fmt.Sprintf("other %T", v)
	}
}

type own []int

func (o own) Len() int { return len(o) }

type state struct{ n int }

func (s state) Format(f fmt.State, verb rune) {
	var x any = f
	st, ok := x.(fmt.State)
	w, has := st.Width()
	fmt.Fprint(f, string(verb), ok, w, has)
	st.Write([]byte("!"))
}

func main() {
	block, err := aes.NewCipher(make([]byte, 16))
	var order any = binary.LittleEndian
	for _, x := range []any{nil, reflect.TypeFor[map[string]own](), reflect.TypeOf(err), reflect.TypeOf(own{}), order, block, err, image.NewPaletted(image.Rect(0, 0, 2, 3), color.Palette{color.Black}),
		strings.NewReader("x"), bytes.NewBufferString("y"), crypto.SHA256, own{1, 2}, sha256.New(), &own{}, 5} {
		fmt.Println(kind(x))
	}
	fmt.Printf("%5v|%d\n", state{1}, state{2})
	var x any = reflect.TypeOf(3)
	if t, ok := x.(reflect.Type); ok {
		fmt.Println(t, t == reflect.TypeFor[int](), x == any(reflect.TypeFor[int]()))
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		x = own{}
		fmt.Println(x.(binary.ByteOrder))
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		x = strings.NewReader("")
		fmt.Println(x.(binary.ByteOrder))
	}()
	m := map[any]string{reflect.TypeFor[string](): "s", reflect.TypeFor[own](): "o"}
	for k := range m {
		if t := k.(reflect.Type); t.Kind() == reflect.Slice {
			fmt.Println(t.Elem(), m[t])
		}
	}
}
