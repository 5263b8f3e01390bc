package conf

import (
	"testing"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func TestParseGeneric(t *testing.T) {
	o, rest, err := ParseGeneric([]string{"-D", "a=1,2", "-Db=x=y", "-conf", "one.xml", "--conf=two.xml", "-fs", "local",
		"-fs", "nn:9820", "-jt", "host:9001",
		"--config", "/etc/howdah", "-D", "c=", "--mrcluster", "logs", "in", "-D", "d=own", "out"})
	require.NoError(t, err)
	require.Equal(t, []string{"in", "-D", "d=own", "out"}, rest)
	require.Equal(t, GenericOptions{ConfigDir: "/etc/howdah", Files: []string{"one.xml", "two.xml"}, Set: []Property{
		{"a", "1,2", "-D"}, {"b", "x=y", "-D"}, {"fs.defaultFS", "file:///", "-fs"},
		{"fs.defaultFS", "hdfs://nn:9820", "-fs"},
		{"mapreduce.jobtracker.address", "host:9001", "-jt"},
		{"mapreduce.framework.name", "classic", "-jt"}, {"howdah.mrcluster.name", "", "-jt"}, {"c", "", "-D"},
		{"howdah.mrcluster.name", "logs", "--mrcluster"},
	}}, o)
	for _, args := range [][]string{nil, {}, {"in"}, {"-r", "-D", "a=b"}, {"--", "-D", "a=b"}, {"-Decimal"}, {"-"}, {""}} {
		o, rest, err := ParseGeneric(args)
		require.NoError(t, err)
		require.Equal(t, args, rest)
		require.Equal(t, GenericOptions{}, o)
	}
}

func TestParseGenericRefuses(t *testing.T) {
	for _, args := range [][]string{{"-D"}, {"-D", "novalue"}, {"-D", "=x"}, {"-D=x"}, {"-conf"}, {"--config"}, {"-fs"},
		{"-files"}, {"-tokenCacheFile"}, {"--mrcluster"}, {"--mrcluster="}} {
		_, _, err := ParseGeneric(args)
		require.Equal(t, failure.Usage, failure.KindOf(err), "%q: %v", args, err)
	}
}

func TestLoadRefusesCircles(t *testing.T) {
	o, _, err := ParseGeneric([]string{"-D", "a=${b}", "-D", "b=${a}"})
	require.NoError(t, err)
	_, err = o.Load()
	require.Equal(t, failure.Config, failure.KindOf(err))
}
