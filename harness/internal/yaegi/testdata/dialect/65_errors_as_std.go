package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

func main() {
	_, err := os.Open("/nope")
	var pe *fs.PathError
	fmt.Println(errors.As(err, &pe), errors.Is(err, fs.ErrNotExist))
	_, err = strconv.Atoi("x")
	var ne *strconv.NumError
	fmt.Println(errors.As(err, &ne))
}
