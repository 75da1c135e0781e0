package backend

import "context"

type expectKey struct{}

// Expect returns the context of a call that must send what request says
// (registry.Tool.Request); empty: whatever the tool sends. A backend whose
// server's document may change meanwhile refuses to send anything else.
func Expect(ctx context.Context, request string) context.Context {
	if request == "" {
		return ctx
	}
	return context.WithValue(ctx, expectKey{}, request)
}

// Expected is what a call must send; empty: whatever the tool sends.
func Expected(ctx context.Context) string {
	request, _ := ctx.Value(expectKey{}).(string)
	return request
}
