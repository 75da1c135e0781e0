// Check digits: Luhn, ISBN, IBAN by big mod, EAN; table of func values; sentinel errors by kind.
package main

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

type Checker interface {
	Check(string) error
	Digit(string) (byte, error)
}

type weights struct {
	name string
	w    []int
	mod  int
	done func(sum, mod int) byte
}

type luhn struct{}
type iban map[string]int

var (
	ErrDigit  = errors.New("wrong check digit")
	ErrLength = errors.New("wrong length")
)

type CharError struct {
	R  rune
	At int
}

func (c CharError) Error() string { return fmt.Sprintf("unexpected %q at %d", c.R, c.At) }

func digits(s string, extra string) (ds []int, err error) {
	for i, r := range s {
		switch {
		case r == '-' || r == ' ':
		case r >= '0' && r <= '9':
			ds = append(ds, int(r-'0'))
		case strings.ContainsRune(extra, r) && i == len(s)-1:
			ds = append(ds, 10)
		default:
			return ds, CharError{r, i}
		}
	}
	return
}

func (w weights) sum(ds []int) (t int) {
	for i, d := range ds {
		t += d * w.w[i%len(w.w)]
	}
	return
}

func (w weights) Digit(s string) (byte, error) {
	ds, err := digits(s, "")
	if err != nil {
		return '?', err
	}
	return w.done(w.sum(ds), w.mod), nil
}

func (w weights) Check(s string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s %s: %w", w.name, s, err)
		}
	}()
	ds, err := digits(s, "X")
	if err != nil {
		return err
	}
	if n := len(ds); n != 10 && n != 13 {
		return fmt.Errorf("%w %d", ErrLength, n)
	}
	last := ds[len(ds)-1]
	want := w.done(w.sum(ds[:len(ds)-1]), w.mod)
	if got := "0123456789X"[last]; got != want {
		return fmt.Errorf("%w: got %c, want %c", ErrDigit, got, want)
	}
	return nil
}

func (luhn) Digit(s string) (byte, error) {
	ds, err := digits(s, "")
	sum := 0
	for i, d := range slices.Backward(ds) {
		if (len(ds)-i)%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return '0' + byte((10-sum%10)%10), err
}

func (l luhn) Check(s string) error {
	if len(s) < 2 {
		return ErrLength
	}
	d, err := l.Digit(s[:len(s)-1])
	if err == nil && d != s[len(s)-1] {
		err = ErrDigit
	}
	return err
}

func (b iban) mod(s string) int64 {
	var sb strings.Builder
	for _, r := range s {
		if r >= 'A' && r <= 'Z' {
			fmt.Fprint(&sb, r-'A'+10)
		} else {
			sb.WriteRune(r)
		}
	}
	n, ok := new(big.Int).SetString(sb.String(), 10)
	if !ok {
		return -1
	}
	return n.Mod(n, big.NewInt(97)).Int64()
}

func (b iban) Check(s string) error {
	s = strings.ReplaceAll(s, " ", "")
	want, ok := b[s[:min(2, len(s))]]
	switch {
	case !ok:
		return fmt.Errorf("unknown country %.2s", s)
	case len(s) != want:
		return fmt.Errorf("%w: %d for %s", ErrLength, len(s), s[:2])
	case b.mod(s[4:]+s[:4]) != 1:
		return ErrDigit
	}
	return nil
}

func (b iban) Digit(s string) (byte, error) { return 0, errors.ErrUnsupported }

func main() {
	checks := map[string]Checker{
		"isbn10": weights{"isbn10", []int{10, 9, 8, 7, 6, 5, 4, 3, 2}, 11, func(s, m int) byte { return "0123456789X"[(m-s%m)%m] }},
		"isbn13": weights{"isbn13", []int{1, 3}, 10, func(s, m int) byte { return '0' + byte((m-s%m)%m) }},
		"luhn":   luhn{},
		"iban":   iban{"DE": 22, "GB": 22, "NO": 15},
	}
	cases := map[string][]string{
		"isbn10": {"0-306-40615-2", "0-8044-2957-X", "0-306-40615-3", "12", "0-30a"},
		"isbn13": {"978-0-306-40615-7", "978-0-306-40615-8"},
		"luhn":   {"79927398713", "4539148803436467", "79927398710", "1", "12x4"},
		"iban":   {"DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "GB82WEST12345698765433", "NO9386011117947", "XX1", "DE1", ""},
	}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		c := checks[name]
		for _, s := range cases[name] {
			err := c.Check(s)
			ce, isChar := errors.AsType[CharError](err)
			fmt.Printf("%-6s %-28q %v|%t %t %t %c\n", name, s, err, errors.Is(err, ErrDigit), errors.Is(err, ErrLength), isChar, max(ce.R, '_'))
		}
		d, err := c.Digit("030640615")
		fmt.Printf("%s digit %q %v\n", name, d, err)
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		weights{}.Check("0-306-40615-2")
	}()
}
