package mrcluster

import "fmt"

// Kind is what a node is to its MR-cluster (FAW section 3.2).
type Kind uint8

// The kinds of nodes.
const (
	Core          Kind = iota + 1 // holds input and output; belongs to the MR-cluster for as long as it is deployed
	Transient                     // holds no data: its tasks read from and write to core nodes
	TransientCore                 // holds no input; its tasks read from core nodes and write locally
)

var kindNames = [...]string{"", "core", "transient", "transient-core"}

func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// MarshalText gives the name; "" stands for no kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name; TR and TC, as in the paper, are names too.
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
		return fmt.Errorf("%q is no kind of node: want core, transient (TR) or transient-core (TC)", text)
	}
	return nil
}

// MayStore reports whether data of the MR-cluster may lie on such a node: a NameNode may place blocks there.
func (k Kind) MayStore() bool { return k == Core || k == TransientCore }
