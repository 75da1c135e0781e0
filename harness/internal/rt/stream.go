package rt

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
)

// encoding/json's Encoder and Decoder do not tell their options, which script
// types need here; they are noted when a script sets them.
type jsonOptions struct {
	mu       sync.Mutex
	encoders map[*json.Encoder]*encoderOptions
	decoders map[*json.Decoder]*decoderOptions
}

type encoderOptions struct{ plainHTML bool }

type decoderOptions struct{ useNumber, strict bool }

func (m *Machine) encoderOptions(e *json.Encoder) *encoderOptions {
	m.json.mu.Lock()
	defer m.json.mu.Unlock()
	if m.json.encoders == nil {
		m.json.encoders = map[*json.Encoder]*encoderOptions{}
	}
	o := m.json.encoders[e]
	if o == nil {
		o = &encoderOptions{}
		m.json.encoders[e] = o
	}
	return o
}

func (m *Machine) decoderOptions(d *json.Decoder) *decoderOptions {
	m.json.mu.Lock()
	defer m.json.mu.Unlock()
	if m.json.decoders == nil {
		m.json.decoders = map[*json.Decoder]*decoderOptions{}
	}
	o := m.json.decoders[d]
	if o == nil {
		o = &decoderOptions{}
		m.json.decoders[d] = o
	}
	return o
}

func jsonNewEncoder(w io.Writer) *json.Encoder { return json.NewEncoder(w) }
func jsonNewDecoder(r io.Reader) *json.Decoder { return json.NewDecoder(r) }

func jsonSetIndent(e *json.Encoder, prefix, indent string) { e.SetIndent(prefix, indent) }

func (m *Machine) jsonSetEscapeHTML(e *json.Encoder, on bool) {
	e.SetEscapeHTML(on)
	m.encoderOptions(e).plainHTML = !on
}

func (m *Machine) jsonEncode(e *json.Encoder, x any) error {
	m.json.mu.Lock()
	o := m.json.encoders[e]
	m.json.mu.Unlock()
	b, err := m.encode(x, o == nil || !o.plainHTML)
	if err != nil {
		return err
	}
	return e.Encode(json.RawMessage(b))
}

func (m *Machine) jsonUseNumber(d *json.Decoder) {
	d.UseNumber()
	m.decoderOptions(d).useNumber = true
}

func (m *Machine) jsonDisallowUnknownFields(d *json.Decoder) {
	d.DisallowUnknownFields()
	m.decoderOptions(d).strict = true
}

func (m *Machine) jsonDecode(d *json.Decoder, x any) error {
	if isNative(x) {
		return d.Decode(x)
	}
	from := textFrom(d)
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	m.json.mu.Lock()
	o := m.json.decoders[d]
	m.json.mu.Unlock()
	dec := &decoder{m: m, before: d.InputOffset() - int64(len(raw)) - from}
	if o != nil {
		dec.useNumber, dec.strict = o.useNumber, o.strict
	}
	return dec.into(raw, x)
}

// textFrom is where the text of the next value begins for a Decoder, of which
// the offsets of its errors count: the white space before the value belongs to
// it, the comma or colon before that does not.
func textFrom(d *json.Decoder) int64 {
	from := d.InputOffset()
	text, _ := d.Buffered().(io.ByteReader)
	for i := int64(1); text != nil; i++ {
		switch c, err := text.ReadByte(); {
		case err == nil && (c == ',' || c == ':'):
			return from + i
		case err != nil || !strings.ContainsRune(" \t\r\n", rune(c)):
			return from
		}
	}
	return from
}
