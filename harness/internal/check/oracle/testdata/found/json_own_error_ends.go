// After an error of a script's own UnmarshalJSON nothing more is read.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

type S map[int]bool

func (s *S) UnmarshalJSON(b []byte) error { return errors.New("own " + string(b)) }

type C struct {
	N S
	L int
}

func dec[T any](b string) (v T, err error) { err = json.Unmarshal([]byte(b), &v); return }

func main() {
	fmt.Println(dec[C](`{"N":["x"],"L":5}`))
	fmt.Println(dec[C](`{"N":{"x":1},"L":5}`))
	fmt.Println(dec[C](`{"N":3,"L":5}`))
	fmt.Println(dec[[]C](`[{"N":{},"L":4},{"L":5}]`))
	fmt.Println(dec[[]S](`[{},[],4]`))
	fmt.Println(dec[map[string]S](`{"a":{},"b":[]}`))
}
