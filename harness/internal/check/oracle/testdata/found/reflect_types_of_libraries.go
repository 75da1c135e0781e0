package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"time"
)

type own struct{ A int }

func (own) M() {}

type gen[T any] struct{ V T }

func nameOf[T any]() string { return reflect.TypeFor[T]().String() }

type iface interface{ M() }

func main() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[time.Time](), reflect.TypeFor[*time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Month](),
		reflect.TypeFor[url.Values](), reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Int](), reflect.TypeFor[json.RawMessage](),
		reflect.TypeFor[json.Number](), reflect.TypeFor[own](), reflect.TypeFor[*own](), reflect.TypeFor[gen[time.Time]](), reflect.TypeFor[gen[own]](),
		reflect.TypeFor[error](), reflect.TypeFor[io.Reader](), reflect.TypeFor[iface](), reflect.TypeFor[[]time.Time](), reflect.TypeFor[map[own]time.Duration](),
		reflect.TypeFor[any](), reflect.TypeFor[int](), reflect.TypeFor[strings.Builder](), reflect.TypeFor[func(own) time.Time](), reflect.TypeFor[reflect.Type](),
		reflect.TypeFor[reflect.Value](),
	} {
		fmt.Println(t, t.Kind(), t.Name(), t.NumMethod(), t.PkgPath(), t.Comparable())
	}
	fmt.Println(nameOf[time.Duration](), nameOf[own](), nameOf[*url.URL](), nameOf[[]big.Int]())
	fmt.Println(reflect.TypeFor[time.Time]() == reflect.TypeOf(time.Time{}), reflect.TypeFor[own]() == reflect.TypeOf(own{}))
	fmt.Println(reflect.TypeOf(&own{}).Implements(reflect.TypeFor[iface]()), reflect.TypeOf(errors.New("")).Implements(reflect.TypeFor[error]()))
	m := map[reflect.Type]string{reflect.TypeFor[time.Time](): "time", reflect.TypeFor[own](): "own", reflect.TypeFor[time.Duration](): "dur"}
	for _, x := range []any{time.Time{}, own{}, time.Second, 1} {
		fmt.Println(m[reflect.TypeOf(x)])
	}
}
