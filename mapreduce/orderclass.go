package mapreduce

import "github.com/howdah/howdah/conf"

// partitionerNames and comparatorNames list the valid names for error messages.
var (
	partitionerNames = []string{"HashPartitioner", "KeyFieldBasedPartitioner", "TotalOrderPartitioner"}
	comparatorNames  = []string{"KeyFieldBasedComparator", "Text$Comparator (and the Comparator of each " +
		"other type)",
		"LongWritable$DecreasingComparator"}
)

// PartitionerByClass returns the partitioner that corresponds to the given Java class, whose name
// may omit the package. If class is empty, it returns the hash partitioner. For an unknown class,
// it returns an error of kind Config.
func PartitionerByClass(c *conf.Config, key, class string) (PartitionerClass, error) {
	switch simpleName(class) {
	case "", "HashPartitioner":
		return HashPartition, nil
	case "KeyFieldBasedPartitioner":
		return FieldPartition, nil
	case "TotalOrderPartitioner":
		return TotalOrder, nil
	}
	return nil, unknownClass(c, key, partitionerNames)
}

// ComparatorByClass returns the comparator that corresponds to the given Java class, whose name may
// omit the package. If class is empty, it returns nil. For an unknown class, it returns an error of
// kind Config.
func ComparatorByClass(c *conf.Config, key, class string) (Comparator, error) {
	switch name := simpleName(class); name {
	case "":
		return nil, nil
	case "KeyFieldBasedComparator":
		return FieldComparator(c)
	case "LongWritable$DecreasingComparator":
		return Descending(LongWritable), nil
	default:
		for _, t := range builtinTypes {
			if name == simpleName(t.Class())+"$Comparator" {
				return t, nil
			}
		}
	}
	return nil, unknownClass(c, key, comparatorNames)
}

// builtinTypes lists the types of Hadoop's own classes.
var builtinTypes = []Type{
	TextWritable, BytesWritable, IntWritable, LongWritable, VIntWritable, VLongWritable, ShortWritable, ByteWritable,
	BooleanWritable, FloatWritable, DoubleWritable, NullWritable, MD5Hash, UTF8Writable, TypedBytesWritable, MapWritable,
	SortedMapWritable,
	ObjectWritable, IntPairWritable,
}

// TypeByClass returns the type that corresponds to the given Hadoop class, whose name may omit the
// package. It returns nil for an unknown class.
func TypeByClass(class string) Type {
	for _, t := range builtinTypes {
		if t.Class() == class || simpleName(t.Class()) == class {
			return t
		}
	}
	return nil
}

// chosenOrder returns the order that conf.JobOutputKeyComparatorClass selects, or nil if the key is
// unset. chosenGroups does the same for the grouping order and conf.JobOutputGroupComparatorClass.
func chosenOrder(c *conf.Config) (Comparator, error) {
	return ComparatorByClass(c, conf.JobOutputKeyComparatorClass.Name, conf.JobOutputKeyComparatorClass.Get(c))
}

func chosenGroups(c *conf.Config) (Comparator, error) {
	x, err := ComparatorByClass(c, conf.JobOutputGroupComparatorClass.Name, conf.JobOutputGroupComparatorClass.Get(c))
	if f, ok := x.(*fieldComparator); ok {
		return fieldGrouping{f}, err
	}
	return x, err
}

// chosenClasses returns an error if the configured order or grouping is invalid.
func chosenClasses(c *conf.Config) error {
	if _, err := chosenOrder(c); err != nil {
		return err
	}
	_, err := chosenGroups(c)
	return err
}
