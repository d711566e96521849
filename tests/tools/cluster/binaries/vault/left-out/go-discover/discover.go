// Package discover stands in for what finds servers in clouds.
package discover

import (
	"errors"
	"log"
)

type Provider interface{}

var Providers = map[string]Provider{}

type Discover struct{}

type Option func(*Discover) error

func New(...Option) (*Discover, error) { return &Discover{}, nil }

func WithProviders(map[string]Provider) Option { return nil }

func (*Discover) Addrs(string, *log.Logger) ([]string, error) { return nil, errors.New("not built in") }
