package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

type BitSet []uint64

func (b *BitSet) Set(i int) {
	for len(*b) <= i/64 {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}
func (b BitSet) Has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<uint(i%64)) != 0 }
func (b BitSet) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return
}
func (b BitSet) String() string {
	var sb strings.Builder
	for i := range len(b) * 64 {
		if b.Has(i) {
			if sb.Len() > 0 {
				sb.WriteByte(',')
			}
			sb.WriteString(strconv.Itoa(i))
		}
	}
	return "{" + sb.String() + "}"
}

type Perm uint16

const (
	Read Perm = 1 << iota
	Write
	Exec
	All = Read | Write | Exec
)

func (p Perm) String() string {
	s := []byte("---")
	for i, c := range "rwx" {
		if p&(1<<i) != 0 {
			s[i] = byte(c)
		}
	}
	return string(s)
}
func (p *Perm) Toggle(q Perm) *Perm { *p ^= q; return p }

func sieve(n int) (primes []int) {
	var comp BitSet
	for i := 2; i <= n; i++ {
		if comp.Has(i) {
			continue
		}
		primes = append(primes, i)
		for j := i * i; j <= n; j += i {
			comp.Set(j)
		}
	}
	return
}

func main() {
	var b BitSet
	for _, i := range []int{3, 64, 1, 130, 3} {
		b.Set(i)
	}
	fmt.Println(b, b.Count(), b.Has(64), b.Has(1000), len(b))
	fmt.Printf("%v %d %x\n", b, b[0], []uint64(b))
	p := Read | Exec
	fmt.Println(p, p&^Read, *p.Toggle(Write), All, ^p&All, Perm(0))
	fmt.Printf("%03b %o %#x %v %d %s\n", p, p, p, p, p, []Perm{Read, Write})
	fmt.Println(len(sieve(1000)), sieve(50))
	var i8 int8 = math.MaxInt8
	i8++
	var u8 uint8
	u8--
	u32 := uint32(1) << 31
	fmt.Println(i8, u8, u32<<1, -7/2, -7%3, 7&-7, 5&^4, 1<<3|1)
	fmt.Println(bits.LeadingZeros32(1), bits.TrailingZeros(40), bits.Reverse8(6), bits.Len(255), bits.RotateLeft8(0x81, 1))
	hi, lo := bits.Mul64(math.MaxUint64, 3)
	fmt.Println(hi, lo)
	f := big.NewInt(1)
	for i := int64(1); i <= 30; i++ {
		f.Mul(f, big.NewInt(i))
	}
	fmt.Println(f, f.BitLen(), new(big.Int).Exp(big.NewInt(3), big.NewInt(100), big.NewInt(1_000_007)))
	r := big.NewRat(3, 4)
	r.Add(r, big.NewRat(5, 6))
	fmt.Println(r, r.FloatString(5))
	x, ok := new(big.Int).SetString("ff", 16)
	_, bad := new(big.Int).SetString("zz", 10)
	fmt.Println(x, ok, bad, x.Cmp(f), fmt.Sprintf("%x|%10d|%+d", x, x, x))
	fmt.Printf("%08b %x %X %#o %c %U\n", 37, "hello", []byte("hi"), 8, 0x1F600, 0x1F600)
	h := fnv.New32a()
	h.Write([]byte("hello"))
	fmt.Println(h.Sum32(), crc32.ChecksumIEEE([]byte("hello")), hex.EncodeToString([]byte("Go!")), base64.StdEncoding.EncodeToString([]byte("any carnal pleas")))
	d, err := base64.URLEncoding.DecodeString("aGk_*")
	fmt.Printf("%q %v\n", d, err)
	_, err = hex.DecodeString("abc")
	fmt.Println(err)
	fmt.Println(math.Inf(1), -math.Inf(1), math.NaN(), math.Sqrt(-1) == math.NaN(), math.Float64bits(1.5), math.Trunc(-2.7), math.Round(2.5), math.RoundToEven(2.5))
	fmt.Println(0.1+0.2, float32(0.1)+float32(0.2), 1e21, 1e20, 1e-7, 100000000.0, float32(16777216.0)+1, 3/2, 3/2.0)
	_, err = strconv.ParseInt("300", 10, 8)
	fmt.Println(err)
	_, err = strconv.ParseUint("-1", 10, 64)
	fmt.Println(err, strconv.FormatInt(-255, 16), strconv.Quote("tab\t\"é\x01"), strconv.QuoteToASCII("é"), strconv.AppendBool(nil, true))
}
