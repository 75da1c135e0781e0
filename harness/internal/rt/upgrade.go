package rt

import (
	"go/types"
	"io"
)

// Library code asks a Reader or Writer whether it can do more, and then does
// not call Read or Write: io.Copy asks for WriterTo and ReaderFrom,
// io.WriteString for StringWriter, decompressors for ByteReader, fmt.Fscan for
// RuneScanner. So a script
// value gets an adapter with just the methods that it has.

type (
	writerString     struct{ writer }
	writerFrom       struct{ writer }
	writerStringFrom struct{ writerString }
	readerTo         struct{ reader }
	readerByte       struct{ reader }
	readerToByte     struct{ readerTo }
	readerRune       struct{ reader }
	readerToRune     struct{ readerTo }
	readerByteRune   struct{ readerByte }
	readerToByteRune struct{ readerToByte }
)

func (a writerString) WriteString(s string) (int, error) {
	return stringWriter(a.writer).WriteString(s)
}
func (a writerFrom) ReadFrom(r io.Reader) (int64, error) { return readerFrom(a.writer).ReadFrom(r) }
func (a writerStringFrom) ReadFrom(r io.Reader) (int64, error) {
	return readerFrom(a.writer).ReadFrom(r)
}
func (a readerTo) WriteTo(w io.Writer) (int64, error) { return writerTo(a.reader).WriteTo(w) }
func (a readerByte) ReadByte() (byte, error)          { return byteReader(a.reader).ReadByte() }
func (a readerToByte) ReadByte() (byte, error)        { return byteReader(a.reader).ReadByte() }

func (a readerRune) ReadRune() (rune, int, error)       { return runeReader(a.reader).ReadRune() }
func (a readerRune) UnreadRune() error                  { return asError(a.must("UnreadRune")[0]) }
func (a readerToRune) ReadRune() (rune, int, error)     { return runeReader(a.reader).ReadRune() }
func (a readerToRune) UnreadRune() error                { return asError(a.must("UnreadRune")[0]) }
func (a readerByteRune) ReadRune() (rune, int, error)   { return runeReader(a.reader).ReadRune() }
func (a readerByteRune) UnreadRune() error              { return asError(a.must("UnreadRune")[0]) }
func (a readerToByteRune) ReadRune() (rune, int, error) { return runeReader(a.reader).ReadRune() }
func (a readerToByteRune) UnreadRune() error            { return asError(a.must("UnreadRune")[0]) }

func writerOf(a adapter) io.Writer {
	text := a.can("WriteString", "(string) (int, error)")
	from := a.can("ReadFrom", "(io.Reader) (int64, error)")
	w := writer{a}
	switch {
	case text && from:
		return writerStringFrom{writerString{w}}
	case text:
		return writerString{w}
	case from:
		return writerFrom{w}
	}
	return w
}

func readerOf(a adapter) io.Reader {
	to := a.can("WriteTo", "(io.Writer) (int64, error)")
	bytewise := a.can("ReadByte", "() (uint8, error)")
	runes := a.can("ReadRune", "() (int32, int, error)") && a.can("UnreadRune", "() error")
	r := reader{a}
	switch {
	case to && bytewise && runes:
		return readerToByteRune{readerToByte{readerTo{r}}}
	case to && runes:
		return readerToRune{readerTo{r}}
	case bytewise && runes:
		return readerByteRune{readerByte{r}}
	case runes:
		return readerRune{r}
	case to && bytewise:
		return readerToByte{readerTo{r}}
	case to:
		return readerTo{r}
	case bytewise:
		return readerByte{r}
	}
	return r
}

// can reports whether the box has a method with that signature, and native code
// can call it.
func (a adapter) can(name, signature string) bool {
	if _, ok := a.T.method(name); !ok {
		return false
	}
	sel := types.NewMethodSet(a.T.typ).Lookup(nil, name)
	return sel != nil && TypeName(sel.Type()) == "func"+signature
}
