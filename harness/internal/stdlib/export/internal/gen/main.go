// Command gen writes ../../std.bin: the types of the packages in ../../allow.txt, from the
// export data of the installed Go toolchain.
package main

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	out, err := generate(export.Packages())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("std.bin", out, 0o644); err != nil {
		log.Fatal(err)
	}
	log.Printf("std.bin: %d packages, %d bytes", len(export.Packages()), len(out))
}

// generate reads the compiler's export data and writes its types only. Positions are
// omitted: they would make the bytes depend on lines that move with every patch release.
func generate(paths []string) ([]byte, error) {
	release, err := toolchain("env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	packages, err := load(paths)
	if err != nil {
		return nil, err
	}
	return bundle.Encode(strings.TrimSpace(release), packages)
}

// load imports packages from the compiler's export data.
func load(paths []string) ([]*types.Package, error) {
	listed, err := toolchain(append([]string{"list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}"}, paths...)...)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(listed) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	compiler := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	var packages []*types.Package
	for _, path := range paths {
		p, err := compiler.Import(path)
		if err != nil {
			return nil, fmt.Errorf("importing %s: %w", path, err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// toolchain runs the go command for the platform that all scripts see.
func toolchain(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}
