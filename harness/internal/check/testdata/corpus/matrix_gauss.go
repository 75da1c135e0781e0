// Dense matrices: multiply, transpose, determinant by Gauss with big.Rat, identity checks, text output.
package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

type Matrix [][]*big.Rat

func New(rows ...[]int64) Matrix {
	m := make(Matrix, len(rows))
	for i, r := range rows {
		for _, v := range r {
			m[i] = append(m[i], big.NewRat(v, 1))
		}
	}
	return m
}

func Identity(n int) (m Matrix) {
	for i := range n {
		row := make([]int64, n)
		row[i] = 1
		m = append(m, New(row)[0])
	}
	return
}

func (m Matrix) Dims() (r, c int) {
	if len(m) == 0 {
		return
	}
	return len(m), len(m[0])
}

type DimError struct{ r1, c1, r2, c2 int }

func (d DimError) Error() string { return fmt.Sprintf("%dx%d · %dx%d", d.r1, d.c1, d.r2, d.c2) }

func (m Matrix) Mul(o Matrix) (p Matrix, err error) {
	r, c := m.Dims()
	r2, c2 := o.Dims()
	if c != r2 {
		return nil, DimError{r, c, r2, c2}
	}
	p = make(Matrix, r)
	for i := range p {
		p[i] = make([]*big.Rat, c2)
		for j := range p[i] {
			s := new(big.Rat)
			for k := range c {
				s.Add(s, new(big.Rat).Mul(m[i][k], o[k][j]))
			}
			p[i][j] = s
		}
	}
	return
}

func (m Matrix) clone() Matrix {
	out := make(Matrix, len(m))
	for i, r := range m {
		out[i] = make([]*big.Rat, len(r))
		for j := range r {
			out[i][j] = new(big.Rat).Set(r[j])
		}
	}
	return out
}

var ErrSingular = errors.New("singular matrix")

func (m Matrix) Inverse() (inv Matrix, det *big.Rat, err error) {
	n, c := m.Dims()
	if n != c {
		return nil, nil, fmt.Errorf("inverse: %w", DimError{n, c, n, c})
	}
	a, inv, det := m.clone(), Identity(n), big.NewRat(1, 1)
	for col := range n {
		pivot := -1
		for r := col; r < n; r++ {
			if a[r][col].Sign() != 0 {
				pivot = r
				break
			}
		}
		if pivot < 0 {
			return nil, new(big.Rat), ErrSingular
		}
		if pivot != col {
			a[pivot], a[col] = a[col], a[pivot]
			inv[pivot], inv[col] = inv[col], inv[pivot]
			det.Neg(det)
		}
		p := new(big.Rat).Set(a[col][col])
		det.Mul(det, p)
		for j := range n {
			a[col][j].Quo(a[col][j], p)
			inv[col][j].Quo(inv[col][j], p)
		}
		for r := range n {
			if r == col || a[r][col].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(a[r][col])
			for j := range n {
				a[r][j].Sub(a[r][j], new(big.Rat).Mul(f, a[col][j]))
				inv[r][j].Sub(inv[r][j], new(big.Rat).Mul(f, inv[col][j]))
			}
		}
	}
	return
}

func (m Matrix) String() string {
	var sb strings.Builder
	for _, r := range m {
		for j, v := range r {
			if j > 0 {
				sb.WriteByte(' ')
			}
			fmt.Fprintf(&sb, "%6s", v.RatString())
		}
		sb.WriteString("\n")
	}
	return sb.String()
}

func main() {
	m := New([]int64{2, 0, 1}, []int64{1, 3, 2}, []int64{1, 1, 4})
	inv, det, err := m.Inverse()
	fmt.Print(inv)
	fmt.Println(det, err, det.FloatString(3))
	p, _ := m.Mul(inv)
	fmt.Print(p, Identity(2))
	_, err = m.Mul(New([]int64{1, 2}))
	var de DimError
	fmt.Println(err, errors.As(err, &de), de.r2)
	_, det, err = New([]int64{1, 2}, []int64{2, 4}).Inverse()
	fmt.Println(det, err == ErrSingular)
	_, _, err = New([]int64{1, 2}).Inverse()
	fmt.Println(err)
	_, det, _ = New([]int64{0, 1}, []int64{1, 0}).Inverse()
	fmt.Println(det.Num(), det.Denom(), det)
	f, exact := big.NewRat(1, 3).Float64()
	fmt.Println(f, exact)
	fib := [2]*big.Int{big.NewInt(0), big.NewInt(1)}
	for range 150 {
		fib[0].Add(fib[0], fib[1])
		fib[0], fib[1] = fib[1], fib[0]
	}
	fmt.Println(fib[0], fib[0].BitLen(), new(big.Int).Exp(big.NewInt(7), big.NewInt(77), big.NewInt(1000007)))
	x, ok := new(big.Int).SetString("ffffffffffffffffffff", 16)
	fmt.Printf("%v %t %x %s %d %T\n", x, ok, x, x.Text(36), x.Cmp(fib[0]), x)
}
