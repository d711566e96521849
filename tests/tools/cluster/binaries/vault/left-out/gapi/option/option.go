// Package option stands in for options of clients of Google Cloud.
package option

func WithUserAgent(string) interface{} { return nil }
