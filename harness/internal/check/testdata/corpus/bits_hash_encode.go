package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"hash/fnv"
	"io"
	"math/bits"
	"slices"
	"strings"
)

type Header struct {
	Magic   [4]byte
	Version uint16
	Flags   Flag
	Length  uint32
}
type Flag uint8

const (
	Compressed Flag = 1 << iota
	Encrypted
	Signed
)

func (f Flag) String() string {
	if f == 0 {
		return "none"
	}
	var parts []string
	for b, n := range map[Flag]string{Compressed: "Compressed", Encrypted: "Encrypted", Signed: "Signed"} {
		if f&b != 0 {
			parts = append(parts, n)
			f &^= b
		}
	}
	slices.Sort(parts)
	if f != 0 {
		parts = append(parts, fmt.Sprintf("%#x", uint8(f)))
	}
	return strings.Join(parts, "|")
}

type Bloom struct {
	bits []uint64
	k    int
}

func (b *Bloom) positions(s string) []uint {
	h := fnv.New64a()
	io.WriteString(h, s)
	v := h.Sum64()
	lo, hi := uint32(v), uint32(v>>32)
	out := make([]uint, b.k)
	for i := range out {
		out[i] = uint(lo+uint32(i)*hi) % uint(len(b.bits)*64)
	}
	return out
}
func (b *Bloom) Add(ss ...string) {
	for _, s := range ss {
		for _, p := range b.positions(s) {
			b.bits[p/64] |= 1 << (p % 64)
		}
	}
}
func (b *Bloom) Has(s string) bool {
	return !slices.ContainsFunc(b.positions(s), func(p uint) bool { return b.bits[p>>6]>>(p&63)&1 == 0 })
}
func (b *Bloom) Ones() (n int) {
	for _, w := range b.bits {
		n += bits.OnesCount64(w)
	}
	return
}

type countingWriter struct {
	n int64
	w io.Writer
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func rle(b []byte) []byte {
	var out bytes.Buffer
	for i := 0; i < len(b); {
		j := i
		for j < len(b) && b[j] == b[i] && j-i < 255 {
			j++
		}
		out.Write([]byte{byte(j - i), b[i]})
		i = j
	}
	return out.Bytes()
}

func main() {
	hs := []struct {
		name string
		h    hash.Hash
	}{{"md5", md5.New()}, {"sha1", sha1.New()}, {"sha256", sha256.New()}, {"crc", crc32.NewIEEE()}, {"adler", adler32.New()}, {"fnv", fnv.New32a()}}
	for _, x := range hs {
		fmt.Fprintf(x.h, "hello, %s", "world")
		fmt.Printf("%-7s %2d %x\n", x.name, x.h.Size(), x.h.Sum(nil))
	}
	sum := sha256.Sum256([]byte("abc"))
	fmt.Println(hex.EncodeToString(sum[:8]), len(sum), crc32.ChecksumIEEE([]byte("abc")))
	msg := []byte("any + old & data\xff\xfe")
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		s := e.EncodeToString(msg)
		back, err := e.DecodeString(s)
		fmt.Println(s, bytes.Equal(back, msg), err)
	}
	_, err := base64.StdEncoding.DecodeString("a$b=")
	fmt.Println(err, base32.StdEncoding.EncodeToString([]byte("hi")))
	_, err = hex.DecodeString("abcg")
	fmt.Println(err)
	buf := new(bytes.Buffer)
	hdr := Header{[4]byte{'G', 'O', 'B', '1'}, 0x0102, Compressed | Signed | 64, 99}
	cw := &countingWriter{w: io.MultiWriter(buf, io.Discard)}
	if err := binary.Write(cw, binary.BigEndian, hdr); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("% x n=%d\n", buf.Bytes(), cw.n)
	var back Header
	err = binary.Read(buf, binary.BigEndian, &back)
	fmt.Printf("%+v %v %s %t\n", back, err, back.Magic, back == hdr)
	b := binary.AppendUvarint(nil, 300)
	v, n := binary.Uvarint(b)
	fmt.Println(b, v, n, binary.LittleEndian.Uint16([]byte{1, 2}))
	bl := &Bloom{make([]uint64, 4), 3}
	bl.Add("x", "y", "hello")
	fmt.Println(bl.Has("x"), bl.Has("hello"), bl.Has("nope"), bl.Ones())
	fmt.Printf("%q %v %08b %o %#o %X\n", rle([]byte("aaabccccd")), Encrypted, 37, 64, 64, "hi")
	fmt.Println(bits.Len(1023), bits.TrailingZeros8(40), bits.Reverse8(3), bits.RotateLeft32(1, 31), Flag(0))
	var acc uint8 = 250
	acc += 10
	var i8 int8 = -128
	fmt.Println(acc, -i8, ^acc, 7&^2, -7>>1, uint32(1)<<31, -7/2, -7%3)
	hi, lo := bits.Mul64(1<<63, 6)
	fmt.Println(hi, lo)
}
