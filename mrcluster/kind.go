package mrcluster

import "fmt"

// Kind is the role of a node in its MR-cluster (FAW section 3.2).
type Kind uint8

// The kinds of nodes.
const (
	Core          Kind = iota + 1 // stores input and output; stays while the MR-cluster is deployed
	Transient                     // stores no data; its tasks read from and write to core nodes
	TransientCore                 // stores no input; its tasks read from core nodes and write locally
)

var kindNames = [...]string{"", "core", "transient", "transient-core"}

func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// MarshalText returns the name of the kind; "" means no kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText parses the name of a kind. It also accepts TR and TC, as in the paper.
func (k *Kind) UnmarshalText(text []byte) error {
	switch string(text) {
	case "":
		*k = 0
	case "core":
		*k = Core
	case "transient", "TR":
		*k = Transient
	case "transient-core", "TC":
		*k = TransientCore
	default:
		return fmt.Errorf("%q is not a kind of node: want core, transient (TR) or transient-core (TC)", text)
	}
	return nil
}

// MayStore reports whether a NameNode may place blocks of the MR-cluster on nodes of this kind.
func (k Kind) MayStore() bool { return k == Core || k == TransientCore }
