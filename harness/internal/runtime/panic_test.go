package runtime

import "testing"

func TestPanicText(t *testing.T) {
	type real float64
	type plane complex64
	for want, v := range map[string]any{
		"runtime.real(0.1)":       real(0.1),
		"runtime.plane(0.1-0.3i)": plane(complex(0.1, -0.3)),
		"(1.5-2i)":                complex(1.5, -2),
		"goexit":                  "goexit",
	} {
		if got := (&Panic{Value: v}).Text(); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}
