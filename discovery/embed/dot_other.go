//go:build !amd64

package embed

func dot(q []int16, row string) int32 { return dotGo(q, row) }

func add(sum []float32, row string, scale float32) { addGo(sum, row, scale) }
