package mapreduce

import "github.com/howdah/howdah/internal/javatext"

// AppendDouble appends what Double.toString gives on the Java releases that Hadoop runs on (before 19): as many digits as
// tell the number from its neighbours, at least one after the point, between 1E-3 and 1E7 without an exponent. Those releases
// do not always find the shortest digits ("2.0E-3" does, 2^-44 does not), and part files must agree with theirs.
func AppendDouble(dst []byte, f float64) []byte { return javatext.AppendDouble(dst, f) }

// AppendFloat appends what Float.toString gives.
func AppendFloat(dst []byte, f float32) []byte { return javatext.AppendFloat(dst, f) }
