package main

import (
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry/config"
)

// TestTheReadmeNamesEveryCommandAndSetting: what it does not name, nobody finds.
func TestTheReadmeNamesEveryCommandAndSetting(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, commands, ok1 := strings.Cut(string(b), "\n## Commands\n")
	commands, settings, ok2 := strings.Cut(commands, "\n## Configs\n")
	settings, _, ok3 := strings.Cut(settings, "\n## ")
	if !ok1 || !ok2 || !ok3 {
		t.Fatal("README.md has no sections Commands and Configs")
	}
	for _, c := range app(strings.NewReader(""), io.Discard, io.Discard).Commands {
		if c.Hidden {
			continue
		}
		if !strings.Contains(commands, "harness "+c.Name) && !strings.Contains(commands, "| "+c.Name) &&
			!strings.Contains(commands, c.Name+" lists") {
			t.Errorf("the command %s is not there", c.Name)
		}
	}
	keys := append(config.SettingKeys(), "observe", "usage")
	for i := range reflect.TypeFor[discovery.Settings]().NumField() {
		key, _, _ := strings.Cut(reflect.TypeFor[discovery.Settings]().Field(i).Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	for _, k := range keys {
		if !strings.Contains(settings, "| `"+k+"`") && !strings.Contains(settings, ", `"+k+"` |") {
			t.Errorf("the key %s of usetools is not there", k)
		}
	}
}
