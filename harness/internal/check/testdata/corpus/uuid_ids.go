package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"
)

type ID [16]byte

var Nil ID

func (id ID) String() string {
	var b [36]byte
	hex.Encode(b[:8], id[:4])
	pos := 8
	for _, r := range [][2]int{{4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		b[pos] = '-'
		pos++
		pos += hex.Encode(b[pos:], id[r[0]:r[1]])
	}
	return string(b[:])
}
func Parse(s string) (id ID, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil {
		return Nil, fmt.Errorf("parse id: %w", err)
	}
	if n := copy(id[:], b); n != len(id) || len(b) > n {
		return Nil, fmt.Errorf("parse id: %d bytes", len(b))
	}
	return
}
func (id ID) MarshalText() ([]byte, error)      { return []byte(id.String()), nil }
func (id *ID) UnmarshalText(b []byte) (e error) { *id, e = Parse(string(b)); return }
func (id ID) Time() time.Time {
	var ms int64
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms).UTC()
}

type Gen struct {
	now func() time.Time
	seq uint16
	st  uint64
}

func (g *Gen) Next() (id ID) {
	ms := g.now().UnixMilli()
	for i := 5; i >= 0; i-- {
		id[i] = byte(ms)
		ms >>= 8
	}
	g.seq++
	id[6], id[7] = 0x70|byte(g.seq>>8)&0xf, byte(g.seq)
	for i := range id[8:] {
		g.st = g.st*6364136223846793005 + 1442695040888963407
		id[8+i] = byte(g.st >> 33)
	}
	id[8] = id[8]&0x3f | 0x80
	return
}

type Rec struct {
	ID     ID             `json:"id"`
	Parent *ID            `json:"parent,omitempty"`
	Refs   map[ID]float64 `json:"refs,omitempty"`
	Kids   []ID           `json:"kids,omitempty"`
}
type byTime []ID

func (b byTime) Len() int           { return len(b) }
func (b byTime) Less(i, j int) bool { return b[i].String() < b[j].String() }
func (b byTime) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func main() {
	t := time.UnixMilli(1_750_000_000_123)
	g := &Gen{now: func() time.Time { t = t.Add(-time.Second); return t }}
	ids := make([]ID, 4)
	for i := range ids {
		ids[i] = g.Next()
	}
	fmt.Println(ids[0], ids[0].Time().Format(time.RFC3339Nano), ids[0] == Nil)
	sort.Sort(byTime(ids))
	for _, id := range ids {
		fmt.Println(id, id[6]>>4, len(id.String()))
	}
	r := Rec{ID: ids[0], Parent: &ids[1], Refs: map[ID]float64{ids[2]: .5, ids[3]: 2}, Kids: ids[2:]}
	b, err := json.Marshal(r)
	fmt.Println(string(b), err)
	var back Rec
	err = json.Unmarshal(b, &back)
	fmt.Println(err, back.ID == r.ID, *back.Parent == ids[1], back.Refs[ids[3]], back.Kids[1] == ids[3])
	for _, s := range []string{"xyz", "00", `{"id":"12"}`, strings.Repeat("ab", 17)} {
		_, err := Parse(s)
		fmt.Println(err)
	}
	err = json.Unmarshal([]byte(`{"refs":{"zz":1}}`), &back)
	fmt.Println(err)
	err = json.Unmarshal([]byte(`{"id":7}`), &back)
	fmt.Println(err)
	fmt.Printf("%v %s %x %.8s %q\n", Nil, ids[0], ids[0], ids[0], ids[0])
	set := map[ID]struct{}{}
	for range 3 {
		set[Nil] = struct{}{}
	}
	cp := ids[0]
	cp[0] ^= 0xff
	fmt.Println(len(set), cp == ids[0], cp[0]+ids[0][0])
}
