package rt

import (
	"compress/flate"
	"compress/zlib"
	"crypto"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/elliptic"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math/big"
	"mime/multipart"
)

// Adapters of ciphers, signers and other interfaces that scripts implement
// for one library function or two.

type (
	signer          struct{ adapter }
	messageSigner   struct{ signer }
	signerOpts      struct{ adapter }
	decrypter       struct{ adapter }
	decapsulator    struct{ adapter }
	encapsulator    struct{ adapter }
	aead            struct{ adapter }
	cipherBlock     struct{ adapter }
	blockMode       struct{ adapter }
	cipherStream    struct{ adapter }
	hashCloner      struct{ hasher }
	extendable      struct{ readWriter }
	byteOrder       struct{ adapter }
	byteOrderAppend struct{ adapter }
	resetter        struct{ adapter }
	printState      struct{ writer }
	scanState       struct{ runeScanner }
	formFile        struct{ readSeekCloser }
	keyExchanger    struct{ adapter }
	curve           struct{ adapter }
)

func (a signer) Public() crypto.PublicKey { return a.must("Public")[0].Interface() }
func (a signer) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return a.bytesError("Sign", rand, digest, opts)
}
func (a messageSigner) SignMessage(rand io.Reader, msg []byte, opts crypto.SignerOpts) ([]byte, error) {
	return a.bytesError("SignMessage", rand, msg, opts)
}
func (a signerOpts) HashFunc() crypto.Hash   { return crypto.Hash(a.must("HashFunc")[0].Uint()) }
func (a decrypter) Public() crypto.PublicKey { return a.must("Public")[0].Interface() }
func (a decrypter) Decrypt(rand io.Reader, msg []byte, opts crypto.DecrypterOpts) ([]byte, error) {
	return a.bytesError("Decrypt", rand, msg, opts)
}
func (a decapsulator) Decapsulate(ciphertext []byte) ([]byte, error) {
	return a.bytesError("Decapsulate", ciphertext)
}
func (a decapsulator) Encapsulator() crypto.Encapsulator {
	e, _ := a.must("Encapsulator")[0].Interface().(crypto.Encapsulator)
	return e
}
func (a encapsulator) Bytes() []byte { return a.must("Bytes")[0].Bytes() }
func (a encapsulator) Encapsulate() (sharedKey, ciphertext []byte) {
	r := a.must("Encapsulate")
	return r[0].Bytes(), r[1].Bytes()
}

func (a aead) NonceSize() int { return int(a.must("NonceSize")[0].Int()) }
func (a aead) Overhead() int  { return int(a.must("Overhead")[0].Int()) }
func (a aead) Seal(dst, nonce, plaintext, additional []byte) []byte {
	return a.must("Seal", dst, nonce, plaintext, additional)[0].Bytes()
}
func (a aead) Open(dst, nonce, ciphertext, additional []byte) ([]byte, error) {
	return a.bytesError("Open", dst, nonce, ciphertext, additional)
}
func (a cipherBlock) BlockSize() int              { return int(a.must("BlockSize")[0].Int()) }
func (a cipherBlock) Encrypt(dst, src []byte)     { a.must("Encrypt", dst, src) }
func (a cipherBlock) Decrypt(dst, src []byte)     { a.must("Decrypt", dst, src) }
func (a blockMode) BlockSize() int                { return int(a.must("BlockSize")[0].Int()) }
func (a blockMode) CryptBlocks(dst, src []byte)   { a.must("CryptBlocks", dst, src) }
func (a cipherStream) XORKeyStream(d, src []byte) { a.must("XORKeyStream", d, src) }

func (a hashCloner) Clone() (hash.Cloner, error) {
	r := a.must("Clone")
	c, _ := r[0].Interface().(hash.Cloner)
	return c, asError(r[1])
}
func (a extendable) Reset()         { a.must("Reset") }
func (a extendable) BlockSize() int { return int(a.must("BlockSize")[0].Int()) }

func (a byteOrder) Uint16(b []byte) uint16       { return uint16(a.must("Uint16", b)[0].Uint()) }
func (a byteOrder) Uint32(b []byte) uint32       { return uint32(a.must("Uint32", b)[0].Uint()) }
func (a byteOrder) Uint64(b []byte) uint64       { return a.must("Uint64", b)[0].Uint() }
func (a byteOrder) PutUint16(b []byte, v uint16) { a.must("PutUint16", b, v) }
func (a byteOrder) PutUint32(b []byte, v uint32) { a.must("PutUint32", b, v) }
func (a byteOrder) PutUint64(b []byte, v uint64) { a.must("PutUint64", b, v) }
func (a byteOrder) String() string               { return a.must("String")[0].String() }

func (a byteOrderAppend) AppendUint16(b []byte, v uint16) []byte {
	return a.must("AppendUint16", b, v)[0].Bytes()
}
func (a byteOrderAppend) AppendUint32(b []byte, v uint32) []byte {
	return a.must("AppendUint32", b, v)[0].Bytes()
}
func (a byteOrderAppend) AppendUint64(b []byte, v uint64) []byte {
	return a.must("AppendUint64", b, v)[0].Bytes()
}
func (a byteOrderAppend) String() string { return a.must("String")[0].String() }

