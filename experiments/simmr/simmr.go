// Package simmr reproduces the figures and Table I of SimMR. The experiments share the paper's
// testbed in the simulator, the replay of executions, and sweeps over arrivals and deadlines.
package simmr

// Paper is the short name of the paper.
const Paper = "SimMR (CLUSTER 2011)"

// BibTeX is the BibTeX entry of the paper.
const BibTeX = `@inproceedings{verma2011simmr,
  author    = {Abhishek Verma and Ludmila Cherkasova and Roy H. Campbell},
  title     = {Play It Again, {SimMR}!},
  booktitle = {Proc. of the IEEE International Conference on Cluster Computing (CLUSTER)},
  pages     = {253--261},
  address   = {Austin, Texas, USA},
  month     = sep,
  year      = {2011}
}
`

// Testbed holds the map slots and reduce slots of the paper's cluster, which has 64 workers with one
// slot of each kind (section IV-B).
var Testbed = [2]int32{64, 64}
