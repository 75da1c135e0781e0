// Bloom filter, consistent hashing ring, checksums and encodings: fnv, crc32, sha256, md5, hmac, hex, base64.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/fnv"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

type Bloom struct {
	bits []uint64
	k    int
	n    int
}

func NewBloom(m, k int) *Bloom { return &Bloom{bits: make([]uint64, (m+63)/64), k: k} }

func (b *Bloom) positions(s string, f func(word int, mask uint64) bool) {
	h := fnv.New64a()
	io.WriteString(h, s)
	sum := h.Sum64()
	h1, h2 := uint32(sum), uint32(sum>>32)|1
	for i := range b.k {
		p := int((h1 + uint32(i)*h2) % uint32(len(b.bits)*64))
		if !f(p/64, 1<<(p%64)) {
			return
		}
	}
}

func (b *Bloom) Add(s string) {
	b.n++
	b.positions(s, func(w int, m uint64) bool { b.bits[w] |= m; return true })
}

func (b *Bloom) Has(s string) (yes bool) {
	yes = true
	b.positions(s, func(w int, m uint64) bool { yes = b.bits[w]&m != 0; return yes })
	return
}

type Ring struct {
	points []uint32
	owner  map[uint32]string
}

func (r *Ring) Add(node string, replicas int) {
	if r.owner == nil {
		r.owner = map[uint32]string{}
	}
	for i := range replicas {
		p := crc32.ChecksumIEEE([]byte(node + "#" + strconv.Itoa(i)))
		r.owner[p] = node
		at, _ := slices.BinarySearch(r.points, p)
		r.points = slices.Insert(r.points, at, p)
	}
}

func (r Ring) Get(key string) string {
	h := crc32.ChecksumIEEE([]byte(key))
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i] >= h })
	return r.owner[r.points[i%len(r.points)]]
}

type header struct {
	Magic   [4]byte
	Version uint16
	Flags   uint8
	_       uint8
	Size    int32
	Ratio   float32
}

func main() {
	b := NewBloom(256, 3)
	for _, w := range strings.Fields("alpha beta gamma delta") {
		b.Add(w)
	}
	fp := 0
	for i := range 200 {
		if b.Has("w" + strconv.Itoa(i)) {
			fp++
		}
	}
	fmt.Println(b.Has("alpha"), b.Has("delta"), b.n, fp < 20, fmt.Sprintf("%016x", b.bits))
	var r Ring
	for _, n := range []string{"n1", "n2", "n3"} {
		r.Add(n, 4)
	}
	load := map[string]int{}
	for i := range 100 {
		load[r.Get(fmt.Sprint("key", i))]++
	}
	fmt.Println(load, slices.IsSorted(r.points))
	msg := []byte("hello, world")
	for name, mk := range map[string]func() hash.Hash{"md5": md5.New} {
		h := mk()
		h.Write(msg[:5])
		h.Write(msg[5:])
		fmt.Println(name, hex.EncodeToString(h.Sum(nil)), h.Size(), h.BlockSize())
	}
	fmt.Printf("%x\n%X\n", sha1.Sum(msg), sha256.Sum224(msg))
	s5 := sha512.Sum512(msg)
	fmt.Println(hex.EncodeToString(s5[:8]), crc32.Checksum(msg, crc32.MakeTable(crc32.Castagnoli)))
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write(msg)
	sum := mac.Sum(nil)
	fmt.Println(base64.URLEncoding.EncodeToString(sum), hmac.Equal(sum, slices.Clone(sum)))
	fmt.Println(base64.RawStdEncoding.EncodeToString(msg), base32.StdEncoding.EncodeToString(msg[:4]), hex.Dump(msg[:3]))
	_, err := base64.StdEncoding.DecodeString("aGk=!")
	var ce base64.CorruptInputError
	fmt.Println(err, errors.As(err, &ce), int(ce))
	_, err = hex.DecodeString("abz")
	fmt.Println(err, errors.Is(err, hex.ErrLength))
	var buf bytes.Buffer
	h := header{Magic: [4]byte{'U', 'T', 'L', '1'}, Version: 0x0102, Flags: 7, Size: -2, Ratio: 1.5}
	fmt.Println(binary.Write(&buf, binary.LittleEndian, h), buf.Len(), binary.Size(h))
	fmt.Printf("% x\n", buf.Bytes())
	var back header
	err = binary.Read(&buf, binary.LittleEndian, &back)
	fmt.Printf("%+v %v %t\n", back, err, back == h)
	fmt.Println(binary.Read(&buf, binary.BigEndian, &back), binary.PutUvarint(make([]byte, 10), 300))
	v, n := binary.Varint(binary.AppendVarint(nil, -12345))
	fmt.Println(v, n, binary.BigEndian.Uint16([]byte{1, 2}), binary.BigEndian.String())
}
