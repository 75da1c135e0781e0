package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

type nested struct {
	Err error
	S   fmt.Stringer
}

func main() {
	n := nested{Err: errors.New("e")}
	text := fmt.Sprintf("%#v", n)
	fmt.Println(strings.HasPrefix(text, "main.nested{Err:(*errors.errorString)(0x"), strings.Contains(fmt.Sprintf("%d", n), "&"), fmt.Sprintf("%v", n))
	fmt.Println(json.Unmarshal([]byte(`{"Err":1}`), &n))
	fmt.Println(json.Unmarshal([]byte(`{"Err":{}}`), &n), n.Err)
	fmt.Println(json.Unmarshal([]byte(`{"S":{}}`), &n))
	var b fmt.Stringer = new(strings.Builder)
	n.S = b
	fmt.Println(json.Unmarshal([]byte(`{"S":{"x":1}}`), &n), n.S == b)
	vars := map[string]string{"a": "1", "b_c": "2"}
	fmt.Println(os.Expand("$a ${b_c} $$ $z-${a}", func(name string) string { return vars[name] }))
}
