package mapreduce

// ExactComparator is implemented by comparators that call two keys equal only if they are the same bytes. The sorter then
// may bring values of one key together before it sorts. A comparator without the method is taken as not exact.
type ExactComparator interface {
	Comparator
	Exact() bool
}

func (textType) Exact() bool    { return true }
func (bytesType) Exact() bool   { return true }
func (intType) Exact() bool     { return true }
func (longType) Exact() bool    { return true }
func (shortType) Exact() bool   { return true }
func (byteType) Exact() bool    { return true }
func (md5Type) Exact() bool     { return true }
func (intPairType) Exact() bool { return true }
