//go:build !amd64 && !arm64

// This file lets functions without a body stand in the package.
