package main

import (
	"fmt"
	"math"
)

func id(x float64) float64     { return x }
func two(x, y float64) float64 { return 1 / x * y }
func sub(x float64) float64    { return x - 0 }
func add(x float64) float64    { return x + 0 }
func mul(x float64) float64    { return x * 1 }
func neg(x float64) float64    { return -x }
func mul0(x float64) float64   { return x * -0.0 }

type F float64

func (f F) inv() float64 { return 1 / float64(f) }

func gen[T ~float64](x T) T { return x }

func main() {
	z := -0.0
	fmt.Println(1/z, math.Signbit(z), math.Signbit(-0.0))
	nz := math.Copysign(0, -1)
	fmt.Println(nz, id(nz), 1/id(nz), two(nz, 1), sub(nz), add(nz), mul(nz), neg(nz), neg(0), mul0(3))
	s := []float64{nz, 0, -nz}
	fmt.Println(s, 1/s[0], 1/s[2])
	m := map[string]float64{"a": nz}
	fmt.Println(m, 1/m["a"])
	var a any = nz
	fmt.Println(a, 1/a.(float64))
	fmt.Println(F(nz).inv(), F(nz))
	fmt.Println(1 / gen(F(nz)))
	ch := make(chan float64, 1)
	ch <- nz
	fmt.Println(1 / <-ch)
	st := struct{ x float64 }{nz}
	fmt.Println(st, 1/st.x)
	p := &nz
	fmt.Println(1 / *p)
	f32 := float32(nz)
	fmt.Println(f32, 1/f32, -f32, f32-0, f32*1)
	c := complex(nz, nz)
	fmt.Println(c, real(c), 1/imag(c))
	fmt.Println(-c, c-0, c+0)
	x := 0.0
	x = -x
	fmt.Println(x, 1/x)
	x -= 0
	fmt.Println(x)
	x += 0
	fmt.Println(x)
	func(y float64) { fmt.Println(y, 1/y) }(nz)
	defer func(y float64) { fmt.Println(y, 1/y) }(nz)
	g := func() (float64, float64) { return nz, -nz }
	fmt.Println(g())
	mn, mx := min(nz, 0), max(nz, 0)
	fmt.Println(mn, mx, math.Min(nz, 0), math.Max(0, nz))
	fmt.Println(math.Trunc(-0.5), math.Round(-0.2), -0.5+0.5, 0*-1.0, nz == 0)
	i := 0
	fmt.Println(-float64(i), 1/-float64(i))
	var arr [2]float64
	arr[0] = nz
	fmt.Println(arr)
	fmt.Printf("%g %v %f %+.1f\n", nz, nz, nz, nz)
	switch nz {
	case 0:
		fmt.Println("zero")
	}
	const k = -0.0
	fmt.Println(k, 1/math.Copysign(k, 1))
	zz := float64(0) * -1
	fmt.Println(zz)
	yy := nz - 0.0
	fmt.Println(yy, 0-nz, 0.0-x)
	var ptr = func(v *float64) float64 { return 1 / *v }
	fmt.Println(ptr(&nz))
	for _, v := range []float64{nz} {
		fmt.Println(1 / v)
	}
	w := nz
	fmt.Println(1 / w)
}
