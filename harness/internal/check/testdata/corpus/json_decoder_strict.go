// Decoder details: UseNumber, DisallowUnknownFields, Buffered, duplicate keys, case folding, offsets, big ints, arrays.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
)

type Amount struct{ *big.Int }

func (a *Amount) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("amount: %w", err)
	}
	a.Int = new(big.Int)
	if _, ok := a.SetString(n.String(), 10); !ok {
		return &RangeError{n}
	}
	return nil
}

type RangeError struct{ json.Number }

func (r *RangeError) Error() string { return "not an integer: " + string(r.Number) }

type Payment struct {
	ID     string            `json:"id"`
	Amount Amount            `json:"amount"`
	Meta   map[string]string `json:"meta"`
	Flags  struct {
		Urgent, Test bool
	}
	Opt   *Payment `json:"opt"`
	Codes [2]int8  `json:"codes"`
	Any   any
}

func strict(s string) (p Payment, tail string, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&p); err != nil {
		return
	}
	rest, _ := io.ReadAll(dec.Buffered())
	return p, string(rest), nil
}

func kind(err error) string {
	var se *json.SyntaxError
	var te *json.UnmarshalTypeError
	var re *RangeError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &se):
		return fmt.Sprintf("syntax@%d", se.Offset)
	case errors.As(err, &te):
		return fmt.Sprintf("type %s@%d %s.%s %v", te.Value, te.Offset, te.Struct, te.Field, te.Type)
	case errors.As(err, &re):
		return "range " + re.String()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "short"
	case errors.Is(err, io.EOF):
		return "empty"
	}
	return "other"
}

type loose map[string]any

func (l loose) num(k string) (n int64, err error) {
	switch v := l[k].(type) {
	case json.Number:
		return v.Int64()
	case string:
		_, err = fmt.Sscan(v, &n)
	case nil:
		err = errors.New("no " + k)
	default:
		err = fmt.Errorf("%s is %T", k, v)
	}
	return
}

func main() {
	for _, s := range []string{
		`{"id":"a","amount":123456789012345678901234567890,"FLAGS":{"urgent":true,"TEST":true},"codes":[1,2,3]} trailing`,
		`{"id":"b","ID":"c","amount":1,"meta":{"k":"v","k":"w"}}`,
		`{"id":"d","amount":1.5}`, `{"amount":"12"}`, `{"amount":true}`, `{"id":1}`, `{"nope":1}`, `{"opt":{"opt":{"bad":0}}}`, `{"opt":{"opt":{"id":[]}}}`,
		`{"codes":[1,300]}`, `{"meta":{"k":1}}`, `{"id":"x"`, ``, `   `, `{'id':1}`, `{"id":"\x"}`, `{"id":"tab	"}`, `{"Any":[1e5,{"x":0.10}],"id":null}`, `nul`, `{"flags":{"Urgent":"yes"}}`, `{"amount":1,}`,
	} {
		p, tail, err := strict(s)
		fmt.Printf("%-30.30q %s | %v\n", s, kind(err), err)
		if err == nil {
			fmt.Println("  ", p.ID, p.Amount.Int, p.Meta, p.Flags, p.Codes, p.Any, fmt.Sprintf("%q", tail))
		}
	}
	dec := json.NewDecoder(strings.NewReader(`{"a":9007199254740993,"b":"77","c":[1],"d":1.5,"e":1e400}`))
	dec.UseNumber()
	var l loose
	fmt.Println(dec.Decode(&l), l)
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		fmt.Println(l.num(k))
	}
	_, err := l["e"].(json.Number).Float64()
	fmt.Println(err)
	b, err := json.Marshal(l)
	fmt.Println(string(b), err)
	var f float64
	fmt.Println(json.Unmarshal([]byte("1e400"), &f), f, json.Unmarshal([]byte("-0"), &f), f)
	var u8s []uint8
	var runes []rune
	var iface any = new(int)
	fmt.Println(json.Unmarshal([]byte(`"AQID"`), &u8s), u8s, json.Unmarshal([]byte(`[65,66]`), &runes), string(runes))
	fmt.Println(json.Unmarshal([]byte("5"), &iface), *iface.(*int))
	n := 0
	iface = &n
	fmt.Println(json.Unmarshal([]byte("6"), iface), n, json.Unmarshal([]byte(`{"x":1}`), &iface), *iface.(*int))
	var num json.Number
	fmt.Println(json.Unmarshal([]byte(`"12x"`), &num), json.Unmarshal([]byte(`12`), &num), num)
	_, err = json.Marshal(struct{ N json.Number }{"bad"})
	fmt.Println(err)
	var rm struct {
		A json.RawMessage
		B *json.RawMessage
		C []json.RawMessage
	}
	fmt.Println(json.Unmarshal([]byte(`{"A": {"x" : 1 },"B":null,"C":[1, "two",{}]}`), &rm), string(rm.A), rm.B == nil, len(rm.C), string(rm.C[1]))
	b, _ = json.Marshal(rm)
	fmt.Println(string(b))
}
