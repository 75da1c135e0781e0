// Toy number theory: RSA, Diffie-Hellman, extended Euclid, Chinese remainders, continued fractions with big.Int.
package main

import (
	"errors"
	"fmt"
	"iter"
	"math/big"
	"strings"
)

var one = big.NewInt(1)

type Key struct{ N, E *big.Int }
type KeyPair struct {
	Key
	d *big.Int
}

var ErrTooLong = errors.New("message too long")

func Generate(p, q int64) (kp *KeyPair, err error) {
	P, Q := big.NewInt(p), big.NewInt(q)
	for _, x := range []*big.Int{P, Q} {
		if !x.ProbablyPrime(10) {
			return nil, fmt.Errorf("%v is not prime", x)
		}
	}
	kp = &KeyPair{Key: Key{new(big.Int).Mul(P, Q), big.NewInt(65537)}}
	phi := new(big.Int).Mul(new(big.Int).Sub(P, one), new(big.Int).Sub(Q, one))
	if kp.d = new(big.Int).ModInverse(kp.E, phi); kp.d == nil {
		return kp, errors.New("no inverse")
	}
	return
}

func (k Key) Encrypt(msg string) (c *big.Int, err error) {
	m := new(big.Int).SetBytes([]byte(msg))
	if m.Cmp(k.N) >= 0 {
		return nil, fmt.Errorf("%w: %d bits, modulus has %d", ErrTooLong, m.BitLen(), k.N.BitLen())
	}
	return m.Exp(m, k.E, k.N), nil
}

func (kp *KeyPair) Decrypt(c *big.Int) string {
	return string(new(big.Int).Exp(c, kp.d, kp.N).Bytes())
}

func egcd(a, b int) (g, x, y int) {
	if b == 0 {
		return a, 1, 0
	}
	g, x1, y1 := egcd(b, a%b)
	return g, y1, x1 - a/b*y1
}

func crt(rems, mods []int) (x, m int, ok bool) {
	x, m = rems[0], mods[0]
	for i := 1; i < len(rems); i++ {
		g, p, _ := egcd(m, mods[i])
		if (rems[i]-x)%g != 0 {
			return x, m, false
		}
		l := m / g * mods[i]
		x = (x + m*(((rems[i]-x)/g*p)%(mods[i]/g))) % l
		if x < 0 {
			x += l
		}
		m = l
	}
	return x, m, true
}

func convergents(cf iter.Seq[int64]) iter.Seq[*big.Rat] {
	return func(yield func(*big.Rat) bool) {
		h0, h1 := big.NewInt(1), big.NewInt(0)
		k0, k1 := big.NewInt(0), big.NewInt(1)
		for a := range cf {
			A := big.NewInt(a)
			h0, h1 = new(big.Int).Add(new(big.Int).Mul(A, h0), h1), h0
			k0, k1 = new(big.Int).Add(new(big.Int).Mul(A, k0), k1), k0
			if !yield(new(big.Rat).SetFrac(h0, k0)) {
				return
			}
		}
	}
}

func euler(yield func(int64) bool) {
	if !yield(2) {
		return
	}
	for k := int64(2); yield(1) && yield(k) && yield(1); k += 2 {
	}
}

func factor(n uint64) (out map[uint64]int) {
	out = map[uint64]int{}
	for p := uint64(2); p*p <= n; p++ {
		for ; n%p == 0; n /= p {
			out[p]++
		}
	}
	if n > 1 {
		out[n]++
	}
	return
}

func piDigits(n int) string {
	q, r, t, k, m, x := big.NewInt(1), big.NewInt(0), big.NewInt(1), big.NewInt(1), big.NewInt(3), big.NewInt(3)
	mul := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	add := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	i := func(n int64) *big.Int { return big.NewInt(n) }
	var sb strings.Builder
	for sb.Len() < n {
		if add(mul(i(4), q), new(big.Int).Sub(r, t)).Cmp(mul(m, t)) < 0 {
			sb.WriteString(m.String())
			nr := mul(i(10), new(big.Int).Sub(r, mul(m, t)))
			m = new(big.Int).Sub(new(big.Int).Div(mul(i(10), add(mul(i(3), q), r)), t), mul(i(10), m))
			q, r = mul(q, i(10)), nr
		} else {
			nr := mul(add(mul(i(2), q), r), x)
			nn := new(big.Int).Div(add(mul(q, add(mul(i(7), k), i(2))), mul(r, x)), mul(t, x))
			q, t, x, k, m, r = mul(q, k), mul(t, x), add(x, i(2)), add(k, one), nn, nr
		}
	}
	return sb.String()
}

func main() {
	kp, err := Generate(1000000007, 998244353)
	fmt.Println(kp.N, kp.E, err)
	c, err := kp.Encrypt("hi Go!")
	fmt.Printf("%x %v %q\n", c, err, kp.Decrypt(c))
	_, err = kp.Encrypt("much too long")
	fmt.Println(err, errors.Is(err, ErrTooLong))
	_, err = Generate(7, 9)
	fmt.Println(err)
	fmt.Println(egcd(240, 46))
	fmt.Println(crt([]int{2, 3, 2}, []int{3, 5, 7}))
	fmt.Println(crt([]int{1, 2}, []int{4, 6}))
	p, g := big.NewInt(23), big.NewInt(5)
	A, B := new(big.Int).Exp(g, big.NewInt(6), p), new(big.Int).Exp(g, big.NewInt(15), p)
	fmt.Println(A, B, new(big.Int).Exp(B, big.NewInt(6), p), new(big.Int).Exp(A, big.NewInt(15), p))
	n := 0
	for r := range convergents(euler) {
		if n++; n > 9 {
			fmt.Println(r, r.FloatString(8))
			break
		}
		fmt.Print(r, " ")
	}
	fmt.Println(factor(360), factor(97), factor(1<<20*81))
	fmt.Println(piDigits(30))
}
