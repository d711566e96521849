// Package vault stands in for what names metrics of Vault in Google Cloud.
package vault

var (
	Extractor interface{}
	Bucketer  interface{}
)
