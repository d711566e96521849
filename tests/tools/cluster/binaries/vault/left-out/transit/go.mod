module github.com/hashicorp/go-kms-wrapping/wrappers/transit/v2

go 1.26.0
