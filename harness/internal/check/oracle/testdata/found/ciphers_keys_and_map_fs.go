package main

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"image/color/palette"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing/fstest"
	"text/template"
)

type user struct{ name string }

func hashOf(n func() hash.Hash, s string) string {
	h := n()
	io.WriteString(h, s)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func main() {
	key := sha256.Sum256([]byte("secret"))
	block, err := aes.NewCipher(key[:])
	fmt.Println(block.BlockSize(), err)
	_, err = aes.NewCipher([]byte("short"))
	var ks aes.KeySizeError
	fmt.Println(err, errors.As(err, &ks), int(ks))
	gcm, err := cipher.NewGCM(block)
	nonce := make([]byte, gcm.NonceSize())
	sealed := gcm.Seal(nil, nonce, []byte("hello"), []byte("ad"))
	fmt.Printf("%x %v\n", sealed, err)
	open, err := gcm.Open(nil, nonce, sealed, []byte("ad"))
	fmt.Println(string(open), err)
	sealed[0] ^= 1
	_, err = gcm.Open(nil, nonce, sealed, []byte("ad"))
	fmt.Println(err)
	iv := make([]byte, aes.BlockSize)
	buf := []byte("exactly 16 bytes")
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(buf, buf)
	fmt.Printf("%x\n", buf)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(buf, buf)
	fmt.Println(string(buf))
	var out bytes.Buffer
	w := &cipher.StreamWriter{S: cipher.NewCTR(block, iv), W: &out}
	fmt.Fprint(w, "stream")
	r := &cipher.StreamReader{S: cipher.NewCTR(block, iv), R: &out}
	b, err := io.ReadAll(r)
	fmt.Println(string(b), err)
	d, _ := des.NewCipher([]byte("8bytes!!"))
	fmt.Println(d.BlockSize())

	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	sig := ed25519.Sign(priv, []byte("m"))
	fmt.Println(len(pub), ed25519.Verify(pub, []byte("m"), sig), ed25519.Verify(pub, []byte("n"), sig), err)
	seeded := ed25519.NewKeyFromSeed(key[:])
	fmt.Printf("%x\n", seeded.Public().(ed25519.PublicKey)[:4])
	s2, err := seeded.Sign(nil, []byte("m"), crypto.Hash(0))
	fmt.Printf("%x %v\n", s2[:4], err)

	k, err := pbkdf2.Key(sha256.New, "password", []byte("salt"), 4096, 32)
	fmt.Printf("%x %v\n", k, err)
	k, err = pbkdf2.Key(sha512.New, "password", []byte("salt"), 1, 20)
	fmt.Printf("%x %v\n", k, err)
	k, err = pbkdf2.Key(func() hash.Hash { return sha3.New256() }, "p", nil, 2, 8)
	fmt.Printf("%x %v\n", k, err)
	k, err = pbkdf2.Key(sha3.New256, "p", nil, 2, 8)
	fmt.Printf("%x %v\n", k, err)
	k, err = hkdf.Key(sha256.New, []byte("secret"), []byte("salt"), "info", 16)
	fmt.Printf("%x %v\n", k, err)
	prk, err := hkdf.Extract(sha256.New, []byte("secret"), nil)
	n := 8
	k, err = hkdf.Expand(sha256.New, prk, "x", n)
	fmt.Printf("%x %v\n", k, err)
	_, err = hkdf.Expand(sha256.New, prk, "x", 1<<20)
	fmt.Println(err)
	fmt.Printf("%x\n", sha3.Sum256([]byte("x")))
	sh := sha3.NewSHAKE128()
	sh.Write([]byte("x"))
	sh.Read(nonce)
	fmt.Printf("%x\n", nonce)
	fmt.Println(crypto.SHA256, crypto.SHA256.Size(), crypto.SHA256.Available(), hashOf(crypto.SHA256.New, "a"), hashOf(sha256.New, "a"))
	fmt.Println(len(palette.WebSafe), palette.Plan9[3])

	fsys := fstest.MapFS{
		"a/b.txt":   {Data: []byte("hello {{.name}}")},
		"a/c/d.txt": &fstest.MapFile{Data: []byte("deep"), Mode: 0o600},
		"e.tmpl":    {Data: []byte("T {{.}}\n")},
	}
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		fmt.Println(p, d.IsDir(), d, err)
		return err
	})
	data, err := fs.ReadFile(fsys, "a/b.txt")
	fmt.Println(string(data), err)
	_, err = fsys.Open("nope")
	fmt.Println(err, errors.Is(err, fs.ErrNotExist))
	fi, err := fs.Stat(fsys, "a/c/d.txt")
	fmt.Println(fi.Name(), fi.Size(), fi.Mode(), err)
	m, err := fs.Glob(fsys, "*/*.txt")
	fmt.Println(m, err)
	sub, err := fs.Sub(fsys, "a")
	e, err := fs.ReadDir(sub, ".")
	fmt.Println(len(e), e[0], err)
	t := template.Must(template.ParseFS(fsys, "*.tmpl"))
	fmt.Println(t.ExecuteTemplate(os.Stdout, "e.tmpl", 7))
	fsys["new"] = &fstest.MapFile{Data: []byte("n")}
	fmt.Println(len(fsys), fmt.Sprintf("%T", fsys))

	fmt.Println(os.Expand("hi $name, ${what}!", func(s string) string { return strings.ToUpper(s) }), string(os.PathSeparator), os.IsPathSeparator('/'))
	var mode os.FileMode = os.ModeDir | 0o755
	fmt.Println(mode, mode.IsDir(), mode&os.ModePerm)
	var info os.FileInfo = fi
	fmt.Println(info.Name(), user{"x"})
	var _ cipher.AEAD = gcm
}
