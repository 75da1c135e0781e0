// Roman numerals and number bases: table-driven encode, validating decode, generic base conversion.
package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

type Roman uint16

var numerals = [...]struct {
	v Roman
	s string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

func (r Roman) String() string {
	if r == 0 || r > 3999 {
		return "Roman(" + strconv.Itoa(int(r)) + ")"
	}
	var sb strings.Builder
	for _, n := range numerals {
		for ; r >= n.v; r -= n.v {
			sb.WriteString(n.s)
		}
	}
	return sb.String()
}

type RomanError struct {
	In     string
	Offset int
}

func (e *RomanError) Error() string {
	return fmt.Sprintf("roman %q: bad numeral at %d", e.In, e.Offset)
}

func ParseRoman(s string) (r Roman, err error) {
	rest := strings.ToUpper(s)
outer:
	for rest != "" {
		for _, n := range numerals {
			if after, ok := strings.CutPrefix(rest, n.s); ok {
				r, rest = r+n.v, after
				continue outer
			}
		}
		return r, &RomanError{s, len(s) - len(rest)}
	}
	if canon := r.String(); canon != strings.ToUpper(s) {
		err = fmt.Errorf("roman %q: not canonical, want %s", s, canon)
	}
	return
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

type digits interface{ ~uint8 | ~uint32 | ~uint64 }

func Encode[T digits](n T, base int) string {
	if base < 2 || base > len(alphabet) {
		panic(fmt.Errorf("base %d out of range 2..%d", base, len(alphabet)))
	}
	if n == 0 {
		return "0"
	}
	var buf [64]byte
	i := len(buf)
	for b := T(base); n > 0; n /= b {
		i--
		buf[i] = alphabet[n%b]
	}
	return string(buf[i:])
}

func Decode[T digits](s string, base int) (n T, err error) {
	for i, c := range s {
		d := strings.IndexRune(alphabet[:base], c)
		if d < 0 {
			return n, fmt.Errorf("digit %q at %d not in base %d", c, i, base)
		}
		next := n*T(base) + T(d)
		if next/T(base) != n && n != 0 {
			return n, strconv.ErrRange
		}
		n = next
	}
	return
}

func main() {
	for _, n := range []Roman{1, 4, 9, 14, 40, 90, 400, 1994, 2025, 3999, 0, 4000} {
		s := n.String()
		back, err := ParseRoman(s)
		var re *RomanError
		fmt.Printf("%4d %-12v %5t %t\n", n, n, back == n, errors.As(err, &re))
	}
	for _, s := range []string{"IIII", "VX", "mcmxciv", "ABC", "XIZ", ""} {
		r, err := ParseRoman(s)
		fmt.Printf("%q %d %v\n", s, uint(r), err)
	}
	for _, b := range []int{2, 7, 16, 36, 62} {
		e := Encode(uint64(987654321987), b)
		d, err := Decode[uint64](e, b)
		fmt.Println(b, e, d, err)
	}
	fmt.Println(Decode[uint8]("255", 10))
	fmt.Println(Decode[uint8]("777", 8))
	fmt.Println(Decode[uint32]("12z", 16))
	fmt.Println(Encode[uint8](200, 2), Encode(uint32(0), 3))
	fmt.Printf("%b %o %x %X %#b %#o %#x %08b %c %U %q\n", 42, 42, 42, 3054, 5, 64, 255, 37, 0x41, 0x1F600, rune(0x263A))
	fmt.Println(strconv.FormatInt(-255, 16), strconv.FormatUint(1<<63, 36), strconv.QuoteToASCII("ünï"))
	x := new(big.Int)
	fmt.Println(x.SetString("zz", 36))
	_, ok := x.SetString("12", 2)
	fmt.Println(ok, 0b1010_1010, 0o17, 0x_ff, 1_000_000, 'a', '\x41', "\u00e9\x41\101")
	defer func() { fmt.Println("error:", recover().(error)) }()
	Encode(uint8(1), 99)
}
