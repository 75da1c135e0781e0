package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

type JSON struct{ N int }

func (*JSON) MarshalJSON() ([]byte, error) { return nil, errors.New("no way") }

type Text struct{ N int }

func (*Text) MarshalText() ([]byte, error) { return nil, errors.New("no words") }

type Cut struct{ N int }

func (*Cut) MarshalJSON() ([]byte, error) { return []byte(`{"n":`), nil }

func main() {
	for _, x := range []any{&JSON{}, []JSON{{}}, &struct{ F JSON }{}, []Text{{}}, &Text{}, &[1]Text{}, []Cut{{}}, []*Cut{{}}, map[string]JSON{"a": {1}}} {
		b, err := json.Marshal(x)
		fmt.Println(string(b), err)
	}
}
