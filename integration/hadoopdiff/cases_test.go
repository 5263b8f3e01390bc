//go:build integration

package hadoopdiff

// textCases run what has been here from the beginning on every kind of text.
var textCases = []Case{
	{Name: "wordcount", In: spread(3, prose(200)), Args: words("wordcount {in} {out}")},
	{Name: "wordcount/reducers-0", In: spread(2, prose(50)), Set: []string{"mapreduce.job.reduces=0"}, Args: words("wordcount {in} {out}")},
	{Name: "wordcount/reducers-7", In: spread(3, prose(200)), Set: []string{"mapreduce.job.reduces=7"}, Args: words("wordcount {in} {out}")},
	{Name: "wordcount/reducers-100", In: spread(2, prose(100)), Set: []string{"mapreduce.job.reduces=100"}, Args: words("wordcount {in} {out}")},
	{Name: "wordcount/crlf", In: spread(2, prose(100, "\r\n", "\n", "\r")), Args: words("wordcount {in} {out}")},
	{Name: "wordcount/noise", In: spread(2, noise(5000)), Args: words("wordcount {in} {out}")},
	{Name: "grep", In: spread(3, prose(100)), Args: words("grep {in} {out} w[0-9]+"), Loose: true},
	{Name: "grep/group", In: spread(3, prose(100)), Args: words("grep {in} {out} w([0-9])([a-f]) 2"), Loose: true},
	{Name: "secondarysort", In: spread(2, numbers(200, 2)), Args: words("secondarysort {in} {out}")},
	{Name: "pi", Args: words("pi 3 1000"), Printed: `Estimated value of Pi is [\d.]+`, NoOutput: true},
}
