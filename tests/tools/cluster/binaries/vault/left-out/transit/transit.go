// Package transit stands in for what seals with keys of another Vault.
package transit

import wrapping "github.com/hashicorp/go-kms-wrapping/v2"

func NewWrapper() wrapping.Wrapper { panic("not built in") }
