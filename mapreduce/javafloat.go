package mapreduce

import "github.com/howdah/howdah/internal/javatext"

// AppendDouble appends f in the format of Double.toString in the Java releases that Hadoop runs on
// (before 19). The result has enough digits to distinguish the number from its neighbors. It has at
// least one digit after the point. It has no exponent if the absolute value is 0, or at least 1E-3
// and less than 1E7. Those releases do not always find the shortest digits. They find them for
// 0.002, for example, but not for 2^-44. AppendDouble reproduces this because part files must
// match.
func AppendDouble(dst []byte, f float64) []byte { return javatext.AppendDouble(dst, f) }

// AppendFloat appends f in the format of Java's Float.toString.
func AppendFloat(dst []byte, f float32) []byte { return javatext.AppendFloat(dst, f) }
