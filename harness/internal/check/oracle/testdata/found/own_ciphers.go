// Ciphers, signers, byte orders and states of formatting that a script has itself, where the library takes them.
package main

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"crypto"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing/fstest"
	"testing/iotest"
	"time"
)

type shift struct{ by byte }

func (s shift) BlockSize() int          { return 4 }
func (s shift) Encrypt(dst, src []byte) { s.move(dst, src, s.by) }
func (s shift) Decrypt(dst, src []byte) { s.move(dst, src, -s.by) }
func (s shift) move(dst, src []byte, by byte) {
	for i := range 4 {
		dst[i] = src[i] + by
	}
}

type flip struct{}

func (flip) XORKeyStream(dst, src []byte) {
	for i, b := range src {
		dst[i] = b ^ 0x20
	}
}

type noSeal struct{ cipher.AEAD }

func (noSeal) NonceSize() int { return 2 }
func (noSeal) Overhead() int  { return 1 }
func (noSeal) Seal(dst, nonce, plain, more []byte) []byte {
	return append(append(dst, plain...), byte(len(nonce)+len(more)))
}

type counting struct {
	crypto.Signer
	hashes []crypto.Hash
}

func (c *counting) Sign(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	c.hashes = append(c.hashes, opts.HashFunc())
	return c.Signer.Sign(r, digest, opts)
}

type plain int

func (p plain) HashFunc() crypto.Hash { return crypto.Hash(p) }

func signed(s crypto.Signer, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return s.Sign(rand.Reader, digest, opts)
}

type middle struct{ binary.ByteOrder }

func (middle) Uint16(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
func (middle) Uint32(b []byte) uint32 {
	return uint32(b[1])<<24 | uint32(b[0])<<16 | uint32(b[3])<<8 | uint32(b[2])
}
func (middle) PutUint16(b []byte, v uint16) { b[0], b[1] = byte(v), byte(v>>8) }
func (middle) PutUint32(b []byte, v uint32) {
	b[1], b[0], b[3], b[2] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
}
func (middle) String() string { return "middle" }

type state struct {
	strings.Builder
	flags string
}

func (s *state) Width() (int, bool)     { return 7, true }
func (s *state) Precision() (int, bool) { return 0, false }
func (s *state) Flag(c int) bool        { return strings.ContainsRune(s.flags, rune(c)) }

type temperature float64

func (t temperature) Format(s fmt.State, verb rune) {
	fmt.Fprintf(s, fmt.FormatString(s, 'g')+"°", float64(t))
}

type bytewise struct{ s string }

func (b *bytewise) Read(p []byte) (int, error) {
	n := copy(p, b.s)
	if b.s = b.s[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
func (b *bytewise) ReadByte() (byte, error) {
	var p [1]byte
	_, err := b.Read(p[:])
	return p[0], err
}

type owned struct{ name string }

func (o owned) Name() string           { return o.name }
func (o owned) Size() int64            { return 3 }
func (o owned) Mode() fs.FileMode      { return 0o640 }
func (o owned) ModTime() time.Time     { return time.Unix(1e9, 0).UTC() }
func (o owned) IsDir() bool            { return false }
func (o owned) Sys() any               { return nil }
func (o owned) Uname() (string, error) { return "me", nil }
func (o owned) Gname() (string, error) { return "us", nil }

type links map[string]string

func (l links) Open(name string) (fs.File, error) { return nil, fs.ErrNotExist }
func (l links) ReadLink(name string) (string, error) {
	return l[name], nil
}
func (l links) Lstat(name string) (fs.FileInfo, error) { return owned{name}, nil }

func main() {
	b := cipher.Block(shift{3})
	out := make([]byte, 8)
	cipher.NewCBCEncrypter(b, []byte("init")).CryptBlocks(out, []byte("eightchr"))
	fmt.Printf("%q\n", out)
	cipher.NewCBCDecrypter(b, []byte("init")).CryptBlocks(out, out)
	fmt.Printf("%q\n", out)
	text, err := io.ReadAll(cipher.StreamReader{S: flip{}, R: strings.NewReader("Hello")})
	fmt.Printf("%s %v\n", text, err)
	var aead cipher.AEAD = noSeal{}
	fmt.Println(aead.Seal(nil, []byte("12"), []byte("x"), []byte("abc")), aead.NonceSize())

	digest := sha256.Sum256([]byte("message"))
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s := &counting{Signer: ec}
	sig, err := signed(s, digest[:], crypto.SHA256)
	fmt.Println(ecdsa.VerifyASN1(&ec.PublicKey, digest[:], sig), err, s.hashes)
	key, _ := rsa.GenerateKey(rand.Reader, 1024)
	s.Signer = key
	sig, err = signed(s, digest[:], &rsa.PSSOptions{Hash: crypto.SHA256})
	fmt.Println(rsa.VerifyPSS(&key.PublicKey, crypto.SHA256, digest[:], sig, nil), err, s.hashes)
	ed := ed25519.NewKeyFromSeed(make([]byte, 32))
	sig, err = signed(ed, []byte("message"), plain(0))
	fmt.Println(ed25519.Verify(ed.Public().(ed25519.PublicKey), []byte("message"), sig), err)

	var buf bytes.Buffer
	fmt.Println(binary.Write(&buf, middle{}, struct {
		A uint32
		B uint16
	}{0x01020304, 0x0506}), buf.Bytes())
	var a uint32
	fmt.Println(binary.Read(&buf, middle{}, &a), a, middle{})
	st := &state{flags: "+0"}
	temperature(21.5).Format(st, 'v')
	fmt.Printf("%q %q\n", st.String(), fmt.FormatString(st, 'd'))

	buf.Reset()
	z := zlib.NewWriter(&buf)
	io.WriteString(z, "again and again and again")
	z.Close()
	stream := buf.String() + "rest"
	r := &bytewise{stream}
	var fr flate.Reader = r
	zr, err := zlib.NewReader(fr)
	text, err2 := io.ReadAll(zr)
	fmt.Printf("%s %v %v %q\n", text, err, err2, r.s)
	fmt.Println(zr.(zlib.Resetter).Reset(strings.NewReader(stream), nil))
	text, _ = io.ReadAll(zr)
	fmt.Println(len(text))

	h, err := tar.FileInfoHeader(owned{"a"}, "")
	fmt.Println(h.Uname, h.Gname, h.Size, h.FileInfo().Mode(), err)
	target, err := fs.ReadLink(links{"a": "b"}, "a")
	info, err2 := fs.Lstat(links{}, "c")
	fmt.Println(target, err, info.Name(), err2)
	fmt.Println(iotest.TestReader(&bytewise{"text"}, []byte("text")), fstest.TestFS(fstest.MapFS{"a/b": {Data: []byte("x")}}, "a/b"))
}
