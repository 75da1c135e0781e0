package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
)

// notKept replaces a text about a call whose result is not kept.
const notKept = "not kept"

// keeper makes the copies of a record's lines that are written, without secrets, and with digests
// for values that are large or not kept. It is the only place where a record is redacted: all that
// is read from it is safe to show.
type keeper struct {
	EncoderOptions
	mu     sync.Mutex      // guards the fields below
	hidden map[int]bool    // calls whose arguments and results are not kept
	kept   map[string]bool // digests of the values beside the record
}

// line returns the copy of a line to write.
func (k *keeper) line(l Line) (Line, error) {
	c := &keeping{keeper: k, hide: k.hides(l), room: 4 * MaxInline}
	_, c.toolText = l.(*Done)
	v, err := c.copy(reflect.ValueOf(l).Elem())
	if err != nil {
		return nil, err
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	out := p.Interface().(Line)
	switch out := out.(type) {
	case *Begin:
		out.ID = l.(*Begin).ID
	case *Note:
		was := l.(*Note)
		out.More += len(was.Stdout) + len(was.Stderr) - len(out.Stdout) - len(out.Stderr)
		if out.Lines != nil {
			out.Lines = redactedLines(was, out, c.text)
		}
	}
	return out, nil
}

// hides reports whether the values of a line are not kept.
func (k *keeper) hides(l Line) bool {
	if k.Unkept == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch l := l.(type) {
	case *Call:
		k.hidden[l.N] = k.Unkept(l.Tool)
		return k.hidden[l.N]
	case *Guess:
		k.hidden[l.N] = k.Unkept(l.Tool)
		return k.hidden[l.N]
	case *Ask:
		return k.Unkept(l.Tool)
	case *Done:
		return k.hidden[l.N]
	case *Settle:
		return k.hidden[l.N]
	}
	return false
}

// keeping copies one line.
type keeping struct {
	*keeper
	hide     bool // its values and texts are not kept
	toolText bool // its texts come from the tool
	room     int  // bytes of values that the line can still take
}

var (
	dataType = reflect.TypeFor[Data]()
	rawType  = reflect.TypeFor[json.RawMessage]()
	headType = reflect.TypeFor[Head]()
)

// copy returns the copy of a part of a line to write.
func (k *keeping) copy(v reflect.Value) (reflect.Value, error) {
	switch v.Type() {
	case headType:
		return v, nil
	case dataType:
		d, err := k.data(v.Interface().(Data))
		return reflect.ValueOf(d), err
	case rawType:
		if v.IsNil() {
			return v, nil
		}
		return reflect.ValueOf(json.RawMessage(k.json(bytes.ToValidUTF8(v.Bytes(), []byte("\uFFFD"))))), nil
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		switch {
		case v.Type() != reflect.TypeFor[string](): // a kind or class
		case k.hide && k.toolText && v.Len() > 0:
			out.SetString(notKept)
		default:
			shown := k.text(v.String())
			if k.toolText { // a server's text may have megabytes
				shown = text.CutBytes(shown, MaxInline)
			}
			out.SetString(shown)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() {
				continue
			}
			c, err := k.copy(v.Field(i))
			if err != nil {
				return v, err
			}
			out.Field(i).Set(c)
		}
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return v, nil
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			c, err := k.copy(v.Index(i))
			if err != nil {
				return v, err
			}
			out.Index(i).Set(c)
		}
	case reflect.Map:
		if v.IsNil() {
			return v, nil
		}
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for key, value := range v.Seq2() {
			name, err := k.copy(key)
			if err != nil {
				return v, err
			}
			c, err := k.copy(value)
			if err != nil {
				return v, err
			}
			out.SetMapIndex(name, c)
		}
	}
	return out, nil
}

// data returns a value as it is written. It stores it beside the record if it is large or cannot be
// part of a line.
func (k *keeping) data(d Data) (Data, error) {
	switch {
	case d.JSON == nil && d.SHA256 != "" && !d.Redacted, d.Shown != "":
		return d, fmt.Errorf("a value is stored beside another record, as %s", d.SHA256+d.Shown)
	case d.JSON == nil:
		return d, nil
	case len(d.JSON) > MaxValue:
		return d, fmt.Errorf("a value has %d bytes; the most is %d", len(d.JSON), MaxValue)
	case k.hide:
		return k.digest(d)
	}
	if shown := k.json(d.JSON); !bytes.Equal(shown, d.JSON) {
		var err error
		if d, err = k.digest(d); err != nil {
			return d, err
		}
		d.JSON = shown
	} else if !d.Redacted {
		d.Bytes = len(d.JSON)
	}
	n := len(d.JSON)
	if n <= MaxInline && (n <= 1<<10 || n <= k.room) && utf8.Valid(d.JSON) {
		k.room -= n
		return d, nil
	}
	h := sha256.Sum256(d.JSON)
	sum := hex.EncodeToString(h[:])
	if err := k.storeBeside(sum, d.JSON); err != nil {
		return d, err
	}
	d.JSON = nil
	if d.Redacted {
		d.Shown = sum
	} else {
		d.SHA256 = sum
	}
	return d, nil
}

// digest returns the keyed digest that replaces a value that is not kept.
func (k *keeping) digest(d Data) (Data, error) {
	key, err := k.Key()
	if err != nil {
		return d, err
	}
	sum := d.SHA256
	if !d.Redacted {
		sum = keyed(key, d.JSON)
		d.Bytes = len(d.JSON)
	}
	return Data{SHA256: sum, Bytes: d.Bytes, Redacted: true}, nil
}

// keyed returns the keyed digest of a value.
func keyed(key, value []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write(value)
	return hex.EncodeToString(h.Sum(nil))
}

// storeBeside stores a value beside the record, once.
func (k *keeping) storeBeside(sum string, value []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept[sum] {
		return nil
	}
	if err := k.Beside(sum, value); err != nil {
		return fmt.Errorf("keeping a value of %d bytes: %w", len(value), err)
	}
	k.kept[sum] = true
	return nil
}

// text hides secrets in a text.
func (k *keeping) text(s string) string {
	if k.Redact == nil {
		return s
	}
	return redact.Text(s, k.Redact)
}

// json hides secrets in JSON. JSON without secrets keeps its bytes.
func (k *keeping) json(b []byte) []byte {
	if k.Redact == nil || bytes.IndexByte(b, '\\') < 0 && k.Redact(string(b)) == string(b) { // no string has another spelling
		return b
	}
	out := redact.JSON(b, k.Redact)
	if again := k.Redact(string(out)); again != string(out) { // a secret that spans tokens
		out = []byte(again)
		if json.Valid(b) {
			out = quote(again)
		}
	}
	return out
}
