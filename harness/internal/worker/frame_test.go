package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	var b bytes.Buffer
	w := &frameWriter{w: &b}
	big := bytes.Repeat([]byte("x"), 200_000)
	for _, p := range [][]byte{nil, []byte("a"), big} {
		if err := w.write(kindCall, number(7), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range [][]byte{{}, []byte("a"), big} {
		k, p, err := readFrame(&b, 1<<20)
		if err != nil || k != kindCall {
			t.Fatal(k, err)
		}
		n, p, err := numbered(p)
		if err != nil || n != 7 || !bytes.Equal(p, want) {
			t.Fatalf("got %d, %d bytes, %v", n, len(p), err)
		}
	}
	if _, _, err := readFrame(&b, 1); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestFramesAreBounded(t *testing.T) {
	frame := func(n uint32, payload string) []byte {
		return append(append(binary.LittleEndian.AppendUint32(nil, n), byte(kindCall)), payload...)
	}
	if _, _, err := readFrame(bytes.NewReader(frame(101, "")), 100); !errors.Is(err, errFrame) {
		t.Errorf("a frame beyond the limit: %v", err)
	}
	for _, half := range [][]byte{frame(3, "ab"), frame(100_000, "ab"), frame(1, "")[:3]} {
		if _, _, err := readFrame(bytes.NewReader(half), 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("half a frame: %v", err)
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00ca"))
	f.Add([]byte("\xff\xff\xff\xffc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			k, p, err := readFrame(r, 1000)
			if err != nil {
				if err != io.EOF && !errors.Is(err, errFrame) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("another error: %v", err)
				}
				return
			}
			if len(p) > 1000 {
				t.Fatalf("frame %v has %d bytes", k, len(p))
			}
			numbered(p)
		}
	})
}
