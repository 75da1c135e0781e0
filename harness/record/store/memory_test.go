package store

import "testing"

func TestRunsUnderWayStayWithinTheMemory(t *testing.T) {
	m := Memory(10, nil).in.(*memory)
	m.most = 400
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		r, err := m.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Publish(); err != nil {
			t.Fatal(err)
		}
		if n, err := r.Write(make([]byte, 90)); n != 90 || err != nil {
			t.Errorf("writing to %s: %d bytes, %v", name, n, err)
		}
	}
	if names, _ := m.Names(); len(names) != 4 || m.bytes > m.most {
		t.Errorf("%d bytes of %d are in memory, of %q", m.bytes, m.most, names)
	}
}
