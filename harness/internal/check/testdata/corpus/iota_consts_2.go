package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

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

type Flags uint8

const (
	FlagA Flags = 1 << iota
	FlagB
	_
	FlagD
	mask = FlagA | FlagD
)

const (
	Pi2           = math.Pi * 2
	Big           = 1 << 100
	Small         = Big >> 98
	typed   int64 = 5
	str           = "const" + "ant"
	length        = len(str)
	r             = 'a' + 1
	cmplx         = 2 + 3i
	isLong        = length > 5
	timeout       = 3 * time.Second
	third         = 1.0 / 3
	u             = ^uint8(0)
	neg           = -7 >> 1
)

type Day int

const (
	Sun Day = iota
	Mon
	Tue
	numDays = iota
)

var dayNames = [numDays]string{"Sun", "Mon", "Tue"}

func (d Day) String() string {
	if d < 0 || d >= numDays {
		return fmt.Sprintf("Day(%d)", d)
	}
	return dayNames[d]
}

type Celsius float32
type Grid [2][numDays]Day

func size(n float64) string {
	switch {
	case n >= GB:
		return fmt.Sprintf("%.2fGB", n/GB)
	case n >= MB:
		return fmt.Sprintf("%.1fMB", n/MB)
	case n >= KB:
		return fmt.Sprintf("%gKB", n/KB)
	}
	return fmt.Sprint(n, "B")
}

var (
	x0    = y0 + 1
	y0    = f0()
	z0    = func() string { return strings.Repeat("z", x0) }()
	table = map[Flags]string{FlagA: "A", FlagB: "B", FlagD: "D"}
)

func f0() int { return len(table) }

func (f Flags) Has(g Flags) bool { return f&g == g }
func (f *Flags) Set(g Flags)     { *f |= g }
func (f Flags) String() string {
	if f == 0 {
		return "0"
	}
	var parts []string
	for bit := Flags(1); bit != 0; bit <<= 1 {
		if f&bit == 0 {
			continue
		}
		if n, ok := table[bit]; ok {
			parts = append(parts, n)
		} else {
			parts = append(parts, fmt.Sprintf("%#x", uint8(bit)))
		}
	}
	return strings.Join(parts, "|")
}

func main() {
	fmt.Println(KB, MB, GB, a, b, c, d, e, f)
	fmt.Println(FlagA, FlagB, FlagD, mask, mask.Has(FlagB), Flags(0xff))
	fmt.Println(Pi2, Small, Big/(1<<97), typed, str, length, r, string(rune(r)), cmplx, isLong, timeout, third, u, neg)
	fmt.Printf("%T %T %T %T %T %T %T\n", Pi2, r, cmplx, mask, timeout, 'x', typed)
	for d := Sun; d <= numDays; d++ {
		fmt.Print(d, " ")
	}
	fmt.Printf("%d %s %v %x %q\n", Mon, Tue, Day(9), Tue, Mon)
	for _, n := range []float64{5, 2048, 3.5 * MB, 1.25 * GB} {
		fmt.Print(size(n), " ")
	}
	fmt.Println(x0, y0, z0)
	var g Grid
	for i := range g {
		for j := range g[i] {
			g[i][j] = Day(i * j)
		}
	}
	fmt.Println(g, len(g), len(g[0]))
	var fl Flags
	fl.Set(FlagB | 1<<6)
	fmt.Println(fl, fl.Has(FlagB), ^fl, fl<<2, fl&^FlagB)
	var i8 int8 = -128
	var ui uint = 3
	var i64 int64 = math.MinInt64
	fmt.Println(-i8, i8/-1, i64/-1, i8>>1, uint8(i8), ui-4 > 0, int8(ui<<6), 1<<ui, -5%3, -5/3)
	var f32 float32 = 1 << 24
	fmt.Println(f32+1 == f32, float64(f32)+1, Celsius(36.6), float32(0.1), float64(float32(0.1)))
	fl2 := 3.99
	fmt.Println(int(fl2), int(-fl2), uint32(1<<31), math.MaxUint32, uint64(math.MaxUint64), int64(math.MaxInt64))
	const huge = 1e300
	fmt.Println(huge*1e8, math.IsInf(huge*huge/1e292, 0), 07, 0b101, 0o17, 0x_ff, 1_000_000, 'a', '\n', '\x41', "\u00e9\t", `raw\n`)
	var arr [5]int
	const last = len(arr) - 1
	arr[last] = 1
	arr2 := [...]string{2: "two", 5: "five", 0: "zero"}
	fmt.Println(arr, len(arr2), fmt.Sprintf("%q", arr2), cap(arr[1:3]))
	c1 := complex(1, 2)
	c1 *= c1
	fmt.Println(c1, real(c1), imag(c1), c1 == -3+4i, fmt.Sprintf("%.1f", c1))
	z := 0.0
	fmt.Println(1/z, -1/z, z/z, math.Signbit(-z), math.Copysign(0, -1))
	s := "héllo"
	fmt.Println(len(s), s[1], s[1:3], []byte(s)[:3], []rune(s)[1], string([]rune(s)[1:3]), strings.ToUpper(s))
	switch x := any(mask).(type) {
	case uint8:
		fmt.Println("uint8")
	case Flags:
		fmt.Println("flags", x)
	}
	goto end
end:
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"), max(Day(1), Tue))
}
