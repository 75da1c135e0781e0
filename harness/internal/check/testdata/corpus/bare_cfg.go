package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

type Layer map[string]any

func (l Layer) merge(o Layer) Layer {
	out := maps.Clone(l)
	for k, v := range o {
		if sub, ok := v.(map[string]any); ok {
			if base, ok := out[k].(map[string]any); ok {
				out[k] = map[string]any(Layer(base).merge(sub))
				continue
			}
		}
		if v == nil {
			delete(out, k)
		} else {
			out[k] = v
		}
	}
	return out
}

type LogLevel int

const (
	Debug LogLevel = iota
	Info
	Warn
)

var levelNames = []string{"debug", "info", "warn"}

func (l LogLevel) MarshalJSON() ([]byte, error) { return json.Marshal(levelNames[l]) }
func (l *LogLevel) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		var n int
		if json.Unmarshal(b, &n) == nil && n >= 0 && n < len(levelNames) {
			*l = LogLevel(n)
			return nil
		}
		return err
	}
	i := slices.Index(levelNames, strings.ToLower(s))
	if i < 0 {
		return fmt.Errorf("log level %q: want one of %s", s, strings.Join(levelNames, "|"))
	}
	*l = LogLevel(i)
	return nil
}

type Duration float64

func (d *Duration) UnmarshalText(b []byte) error {
	unit := map[byte]float64{'s': 1, 'm': 60, 'h': 3600}[b[len(b)-1]]
	if unit == 0 {
		return fmt.Errorf("duration %q", b)
	}
	var n float64
	if _, err := fmt.Sscan(string(b[:len(b)-1]), &n); err != nil {
		return fmt.Errorf("duration %q: %w", b, err)
	}
	*d = Duration(n * unit)
	return nil
}

type Config struct {
	Name   string   `json:"name"`
	Level  LogLevel `json:"level"`
	Listen struct {
		Host string `json:"host"`
		Port int    `json:"port"`
		TLS  *struct {
			Cert string `json:"cert"`
		} `json:"tls,omitempty"`
	} `json:"listen"`
	Timeouts map[string]Duration `json:"timeouts"`
	Features map[string]bool     `json:"features"`
	Peers    []Peer              `json:"peers"`
	Extra    json.RawMessage     `json:"extra,omitempty"`
}
type Peer struct {
	Addr   string `json:"addr"`
	Weight *int   `json:"weight"`
}

func (p *Peer) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.Addr)
	}
	type plain Peer
	return json.Unmarshal(b, (*plain)(p))
}

type problem struct{ path, msg string }

func (c *Config) validate() (ps []problem) {
	check := func(ok bool, path, format string, a ...any) {
		if !ok {
			ps = append(ps, problem{path, fmt.Sprintf(format, a...)})
		}
	}
	check(c.Name != "", "name", "required")
	check(c.Listen.Port > 0 && c.Listen.Port < 1<<16, "listen.port", "%d out of range", c.Listen.Port)
	for i, p := range c.Peers {
		check(strings.Contains(p.Addr, ":"), fmt.Sprintf("peers[%d]", i), "address %q lacks a port", p.Addr)
		check(p.Weight == nil || *p.Weight > 0, fmt.Sprintf("peers[%d].weight", i), "must be positive")
	}
	return
}

func load(layers ...string) (cfg Config, err error) {
	merged := Layer{}
	for i, l := range layers {
		var m Layer
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			return cfg, fmt.Errorf("layer %d: %w", i, err)
		}
		merged = merged.merge(m)
	}
	b, err := json.Marshal(merged)
	if err != nil {
		return
	}
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	err = dec.Decode(&cfg)
	return
}

func main() {
	base := `{"name":"svc","level":"INFO","listen":{"host":"::","port":80},"timeouts":{"read":"5s","idle":"1.5m"},"features":{"a":true,"b":true},"peers":["x:1",{"addr":"y","weight":0}]}`
	cfg, err := load(base, `{"listen":{"port":99999,"tls":{"cert":"c.pem"}},"features":{"b":null,"c":false}}`, `{"level":2,"extra":{"z":[1,2]}}`)
	fmt.Println(err, cfg.Name, cfg.Level, cfg.Listen.Host, cfg.Listen.Port, cfg.Listen.TLS.Cert, cfg.Timeouts, cfg.Features, string(cfg.Extra))
	for _, p := range cfg.validate() {
		fmt.Printf("- %s: %s\n", p.path, p.msg)
	}
	out, err := json.MarshalIndent(cfg, "", "  ")
	fmt.Println(string(out), err)
	for _, bad := range []string{`{"level":"loud"}`, `{"level":7}`, `{"timeouts":{"x":"5q"}}`, `{"timeouts":{"x":"as"}}`, `{"unknown":1}`, `{"peers":[3]}`, `{"listen":[]}`, `{`, `{"features":{"a":"yes"}}`} {
		_, err := load(base, bad)
		fmt.Println(err)
	}
	if len(cfg.Peers) != 2 {
		os.Exit(7)
	}
}
