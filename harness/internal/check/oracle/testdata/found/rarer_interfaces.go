package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sort"
	"strings"
	"text/template"
	"time"
)

type Clock struct{ t time.Time }
type RW struct{ bytes.Buffer }
type RAt struct{ s string }

func (r RAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(r.s)) {
		return 0, io.EOF
	}
	n := copy(p, r.s[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type RS struct {
	s string
	i int
}

func (r *RS) Read(p []byte) (int, error) {
	if r.i >= len(r.s) {
		return 0, io.EOF
	}
	n := copy(p, r.s[r.i:])
	r.i += n
	return n, nil
}
func (r *RS) Seek(o int64, w int) (int64, error) { r.i = int(o); return o, nil }
func (r *RS) ReadRune() (rune, int, error) {
	if r.i >= len(r.s) {
		return 0, 0, io.EOF
	}
	c := r.s[r.i]
	r.i++
	return rune(c), 1, nil
}
func (r *RS) UnreadRune() error { r.i--; return nil }
func (r *RS) ReadByte() (byte, error) {
	if r.i >= len(r.s) {
		return 0, io.EOF
	}
	c := r.s[r.i]
	r.i++
	return c, nil
}
func (r *RS) UnreadByte() error { r.i--; return nil }

type Img struct{}

func (Img) ColorModel() color.Model { return color.RGBAModel }
func (Img) Bounds() image.Rectangle { return image.Rect(0, 0, 2, 2) }
func (Img) At(x, y int) color.Color { return color.RGBA{uint8(x), uint8(y), 0, 255} }

type Bin struct{ v uint16 }

func (b Bin) MarshalBinary() ([]byte, error)  { return binary.BigEndian.AppendUint16(nil, b.v), nil }
func (b *Bin) UnmarshalBinary(p []byte) error { b.v = binary.BigEndian.Uint16(p); return nil }

type FS map[string]string

func (f FS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type H struct {
	out   *[]string
	attrs []slog.Attr
}

func (h H) Enabled(context.Context, slog.Level) bool { return true }
func (h H) Handle(_ context.Context, r slog.Record) error {
	s := r.Message
	r.Attrs(func(a slog.Attr) bool { s += " " + a.String(); return true })
	*h.out = append(*h.out, s)
	return nil
}
func (h H) WithAttrs(a []slog.Attr) slog.Handler { return H{h.out, append(h.attrs, a...)} }
func (h H) WithGroup(string) slog.Handler        { return h }

type Ctx struct {
	context.Context
	id int
}

func (c Ctx) Value(k any) any {
	if k == "id" {
		return c.id
	}
	return c.Context.Value(k)
}
func main() {
	_ = fs.ErrExist
	sr := io.NewSectionReader(RAt{"0123456789"}, 2, 4)
	b, err := io.ReadAll(sr)
	fmt.Println(string(b), err)
	var rs io.ReadSeeker = &RS{s: "abcdef"}
	rs.Seek(3, io.SeekStart)
	b, _ = io.ReadAll(rs)
	fmt.Println(string(b))
	var rsn io.RuneScanner = &RS{s: "xyz"}
	r, _, _ := rsn.ReadRune()
	rsn.UnreadRune()
	fmt.Println(string(r))
	var bs io.ByteScanner = &RS{s: "xyz"}
	c, _ := bs.ReadByte()
	bs.UnreadByte()
	fmt.Println(c)
	var im image.Image = Img{}
	fmt.Println(im.Bounds(), im.At(1, 1))
	var bm encoding.BinaryMarshaler = Bin{258}
	b, err = bm.MarshalBinary()
	fmt.Println(b, err)
	var out []string
	lg := slog.New(H{out: &out})
	lg.Info("hi", "a", 1, "b", Bin{3})
	lg.With("z", 1).Warn("w")
	fmt.Println(out)
	ctx := Ctx{context.Background(), 5}
	c2, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	fmt.Println(c2.Value("id"))
	cr := csv.NewReader(&RS{s: "a,b\nc,d\n"})
	recs, err := cr.ReadAll()
	fmt.Println(recs, err)
	dec := json.NewDecoder(&RS{s: `{"a":1}{"a":2}`})
	for dec.More() {
		var m map[string]int
		dec.Decode(&m)
		fmt.Println(m)
	}
	sort.Sort(sort.Reverse(sort.StringSlice([]string{"a"})))
	bw := bufio.NewWriter(&RW{})
	bw.WriteString("x")
	bw.Flush()
	template.Must(template.New("").Parse("{{.}}\n")).Execute(os.Stdout, Bin{4})
	rw := bufio.NewReadWriter(bufio.NewReader(&RS{s: "q"}), bufio.NewWriter(io.Discard))
	x, _ := rw.ReadByte()
	fmt.Println(x)
	rp := strings.NewReplacer("a", "b")
	rp.WriteString(&RW{}, "aaa")
	var wt io.WriterTo = &RW{}
	wt.WriteTo(io.Discard)
	var rwc io.ReadWriter = &RW{}
	fmt.Fprint(rwc, "hey")
	b, _ = io.ReadAll(rwc)
	fmt.Println(string(b))
}
