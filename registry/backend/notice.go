package backend

import "context"

// Notice is what a server says without being asked.
type Notice struct {
	Server string
	Kind   NoticeKind
	// Tool is the tool whose call is making progress; Progress grows from one
	// notice to the next, Total is 0 where it is unknown.
	Tool            string
	Progress, Total float64
	// Level is how severe a log message is: debug, info, notice, warning,
	// error, critical, alert or emergency.
	Level string
	// Message is the log message, or what is being done. Secrets of the
	// server's definition are hidden in it; it is bounded.
	Message string
}

// NoticeKind says what a notice is about.
type NoticeKind string

// Kinds of notices.
const (
	Progress     NoticeKind = "progress"
	Log          NoticeKind = "log"
	ToolsChanged NoticeKind = "tools_changed" // the list of tools is another one now
)

type progressKey struct{}

// WithProgress returns a context that asks a call for its progress. f is
// called while the call is under way, never twice at a time, and must not
// take long.
func WithProgress(ctx context.Context, f func(Notice)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// ProgressFunc returns the function that a call's context wants its progress
// told to, or nil.
func ProgressFunc(ctx context.Context) func(Notice) {
	f, _ := ctx.Value(progressKey{}).(func(Notice))
	return f
}
