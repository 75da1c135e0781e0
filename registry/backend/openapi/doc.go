// Package openapi makes tools of the operations of an HTTP API that an OpenAPI
// 3 document describes, JSON or YAML.
//
// In goes the document, from a file or a URL; out comes one tool per
// operation. Its name is the operationId, or method and path; it takes the
// parameters and the properties of a JSON body side by side (the body as
// "body" where that cannot be, or two names clash), and returns what the first
// successful response promises: as it is where that is an object, else as
// {"result": …}. GET is a tool that only reads, DELETE one that destroys. Bodies
// may be JSON, forms, multipart (files as base64), text or other bytes (base64).
// The definition's tags and paths choose among the operations.
//
// What an MCPO server offers under /{server}/openapi.json works as it is: the
// tools have the names that they had before.
//
// References inside the document are followed, also in a circle; references to
// other files and URLs are not. An operation that cannot be expressed is left
// out, with the reason among the listing's problems.
//
// Headers and query values of the server's definition are sent with every
// call, and only to the host that the definition names: where a document from
// a URL sends its callers to another host, the definition must name that as
// baseUrl.
//
// The reader is our own because the usual library brings a validator whose
// initialisation alone takes 4 ms at every start of a process, which each
// script's worker would pay.
package openapi
