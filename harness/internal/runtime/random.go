package runtime

type stream struct{}
