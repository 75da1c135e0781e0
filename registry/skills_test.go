package registry_test

import (
	"errors"
	"testing"

	"github.com/usetools/usetools/registry"
)

// of returns a registry with one server that has a skill.
func of(text string) *registry.Registry {
	r := &registry.Registry{Servers: []registry.Server{{Name: "s", Skills: []registry.Skill{
		{Name: "a/b", Description: "About.", URI: "skill://a/b/SKILL.md", Text: text, Files: 1, Digest: "sha256:" + text}}}}}
	r.Normalize()
	return r
}

func TestSkillsOfPinnedServersAreHeld(t *testing.T) {
	fresh := func(string) bool { return true }
	pinned := map[string]bool{"s": true}
	p := registry.LoadPins("")
	one, two := of("one"), of("two")
	if news := p.Hold(one, nil, pinned, fresh); len(news) > 0 || one.Servers[0].Skills[0].Held {
		t.Errorf("the first: %v", news)
	}
	if news := p.Hold(two, one, pinned, fresh); len(news) != 1 || news[0] != "s/a/b" {
		t.Errorf("the second: %v", news)
	}
	k := &two.Servers[0].Skills[0]
	if !k.Held || k.Text != "one" || k.Digest != "sha256:one" || k.Files != 1 {
		t.Errorf("%+v", k)
	}
	if err := p.Accept(two, "s/a/b"); err != nil || k.Held || k.Text != "two" {
		t.Errorf("%+v, %v", k, err)
	}
	broken := &registry.Pins{Err: errors.New("broken")}
	three := of("three")
	if broken.Hold(three, two, pinned, fresh); !three.Servers[0].Skills[0].Held || three.Servers[0].Skills[0].Text != "two" {
		t.Errorf("without its pins: %+v", three.Servers[0].Skills[0])
	}
	if p.Hold(of("four"), two, map[string]bool{"s": false}, fresh); p.Servers["s"] != nil {
		t.Error("the pins of a server that is not pinned stay")
	}
	if c := registry.Diff(one, of("five")); len(c.Changed) != 1 || len(registry.Diff(nil, one).Added) != 1 ||
		len(registry.Diff(one, &registry.Registry{}).Removed) != 1 {
		t.Errorf("%+v", c)
	}
}
