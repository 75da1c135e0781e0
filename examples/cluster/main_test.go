package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"

	"github.com/usetools/usetools/examples/internal/built"
)

// The NATS server of the example, of the compose file and of the tests is the same.
func TestOneVersionOfNATS(t *testing.T) {
	module, version, _ := strings.Cut(natsModule, "@")
	for file, want := range map[string]string{
		"../../go.mod":       module + " " + version,
		"docker-compose.yml": "image: nats:" + strings.TrimPrefix(version, "v") + "-",
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("%s does not have %q", file, want)
		}
	}
}

// The programs of the compose file take the flags that it gives them, its images have a
// version, and what it names is there.
func TestTheComposeFile(t *testing.T) {
	b, err := os.ReadFile("docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Image                                     string
			Build                                     *struct{ Context, Dockerfile string }
			Command, Entrypoint, Volumes, Environment []string
			DependsOn                                 []string `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal(b, &compose); err != nil {
		t.Fatal(err)
	}
	program := built.Program(t, "cmd/harness")
	engine := regexp.MustCompile(`nats://([a-z0-9-]+)`)
	versioned := regexp.MustCompile(`:\d+\.\d+\.\d+`)
	kinds := map[string]int{}
	for name, s := range compose.Services {
		for _, other := range s.DependsOn {
			if _, ok := compose.Services[other]; !ok {
				t.Errorf("%s depends on %s, which there is not", name, other)
			}
		}
		for _, m := range engine.FindAllStringSubmatch(strings.Join(slices.Concat(s.Command, s.Entrypoint), " "), -1) {
			if _, ok := compose.Services[m[1]]; !ok && m[1] != "0" {
				t.Errorf("%s names the server %s, which there is not", name, m[1])
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, ok := compose.Volumes[from]; !ok && !strings.HasPrefix(from, "./") {
				t.Errorf("%s has the volume %s, which there is not", name, from)
			}
		}
		if s.Build == nil {
			if !versioned.MatchString(s.Image) {
				t.Errorf("%s: the image %q has no version", name, s.Image)
			}
			o, err := server.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ContinueOnError), s.Command, nil, nil, nil)
			if err != nil || o.ServerName != name || !o.JetStream || len(o.Routes) != 3 {
				t.Errorf("%s: %v, %+v", name, err, o)
			}
			kinds["nats"]++
			continue
		}
		if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		i := slices.IndexFunc(s.Entrypoint, func(a string) bool { return a == "serve" || a == "runner" })
		if i < 0 {
			t.Errorf("%s: %q is neither serve nor runner", name, s.Entrypoint)
			continue
		}
		kinds[s.Entrypoint[i]]++
		// With -h nothing begins, and a flag that there is not is an error all the same.
		if out, err := exec.Command(program, append(slices.Clone(s.Entrypoint[1:]), "-h")...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %.500s", name, err, out)
		}
	}
	if kinds["nats"] != 3 || kinds["serve"] != 2 || kinds["runner"] != 2 {
		t.Error(kinds)
	}
	if exec.Command(program, "runner", "-clusters", "x", "-h").Run() == nil {
		t.Error("a flag that there is not is taken, so that this test shows nothing")
	}
}
