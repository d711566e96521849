// Package awskms stands in for what seals with keys of AWS.
package awskms

import (
	"github.com/hashicorp/go-hclog"
	wrapping "github.com/hashicorp/go-kms-wrapping/v2"
)

func NewWrapper() wrapping.Wrapper { panic("not built in") }

func WithLogger(hclog.Logger) wrapping.Option { return func() interface{} { return nil } }
