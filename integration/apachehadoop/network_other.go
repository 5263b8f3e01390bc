//go:build !linux

package apachehadoop

import (
	"errors"

	"github.com/howdah/howdah/job/failure"
)

var errNoNamespaces = failure.New(failure.NotFound, "create network namespaces", "", errors.New("only Linux has them"))

func namespacesAvailable() error       { return errNoNamespaces }
func newNetwork() (*network, error)    { return nil, errNoNamespaces }
func (*network) addNode(n *node) error { return errNoNamespaces }
func (*network) remove()               {}
