// Run-length, LZW, base64 by hand, gzip and zip round trips in memory.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

type Codec interface {
	Encode(string) ([]byte, error)
	Decode([]byte) (string, error)
}

type rle struct{}
type lzw struct{ maxBits int }
type b64 string
type gz struct{ level int }
type stack []Codec

var ErrCorrupt = errors.New("corrupt")

func (rle) Encode(s string) (out []byte, _ error) {
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] && j-i < 255 {
			j++
		}
		out = append(out, byte(j-i), s[i])
		i = j
	}
	return
}

func (rle) Decode(b []byte) (string, error) {
	var sb strings.Builder
	for ; len(b) >= 2; b = b[2:] {
		sb.WriteString(strings.Repeat(string(b[1:2]), int(b[0])))
	}
	if len(b) != 0 {
		return sb.String(), fmt.Errorf("rle: odd length: %w", ErrCorrupt)
	}
	return sb.String(), nil
}

func (l lzw) Encode(s string) ([]byte, error) {
	dict := map[string]uint16{}
	for i := range 256 {
		dict[string([]byte{byte(i)})] = uint16(i)
	}
	var out []byte
	w := ""
	for _, c := range []byte(s) {
		wc := w + string([]byte{c})
		if _, ok := dict[wc]; ok {
			w = wc
			continue
		}
		out = append(out, byte(dict[w]>>8), byte(dict[w]))
		if len(dict) < 1<<l.maxBits {
			dict[wc] = uint16(len(dict))
		}
		w = wc[len(w):]
	}
	if w != "" {
		out = append(out, byte(dict[w]>>8), byte(dict[w]))
	}
	return out, nil
}

func (l lzw) Decode(b []byte) (string, error) {
	dict := make([]string, 256, 1<<l.maxBits)
	for i := range dict {
		dict[i] = string([]byte{byte(i)})
	}
	var out strings.Builder
	prev := ""
	for i := 0; i+1 < len(b); i += 2 {
		code := int(b[i])<<8 | int(b[i+1])
		var cur string
		switch {
		case code < len(dict):
			cur = dict[code]
		case code == len(dict) && prev != "":
			cur = prev + prev[:1]
		default:
			return out.String(), fmt.Errorf("lzw: code %d at %d: %w", code, i, ErrCorrupt)
		}
		out.WriteString(cur)
		if prev != "" && len(dict) < cap(dict) {
			dict = append(dict, prev+cur[:1])
		}
		prev = cur
	}
	return out.String(), nil
}

func (alphabet b64) Encode(s string) (out []byte, _ error) {
	for len(s) > 0 {
		var chunk [3]byte
		n := copy(chunk[:], s)
		s = s[n:]
		v := uint(chunk[0])<<16 | uint(chunk[1])<<8 | uint(chunk[2])
		for i := range 4 {
			if i > n {
				out = append(out, '=')
				continue
			}
			out = append(out, alphabet[v>>(18-6*i)&63])
		}
	}
	return
}

func (alphabet b64) Decode(b []byte) (string, error) {
	var out []byte
	for ; len(b) >= 4; b = b[4:] {
		v, pad := 0, 0
		for _, c := range b[:4] {
			i := strings.IndexByte(string(alphabet), c)
			if c == '=' {
				i, pad = 0, pad+1
			}
			if i < 0 {
				return string(out), fmt.Errorf("base64: byte %s: %w", strconv.QuoteRune(rune(c)), ErrCorrupt)
			}
			v = v<<6 | i
		}
		out = append(out, []byte{byte(v >> 16), byte(v >> 8), byte(v)}[:3-pad]...)
	}
	return string(out), nil
}

func (g gz) Encode(s string) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, g.level)
	if err != nil {
		return nil, err
	}
	w.Name = "n"
	_, err = io.WriteString(w, s)
	return buf.Bytes(), errors.Join(err, w.Close())
}

func (gz) Decode(b []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	defer r.Close()
	out, err := io.ReadAll(r)
	return string(out), err
}

func (st stack) Encode(s string) (b []byte, err error) {
	b = []byte(s)
	for _, c := range st {
		if b, err = c.Encode(string(b)); err != nil {
			return
		}
	}
	return
}

func (st stack) Decode(b []byte) (s string, err error) {
	for i := len(st) - 1; i >= 0; i-- {
		if s, err = st[i].Decode(b); err != nil {
			return s, fmt.Errorf("layer %d (%T): %w", i, st[i], err)
		}
		b = []byte(s)
	}
	return
}

func main() {
	std := b64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	codecs := []Codec{rle{}, lzw{12}, std, gz{9}, stack{rle{}, std}, stack{lzw{9}, rle{}, std}}
	for _, in := range []string{"aaaabbbc", "TOBEORNOTTOBEORTOBEORNOT", "", "x", strings.Repeat("ab", 300)} {
		for _, c := range codecs {
			b, err := c.Encode(in)
			s, err2 := c.Decode(b)
			if _, isGz := c.(gz); isGz {
				b = nil
			}
			fmt.Printf("%T %.24q n=%d ok=%t %v %v\n", c, b, len(b), s == in, err, err2)
		}
	}
	for _, bad := range []struct {
		c Codec
		b string
	}{{rle{}, "\x03ab"}, {lzw{12}, "\x00a\x7f\xff"}, {std, "QUJD####"}, {gz{}, "not gzip at all"}, {stack{rle{}, std}, "QUJD"}} {
		s, err := bad.c.Decode([]byte(bad.b))
		fmt.Printf("%q %v %t\n", s, err, errors.Is(err, ErrCorrupt))
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for name, body := range map[string]string{"dir/a.txt": "alpha"} {
		w, _ := zw.Create(name)
		io.WriteString(w, body)
	}
	fmt.Println(zw.Close())
	zr, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	fmt.Println(err, zr.File[0].Name, zr.File[0].UncompressedSize64)
	rc, _ := zr.File[0].Open()
	body, _ := io.ReadAll(rc)
	fmt.Println(string(body), rc.Close())
	fmt.Print(string(pem.EncodeToMemory(&pem.Block{Type: "TEST", Headers: map[string]string{"k": "v"}, Bytes: body})))
}
