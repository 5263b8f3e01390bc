package mapreduce

import "github.com/howdah/howdah/conf"

// The keys by which a user chooses how keys are divided, ordered and grouped in a job that does not insist on its own:
// Hadoop's class names, with or without their package.
const (
	KeyPartitionerClass = "mapreduce.job.partitioner.class"             // HashPartitioner
	KeySortClass        = "mapreduce.job.output.key.comparator.class"   // the order of the keys' type
	KeyGroupClass       = "mapreduce.job.output.group.comparator.class" // the order
)

// partitionerNames and comparatorNames are what can be chosen, for messages.
var (
	partitionerNames = []string{"HashPartitioner", "KeyFieldBasedPartitioner", "TotalOrderPartitioner"}
	comparatorNames  = []string{"KeyFieldBasedComparator", "Text$Comparator, and the like of every type", "LongWritable$DecreasingComparator"}
)

// PartitionerByClass finds a partitioner by its Java class, with or without package. An empty class is hash, an unknown one kind
// Config.
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

// ComparatorByClass finds an order of keys by its Java class, with or without package. An empty class gives nil, an unknown one
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

// builtinTypes are Hadoop's own.
var builtinTypes = []Type{
	TextWritable, BytesWritable, IntWritable, LongWritable, VIntWritable, VLongWritable, ShortWritable, ByteWritable,
	BooleanWritable, FloatWritable, DoubleWritable, NullWritable, MD5Hash, UTF8Writable, TypedBytesWritable, MapWritable, SortedMapWritable,
	ObjectWritable, IntPairWritable,
}

// TypeByClass finds one of Hadoop's own types by its Java class, with or without package; nil if it is none.
func TypeByClass(class string) Type {
	for _, t := range builtinTypes {
		if t.Class() == class || simpleName(t.Class()) == class {
			return t
		}
	}
	return nil
}

// chosenOrder gives what the user chose by KeySortClass, and chosenGroups by KeyGroupClass; nil if nothing.
func chosenOrder(c *conf.Config) (Comparator, error) {
	return ComparatorByClass(c, KeySortClass, c.Get(KeySortClass))
}

func chosenGroups(c *conf.Config) (Comparator, error) {
	x, err := ComparatorByClass(c, KeyGroupClass, c.Get(KeyGroupClass))
	if f, ok := x.(*fieldComparator); ok {
		return fieldGrouping{f}, err
	}
	return x, err
}

// chosenClasses refuses orders that cannot be made.
func chosenClasses(c *conf.Config) error {
	if _, err := chosenOrder(c); err != nil {
		return err
	}
	_, err := chosenGroups(c)
	return err
}
