// Constants: iota patterns, bit flags with String, typed and untyped arithmetic, overflow wrap, shifts, big constants.
package main

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

type Weekday int

const (
	Sunday Weekday = iota
	Monday
	Tuesday
	_
	Thursday
)

func (d Weekday) String() string {
	names := [...]string{Sunday: "Sun", Monday: "Mon", Tuesday: "Tue", Thursday: "Thu"}
	if int(d) < len(names) && names[d] != "" {
		return names[d]
	}
	return fmt.Sprintf("Weekday(%d)", int(d))
}

type Perm uint8

const (
	Read Perm = 1 << iota
	Write
	Exec
	All = Read | Write | Exec
)

func (p Perm) String() string {
	if p == 0 {
		return "none"
	}
	var parts []string
	for rest := p; rest != 0; rest &= rest - 1 {
		switch bit := Perm(1) << bits.TrailingZeros8(uint8(rest)); bit {
		case Read:
			parts = append(parts, "r")
		case Write:
			parts = append(parts, "w")
		case Exec:
			parts = append(parts, "x")
		default:
			parts = append(parts, fmt.Sprintf("%#x", uint8(bit)))
		}
	}
	return strings.Join(parts, "|")
}

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
	GB
)

const (
	a, b = iota, iota * 10
	c, d
	_, _
	e, f
)

const (
	big        = 1 << 100
	small      = big >> 98
	third      = 1.0 / 3
	mask       = ^uint32(0)
	huge       = big * big / big
	r          = 'a' + 1
	s          = "con" + "cat"
	l          = len(s)
	cplx       = (1 + 2i) * (3 - 1i)
	typed int8 = -128
	sh         = 1.0 << 3
)

type Size float64

func (z Size) String() string {
	switch {
	case z >= GB:
		return fmt.Sprintf("%.1fG", z/GB)
	case z >= MB:
		return fmt.Sprintf("%.1fM", z/MB)
	case z >= KB:
		return fmt.Sprintf("%.1fK", z/KB)
	}
	return fmt.Sprintf("%gB", float64(z))
}

func main() {
	for d := Sunday; d <= Thursday+1; d++ {
		fmt.Print(d, " ")
	}
	fmt.Printf("%d %v %s %x %q\n", Thursday, Tuesday, Weekday(42), Monday, Monday)
	fmt.Println(Read, Write|Exec, All, Perm(0), Perm(0x90), All&^Write, All == 7)
	fmt.Println(KB, MB, GB, a, b, c, d, e, f)
	fmt.Println(small, third, mask, huge/big, r, s, l, cplx, typed, sh)
	fmt.Printf("%T %T %T %T %T %T\n", small, third, r, cplx, mask, sh)
	fmt.Println(Size(12), Size(1536), Size(3*MB+MB/2), Size(5*GB))

	x := typed
	x--
	fmt.Println(x, -x == x+1, uint8(typed&0x7f), int8(-x-1))
	var u uint = 0
	u--
	fmt.Println(u == math.MaxUint, u>>63, int32(u>>33)+int32(x))
	var n uint = 70
	fmt.Println(1<<n == 0, uint8(1)<<7, int64(-8)>>1, -7/2, -7%3, 7&^5, 6^3, ^5)
	var i8 int8 = 127
	i8 += 2
	f32 := float32(16777216)
	fmt.Println(i8, f32+1 == f32, float32(0.1), float64(float32(0.1)), 0.1+0.2, uint16(70000&0xffff))
	zero := 0.0
	nan := zero / zero
	fmt.Println(1/zero, -1/zero, nan, nan == nan, nan < 1, math.Signbit(-zero), int64(math.Float64bits(1.5)>>52))
	m := map[float64]int{nan: 1, zero: 2, -zero: 3}
	m[nan]++
	fmt.Println(len(m), m[0], m[nan])
	z := complex(3, 4)
	fmt.Println(real(z), imag(z), z*z, z == 3+4i, -z)
	fmt.Printf("%v %.1f %T\n", z, z, complex64(z))
	const deg = math.Pi / 180
	fmt.Printf("%.4f %.4f %v\n", math.Sin(30*deg), math.Atan2(1, -1)/deg, math.MaxInt64)
	arr := [...]string{2: "two", 0: "zero", 5: "five"}
	fmt.Println(len(arr), strings.Join(arr[:], ","), [KB / 512]int{1})
	switch w := Monday; {
	case w == 1 && Tuesday > w:
		fmt.Println("typed compare", w+1, Weekday(KB%5), float64(w)/2)
	}
}