func (a resetter) Reset(r io.Reader, dict []byte) error { return asError(a.must("Reset", r, dict)[0]) }

func (a adapter) intBool(name string) (int, bool) {
	r := a.must(name)
	return int(r[0].Int()), r[1].Bool()
}

func (a printState) Width() (int, bool)     { return a.intBool("Width") }
func (a printState) Precision() (int, bool) { return a.intBool("Precision") }
func (a printState) Flag(c int) bool        { return a.must("Flag", c)[0].Bool() }
func (a scanState) Width() (int, bool)      { return a.intBool("Width") }
func (a scanState) SkipSpace()              { a.must("SkipSpace") }
func (a scanState) Read(b []byte) (int, error) {
	return a.countError("Read", b)
}
func (a scanState) Token(skipSpace bool, f func(rune) bool) ([]byte, error) {
	return a.bytesError("Token", skipSpace, f)
}
func (a formFile) ReadAt(p []byte, off int64) (int, error) { return a.countError("ReadAt", p, off) }

func (a keyExchanger) PublicKey() *ecdh.PublicKey {
	k, _ := a.must("PublicKey")[0].Interface().(*ecdh.PublicKey)
	return k
}
func (a keyExchanger) Curve() ecdh.Curve {
	c, _ := a.must("Curve")[0].Interface().(ecdh.Curve)
	return c
}
func (a keyExchanger) ECDH(k *ecdh.PublicKey) ([]byte, error) { return a.bytesError("ECDH", k) }

func (a curve) Params() *elliptic.CurveParams {
	p, _ := a.must("Params")[0].Interface().(*elliptic.CurveParams)
	return p
}
func (a curve) point(method string, args ...any) (x, y *big.Int) {
	r := a.must(method, args...)
	x, _ = r[0].Interface().(*big.Int)
	y, _ = r[1].Interface().(*big.Int)
	return x, y
}
func (a curve) IsOnCurve(x, y *big.Int) bool                { return a.must("IsOnCurve", x, y)[0].Bool() }
func (a curve) Add(x1, y1, x2, y2 *big.Int) (x, y *big.Int) { return a.point("Add", x1, y1, x2, y2) }
func (a curve) Double(x1, y1 *big.Int) (x, y *big.Int)      { return a.point("Double", x1, y1) }
func (a curve) ScalarBaseMult(k []byte) (x, y *big.Int)     { return a.point("ScalarBaseMult", k) }
func (a curve) ScalarMult(x1, y1 *big.Int, k []byte) (x, y *big.Int) {
	return a.point("ScalarMult", x1, y1, k)
}

var cryptoAdapters = map[string]any{
	"ToSigner":          adapted(func(a adapter) crypto.Signer { return signer{a} }),
	"ToMessageSigner":   adapted(func(a adapter) crypto.MessageSigner { return messageSigner{signer{a}} }),
	"ToSignerOpts":      adapted(func(a adapter) crypto.SignerOpts { return signerOpts{a} }),
	"ToDecrypter":       adapted(func(a adapter) crypto.Decrypter { return decrypter{a} }),
	"ToDecapsulator":    adapted(func(a adapter) crypto.Decapsulator { return decapsulator{a} }),
	"ToEncapsulator":    adapted(func(a adapter) crypto.Encapsulator { return encapsulator{a} }),
	"ToAEAD":            adapted(func(a adapter) cipher.AEAD { return aead{a} }),
	"ToBlock":           adapted(func(a adapter) cipher.Block { return cipherBlock{a} }),
	"ToBlockMode":       adapted(func(a adapter) cipher.BlockMode { return blockMode{a} }),
	"ToStream":          adapted(func(a adapter) cipher.Stream { return cipherStream{a} }),
	"ToCloner":          adapted(func(a adapter) hash.Cloner { return hashCloner{hasher{a}} }),
	"ToXOF":             adapted(func(a adapter) hash.XOF { return extendable{readWriter{a}} }),
	"ToByteOrder":       adapted(func(a adapter) binary.ByteOrder { return byteOrder{a} }),
	"ToAppendByteOrder": adapted(func(a adapter) binary.AppendByteOrder { return byteOrderAppend{a} }),
	"ToFlateReader":     adapted(func(a adapter) flate.Reader { return readerByte{reader{a}} }),
	"ToFlateResetter":   adapted(func(a adapter) flate.Resetter { return resetter{a} }),
	"ToZlibResetter":    adapted(func(a adapter) zlib.Resetter { return resetter{a} }),
	"ToPrintState":      adapted(func(a adapter) fmt.State { return printState{writer{a}} }),
	"ToScanState":       adapted(func(a adapter) fmt.ScanState { return scanState{runeScanner{runeReader{a}}} }),
	"ToKeyExchanger":    adapted(func(a adapter) ecdh.KeyExchanger { return keyExchanger{a} }),
	"ToCurve":           adapted(func(a adapter) elliptic.Curve { return curve{a} }),
	"ToFormFile":        adapted(func(a adapter) multipart.File { return formFile{readSeekCloser{readCloser{a}}} }),
}
