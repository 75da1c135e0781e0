package main

import (
	"fmt"
	"log/slog"
	"os"
	"reflect"
)

func walk(v reflect.Value, depth int) {}

func types() (reflect.Type, *reflect.Value) { return nil, nil }

type own struct{ F func(reflect.Value) }

func main() {
	fmt.Printf("%T %T\n", walk, types)
	fmt.Println(reflect.TypeOf(walk), reflect.TypeOf(types), reflect.TypeOf(walk).In(0), reflect.TypeOf(types).Out(1))
	fmt.Printf("%T %T %T\n", make(chan reflect.Value), []func(...reflect.Value){}, map[string]func() reflect.Value{})
	fmt.Printf("%T %+v %s\n", own{}, own{}, reflect.TypeOf(own{}.F))
	fmt.Println(reflect.ValueOf(walk).Type(), reflect.TypeOf(walk) == reflect.TypeOf(func(reflect.Value, int) {}))
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{AddSource: false, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	slog.New(h).Info("hello", "n", 1)
}
