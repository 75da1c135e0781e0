package rt

import (
	"encoding"
	"encoding/gob"
	"encoding/xml"
	"fmt"
	"hash"
	"io"
	"math/rand"
)

// Adapters of the rarer interfaces: positions in streams, binary forms, XML.

type (
	seeker            struct{ adapter }
	readSeeker        struct{ reader }
	writeSeeker       struct{ writer }
	readWriteSeeker   struct{ readWriter }
	readSeekCloser    struct{ readCloser }
	readerAt          struct{ adapter }
	writerAt          struct{ adapter }
	byteScanner       struct{ byteReader }
	runeScanner       struct{ runeReader }
	binaryMarshaler   struct{ adapter }
	binaryUnmarshaler struct{ adapter }
	binaryAppender    struct{ adapter }
	textAppender      struct{ adapter }
	scanner           struct{ adapter }
	hasher32          struct{ hasher }
	hasher64          struct{ hasher }
	randSource64      struct{ randSource }
	gobMarshaler      struct{ adapter }
	gobUnmarshaler    struct{ adapter }
	xmlMarshaler      struct{ adapter }
	xmlMarshalerAttr  struct{ adapter }
	xmlUnmarshaler    struct{ adapter }
	xmlUnmarshalAttr  struct{ adapter }
	xmlTokens         struct{ adapter }
)

func (a adapter) seek(offset int64, whence int) (int64, error) {
	r := a.must("Seek", offset, whence)
	return r[0].Int(), asError(r[1])
}

func (a seeker) Seek(offset int64, whence int) (int64, error)          { return a.seek(offset, whence) }
func (a readSeeker) Seek(offset int64, whence int) (int64, error)      { return a.seek(offset, whence) }
func (a writeSeeker) Seek(offset int64, whence int) (int64, error)     { return a.seek(offset, whence) }
func (a readWriteSeeker) Seek(offset int64, whence int) (int64, error) { return a.seek(offset, whence) }
func (a readSeekCloser) Seek(offset int64, whence int) (int64, error)  { return a.seek(offset, whence) }

func (a readerAt) ReadAt(p []byte, off int64) (int, error)  { return a.countError("ReadAt", p, off) }
func (a writerAt) WriteAt(p []byte, off int64) (int, error) { return a.countError("WriteAt", p, off) }
func (a byteScanner) UnreadByte() error                     { return asError(a.must("UnreadByte")[0]) }
func (a runeScanner) UnreadRune() error                     { return asError(a.must("UnreadRune")[0]) }

func (a gobMarshaler) GobEncode() ([]byte, error)        { return a.bytesError("GobEncode") }
func (a gobUnmarshaler) GobDecode(b []byte) error        { return asError(a.must("GobDecode", b)[0]) }
func (a binaryMarshaler) MarshalBinary() ([]byte, error) { return a.bytesError("MarshalBinary") }
func (a binaryUnmarshaler) UnmarshalBinary(b []byte) error {
	return asError(a.must("UnmarshalBinary", b)[0])
}
func (a binaryAppender) AppendBinary(b []byte) ([]byte, error) {
	return a.bytesError("AppendBinary", b)
}
func (a textAppender) AppendText(b []byte) ([]byte, error) { return a.bytesError("AppendText", b) }

func (a scanner) Scan(state fmt.ScanState, verb rune) error {
	return asError(a.must("Scan", state, verb)[0])
}

func (a hasher32) Sum32() uint32      { return uint32(a.must("Sum32")[0].Uint()) }
func (a hasher64) Sum64() uint64      { return a.must("Sum64")[0].Uint() }
func (a randSource64) Uint64() uint64 { return a.must("Uint64")[0].Uint() }

func (a xmlMarshaler) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return asError(a.must("MarshalXML", e, start)[0])
}
func (a xmlMarshalerAttr) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	r := a.must("MarshalXMLAttr", name)
	attr, _ := r[0].Interface().(xml.Attr)
	return attr, asError(r[1])
}
func (a xmlUnmarshaler) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	return asError(a.must("UnmarshalXML", d, start)[0])
}
func (a xmlUnmarshalAttr) UnmarshalXMLAttr(attr xml.Attr) error {
	return asError(a.must("UnmarshalXMLAttr", attr)[0])
}
func (a xmlTokens) Token() (xml.Token, error) {
	r := a.must("Token")
	return r[0].Interface(), asError(r[1])
}

var rarerAdapters = map[string]any{
	"ToSeeker":             adapted(func(a adapter) io.Seeker { return seeker{a} }),
	"ToReadSeeker":         adapted(func(a adapter) io.ReadSeeker { return readSeeker{reader{a}} }),
	"ToWriteSeeker":        adapted(func(a adapter) io.WriteSeeker { return writeSeeker{writer{a}} }),
	"ToReadWriteSeeker":    adapted(func(a adapter) io.ReadWriteSeeker { return readWriteSeeker{readWriter{a}} }),
	"ToReadSeekCloser":     adapted(func(a adapter) io.ReadSeekCloser { return readSeekCloser{readCloser{a}} }),
	"ToReaderAt":           adapted(func(a adapter) io.ReaderAt { return readerAt{a} }),
	"ToWriterAt":           adapted(func(a adapter) io.WriterAt { return writerAt{a} }),
	"ToByteScanner":        adapted(func(a adapter) io.ByteScanner { return byteScanner{byteReader{a}} }),
	"ToRuneScanner":        adapted(func(a adapter) io.RuneScanner { return runeScanner{runeReader{a}} }),
	"ToGobEncoder":         adapted(func(a adapter) gob.GobEncoder { return gobMarshaler{a} }),
	"ToGobDecoder":         adapted(func(a adapter) gob.GobDecoder { return gobUnmarshaler{a} }),
	"ToBinaryMarshaler":    adapted(func(a adapter) encoding.BinaryMarshaler { return binaryMarshaler{a} }),
	"ToBinaryUnmarshaler":  adapted(func(a adapter) encoding.BinaryUnmarshaler { return binaryUnmarshaler{a} }),
	"ToBinaryAppender":     adapted(func(a adapter) encoding.BinaryAppender { return binaryAppender{a} }),
	"ToTextAppender":       adapted(func(a adapter) encoding.TextAppender { return textAppender{a} }),
	"ToScanner":            adapted(func(a adapter) fmt.Scanner { return scanner{a} }),
	"ToHash32":             adapted(func(a adapter) hash.Hash32 { return hasher32{hasher{a}} }),
	"ToHash64":             adapted(func(a adapter) hash.Hash64 { return hasher64{hasher{a}} }),
	"ToRandSource64":       adapted(func(a adapter) rand.Source64 { return randSource64{randSource{a}} }),
	"ToXMLMarshaler":       adapted(func(a adapter) xml.Marshaler { return xmlMarshaler{a} }),
	"ToXMLMarshalerAttr":   adapted(func(a adapter) xml.MarshalerAttr { return xmlMarshalerAttr{a} }),
	"ToXMLUnmarshaler":     adapted(func(a adapter) xml.Unmarshaler { return xmlUnmarshaler{a} }),
	"ToXMLUnmarshalerAttr": adapted(func(a adapter) xml.UnmarshalerAttr { return xmlUnmarshalAttr{a} }),
	"ToXMLTokenReader":     adapted(func(a adapter) xml.TokenReader { return xmlTokens{a} }),
	"ToFlagValue":          adapted(flagValueOf),
	"ToFlagGetter":         adapted(flagGetterOf),
}
