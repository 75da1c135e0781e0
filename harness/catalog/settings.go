package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// The keys of "usetools" that this package reads; packages config and discovery read others. The
// guide on configuration has a table of these comments.
const (
	// keyApprove has the rules that say which calls need approval, are denied or allowed: `{"effect": "ask"}`.
	keyApprove = "approve"
	// keyTokens has rules for single tokens, which take precedence, and their rights: `{"alice":
	// {"approve": {…}, "may": ["approve"]}}`.
	keyTokens = "tokens"
	// keyUntrusted says which fields of results third parties can write: `{"mail": ["subject", "body", "from"], "web": true}`.
	keyUntrusted = "untrusted"
	// keyTargets says which arguments name the recipient or object of a call: `{"mail.send":
	// ["to"]}`.
	keyTargets = "targets"
	// keyObserve, if `false`, infers no types from the results of tools that declare none.
	keyObserve = "observe"
	// keyUsage, if `false`, does not count which tools scripts call.
	keyUsage = "usage"
)

// logWarnings logs the settings of the config that have no effect and were not logged before.
// The caller holds the lock.
func (f *Files) logWarnings() {
	warnings := SettingsWarnings(f.config, f.settings, f.catalog.Registry)
	for _, warning := range warnings {
		if !slices.Contains(f.warnings, warning) {
			f.log("%s", warning)
		}
	}
	f.warnings = warnings
}

// SettingsWarnings returns a sentence for each setting in the "usetools" of a config that has no
// effect: unknown keys, servers and tools. reg may be nil.
func SettingsWarnings(cfg *config.Config, settings *discovery.Settings, reg *registry.Registry) []string {
	var out []string
	known := append(config.SettingKeys(), keyApprove, keyTokens, keyUntrusted, keyTargets, keyObserve, keyUsage)
	t := reflect.TypeFor[discovery.Settings]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, key)
	}
	out = append(out, cfg.Notes...)
	for _, value := range cfg.UseTools {
		var keys map[string]json.RawMessage
		if json.Unmarshal(value, &keys) != nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !slices.Contains(known, key) {
				out = append(out, fmt.Sprintf("usetools.%s in the config is not known and has no effect", key))
			}
		}
	}
	for i := range cfg.Servers {
		for _, note := range cfg.Servers[i].Notes {
			out = append(out, fmt.Sprintf("server %s: %s", cfg.Servers[i].Name, note))
		}
	}
	if reg != nil {
		for _, name := range settings.Unknown(reg) {
			out = append(out, fmt.Sprintf("usetools: aliases or prefer name %q, which is not a server", name))
		}
		out = append(out, classWarnings(cfg, reg)...)
		if rules, _, err := Rules(cfg); err != nil {
			out = append(out, err.Error())
		} else {
			out = append(out, (&Catalog{Registry: reg, Servers: cfg.Servers, Rules: rules}).RuleWarnings()...)
		}
	}
	return out
}

// SearchSettings returns the search settings in the files of a config. If several files have the
// same setting, the first file wins.
func SearchSettings(cfg *config.Config) (*discovery.Settings, error) {
	all := &discovery.Settings{}
	for _, value := range cfg.UseTools {
		s, err := discovery.ParseSettings(value)
		if err != nil {
			return nil, err
		}
		all = all.Merge(s)
	}
	return all, nil
}

// switchedOn returns the value of a key of "usetools" in the first file that has it. If no file has
// it, it is true.
func switchedOn(cfg *config.Config, key string) bool {
	for _, value := range cfg.UseTools {
		var keys map[string]json.RawMessage
		var on *bool
		if json.Unmarshal(value, &keys) == nil && json.Unmarshal(keys[key], &on) == nil && on != nil {
			return *on
		}
	}
	return true
}

// searching returns the search settings of a config, and the options for an index.
func searching(cfg *config.Config) (*discovery.Settings, *discovery.Options, error) {
	settings, err := SearchSettings(cfg)
	if err != nil {
		return nil, nil, err
	}
	opts, err := settings.Options()
	return settings, opts, err
}
