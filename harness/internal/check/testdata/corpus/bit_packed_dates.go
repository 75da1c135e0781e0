// Packed integers: dates in 16 bits, colours, IPv4 by hand, flags, Gray codes, Morton order, varints, BCD.
package main

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

type Date uint16

func NewDate(y, m, d int) (Date, error) {
	switch {
	case y < 1980 || y > 2107:
		return 0, fieldError{"year", y}
	case m < 1 || m > 12:
		return 0, fieldError{"month", m}
	case d < 1 || d > 31:
		return 0, fieldError{"day", d}
	}
	return Date((y-1980)<<9 | m<<5 | d), nil
}

func (d Date) Split() (y, m, day int) { return int(d>>9) + 1980, int(d >> 5 & 0xf), int(d & 0x1f) }
func (d Date) String() string {
	y, m, day := d.Split()
	return fmt.Sprintf("%04d-%02d-%02d", y, m, day)
}

type fieldError struct {
	name string
	got  int
}

func (f fieldError) Error() string { return fmt.Sprintf("%s %d out of range", f.name, f.got) }

type RGBA uint32

func (c RGBA) Channels() [4]uint8 {
	return [4]uint8{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)}
}
func Mix(a, b RGBA, t float64) (out RGBA) {
	x, y := a.Channels(), b.Channels()
	for i := range x {
		v := float64(x[i])*(1-t) + float64(y[i])*t
		out = out<<8 | RGBA(uint8(v+0.5))
	}
	return
}
func (c RGBA) Format(f fmt.State, verb rune) {
	switch {
	case verb == 's', verb == 'v' && !f.Flag('#'):
		fmt.Fprintf(f, "#%08x", uint32(c))
	default:
		fmt.Fprintf(f, "RGBA%v", c.Channels())
	}
}

type IP [4]byte

func ParseIP(s string) (ip IP, err error) {
	parts := strings.Split(s, ".")
	if len(parts) != len(ip) {
		return ip, errors.New("want four octets")
	}
	for i, p := range parts {
		n, e := strconv.ParseUint(p, 10, 8)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("octet %d: %w", i, e))
			continue
		}
		ip[i] = byte(n)
	}
	return
}

func (ip IP) Uint() (n uint32) {
	for _, b := range ip {
		n = n<<8 | uint32(b)
	}
	return
}
func (ip IP) Mask(n int) IP {
	m := ^uint32(0) << (32 - n)
	u := ip.Uint() & m
	return IP{byte(u >> 24), byte(u >> 16), byte(u >> 8), byte(u)}
}
func (ip IP) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ip[:]), " ", "."), "[]")
}

func morton(x, y uint16) (z uint32) {
	for i := range 16 {
		z |= uint32(x>>i&1)<<(2*i) | uint32(y>>i&1)<<(2*i+1)
	}
	return
}

func zigzag[S ~int32 | ~int64](n S) uint64 {
	w := int64(n)
	return uint64(w<<1 ^ w>>63)
}

func bcd(n uint32) (out uint32) {
	for shift := 0; n > 0; shift += 4 {
		out |= n % 10 << shift
		n /= 10
	}
	return
}

type Flags uint8

const (
	FlagA Flags = 1 << iota
	_
	FlagC
	FlagD
)

func (f *Flags) Set(g Flags) *Flags    { *f |= g; return f }
func (f *Flags) Clear(g Flags) *Flags  { *f &^= g; return f }
func (f *Flags) Toggle(g Flags) *Flags { *f ^= g; return f }
func (f Flags) Has(g Flags) bool       { return f&g == g }

type lfsr uint16

func (l *lfsr) Next() uint16 {
	bit := (*l ^ *l>>2 ^ *l>>3 ^ *l>>5) & 1
	*l = *l>>1 | bit<<15
	return uint16(*l)
}

func main() {
	for _, c := range [][3]int{{2024, 2, 29}, {1980, 1, 1}, {2107, 12, 31}, {1979, 1, 1}, {2000, 13, 1}, {2000, 1, 0}} {
		d, err := NewDate(c[0], c[1], c[2])
		var fe fieldError
		fmt.Printf("%v %d %016b %v %t\n", d, d, d, err, errors.As(err, &fe))
	}
	a, b := RGBA(0xff8000ff), RGBA(0x0000ff80)
	fmt.Printf("%v %s %#v %d\n", a, Mix(a, b, 0.5), b, a.Channels())
	fmt.Println([]RGBA{a, b}, Mix(a, b, 0) == a, Mix(a, b, 1) == b)
	for _, s := range []string{"192.168.37.201", "1.2.3", "300.1.x.4", "0.0.0.0"} {
		ip, err := ParseIP(s)
		fmt.Println(ip, ip.Uint(), ip.Mask(20), ip.Mask(32), ip.Mask(0), err, errors.Is(err, strconv.ErrRange))
	}
	fmt.Println(morton(3, 5), morton(0xffff, 0), zigzag(int32(-1)), zigzag(int64(1)), zigzag(int64(-1<<63)), fmt.Sprintf("%x", bcd(20250131)))
	var f Flags
	f.Set(FlagA | FlagD).Toggle(FlagC).Clear(FlagA)
	fmt.Printf("%04b %t %t %d %v\n", f, f.Has(FlagC|FlagD), f.Has(FlagA), FlagD, f == 12)
	l := lfsr(0xACE1)
	fmt.Println(l.Next(), l.Next(), l.Next())
	for n, seen := 0, map[lfsr]bool{}; ; n++ {
		if seen[l] {
			fmt.Println("period", n)
			break
		}
		seen[l] = true
		l.Next()
	}
	var x uint8 = 200
	y := x + 100
	var z int8 = -128
	fmt.Println(y, x*2, -z, z-1, x<<1>>1, x>>1<<1, ^x, uint16(x)<<4, int8(x), 1<<x>>x == 0, bits.LeadingZeros8(x))
	fmt.Println(-5>>1, -5/2, -5%3, 5&-5, 6&^3, 0x0f^0xff, uint32(1)<<31, int32(-1)>>31, uint64(1)<<63>>62)
	s := uint(3)
	fmt.Println(1<<s, 1.0<<3, int64(1)<<s|1, ^uint16(0)>>s, -1<<s)
}
