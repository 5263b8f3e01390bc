package mapreduce

import "github.com/howdah/howdah/internal/javatext"

// AppendDouble appends f in the format of Double.toString in Java releases before 19, on which
// Hadoop runs. Those releases do not always find the shortest digits. They find them for 0.002, for
// example, but not for 2^-44. AppendDouble reproduces this because part files must match.
func AppendDouble(dst []byte, f float64) []byte { return javatext.AppendDouble(dst, f) }

// AppendFloat appends f in the format of Java's Float.toString.
func AppendFloat(dst []byte, f float32) []byte { return javatext.AppendFloat(dst, f) }
