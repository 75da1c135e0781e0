// Package output writes the output that both commands share.
package output

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/usetools/usetools/registry"
)

// JSON writes v as JSON. If indent is "", it is on one line. Unprintable characters are
// escaped.
func JSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(registry.PrintableJSON(b.Bytes()))
	return err
}
