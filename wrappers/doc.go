// Package wrappers turns tools into the Go API that a script is written
// against: names, types, doc comments and the source of one package per server.
//
// [NewView] makes a [View] of a registry. It names every package and function at
// once, so that names never depend on the script. It reads types from the schemas
// when a server is first used. A [Server] maps the names in a script to tools:
// exactly, leniently, or to the nearest ones for "did you mean". [Server.Source]
// returns the package with only the tools that a script needs. A [Tool] has its
// signature, and its documentation at several levels of detail.
//
// These are the rules and their reasons:
//
//   - The tool git_log of the server git is git.Log, with git.LogParams and
//     git.LogResult, because the package already says git. The exceptions: nothing
//     would be left (git stays Git), the rest would begin with a digit, or
//     another tool has that name or would get it. Names that still clash get
//     numbers, in the order of the tools' names.
//   - Fields have plain Go types; unions and free-form values are any or
//     map[string]any. A script needs a pointer only to send null where null has a
//     meaning. The field's comment says what the type cannot: the alternatives of a
//     union, allowed values, defaults, limits.
//   - Allowed values are documented strings, not constants of their own type,
//     because models write State: "open". A tag passes them to the checker of
//     scripts, which refuses a wrong constant before anything runs.
//   - Objects with a constant property that distinguishes them are a struct with
//     one pointer per alternative in arguments; a script sets one of them. In results
//     they are one struct with the fields of all, like the JSON. A property with only
//     one allowed value is sent automatically; a script may set it.
//   - A field that the script writes is sent, even if it is zero. Other fields are
//     omitted, so that the server applies its defaults. A field counts as written if
//     a literal names it, an assignment or a range sets it, its address is taken,
//     or JSON that is decoded into the struct has it. A field that is set in any
//     other way is sent if it is not zero.
//   - A nested object type is named after function and property
//     (CreateEntitiesEntity), or only after the property (Entity) if all nested
//     types of the server with that name have the same shape.
//   - Results are uniform: typed fields if the tool has an output schema or one was
//     inferred (package observe), and always Text, JSON, Raw and Images.
//   - A schema is untrusted. Nesting, references, alternatives, the number of
//     types and their size are bounded, and an unreadable part means "any value". A
//     tool with an empty schema takes its arguments by name (the field Args).
//
// The parent process generates the packages, and the worker only reads them: a
// package depends on the names of the whole server, which the parent knows and caches.
package wrappers
