package discovery

import "testing"

func TestDeprecatedToolComesAfterItsLivingEqual(t *testing.T) {
	ix := index(t, nil,
		tool("files", "read_file", "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead."),
		tool("files", "read_text_file", "Read the complete contents of a file from the file system as text."),
		tool("files", "sum", "Deprecated. Compute the checksum of a file."))
	if r := resolve(t, ix, "read a file", nil); r.Candidates[0].ID != "files.read_text_file" {
		t.Errorf("%+v", r)
	}
	if r := resolve(t, ix, "compute the checksum of a file", nil); r.Candidates[0].ID != "files.sum" {
		t.Errorf("nothing else does it: %+v", r)
	}
	for head, want := range map[string]bool{
		"DEPRECATED: use x":               true,
		"[Deprecated] Reads.":             true,
		"Reads. This tool is deprecated.": true,
		"**Deprecated**, use x":           true,
		"List the deprecated APIs.":       false,
		"Reads a file.":                   false,
	} {
		if got := Deprecated(head); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}
