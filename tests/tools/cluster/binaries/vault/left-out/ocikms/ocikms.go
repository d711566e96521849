// Package ocikms stands in for what seals with keys of Oracle Cloud.
package ocikms

import wrapping "github.com/hashicorp/go-kms-wrapping/v2"

func NewWrapper() wrapping.Wrapper { panic("not built in") }

const (
	KmsConfigKeyId              = "key_id"
	KmsConfigCryptoEndpoint     = "crypto_endpoint"
	KmsConfigManagementEndpoint = "management_endpoint"
)
