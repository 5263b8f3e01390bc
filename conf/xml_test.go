package conf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func TestXMLAsHadoopWritesIt(t *testing.T) {
	c := New()
	c.Set("mapreduce.job.queuename", "set before", "test")
	require.NoError(t, c.LoadXML(strings.NewReader(`<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!-- site -->
<configuration>
  <property>
    <name> a </name>
    <value> kept as it is </value>
    <description>with <b>markup</b> &amp; more</description>
  </property>
  <property><name>b</name><value>1 &lt; 2 <![CDATA[&& 3]]></value><final>true</final><source>`+
		`mapred-site.xml</source><source>job.xml</source></property>
  <property name="c" value="attributes" final="false"/>
  <property><name>novalue</name></property>
  <property><name>empty</name><value/></property>
  <property><name>mapreduce.job.queuename</name><value></value></property>
  <configuration><property><name>nested</name><value>yes</value></property></configuration>
</configuration>
`), "site.xml"))
	require.Equal(t, []Property{
		{"a", " kept as it is ", "site.xml:7"},
		{"b", "1 < 2 && 3", "mapred-site.xml"},
		{"c", "attributes", "site.xml:11"},
		{"mapreduce.job.queuename", "set before", "test"},
		{"nested", "yes", "site.xml:15"},
	}, c.Properties(true))
	c.Set("b", "x", "-D")
	require.Len(t, c.Warnings(), 1)
}

func TestXMLErrorsNameTheLine(t *testing.T) {
	for text, line := range map[string]string{
		"":                                 ":1",
		"<!-- nothing -->":                 ":1",
		"<configuration>":                  ":1",
		"not xml":                          ":1",
		"\n<config/>":                      ":2",
		"<configuration/>x":                ":1",
		"<configuration/><configuration/>": ":1",
		"<configuration>\n\n<property><name>a</name>":                                ":3",
		"<configuration>\n<property>\n<value>a</value>\n</property></configuration>": ":4",
		"<configuration>\nstray\n</configuration>":                                   ":3",
		"<configuration>\n<properties/></configuration>":                             ":2",
		"<configuration><property><name>a<b/></name></property></configuration>":     ":1",
		"<configuration>\n<property><name>a</nam></property></configuration>":        ":2",
		"<configuration><include href='x'/></configuration>":                         ":1",
		strings.Repeat("<configuration>",
			50): ":1",
		"<configuration>\n<property><name>a</name><value>&nosuch;</value></property></configuration>": ":2",
		"<!DOCTYPE x [<!ENTITY a " +
			"\"b\">]>\n<configuration><property><name>a</name><value>&a;</value></property></configuration>": ":2",
	} {
		err := New().LoadXML(strings.NewReader(text), "site.xml")
		require.Equal(t, failure.Config, failure.KindOf(err), "%q: %v", text, err)
		require.ErrorContains(t, err, "site.xml"+line, text)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestXMLHasALimit(t *testing.T) {
	r := newReader(New(), "site.xml", 0)
	require.EqualValues(t, maxFile, r.limit)
	r.limit = 100_000
	err := r.read(endless{})
	require.Equal(t, failure.Config, failure.KindOf(err))
	require.ErrorContains(t, err, "larger than 100000 bytes")
}

func TestInclude(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file,
			[]byte(`<configuration xmlns:xi="http://www.w3.org/2001/XInclude">`+text+`</configuration>`), 0o666))
		return file
	}
	common := write("common.xml", property("a", "common")+property("b", "common"))
	site := write("site.xml", `<xi:include href="common.xml"/>`+property("b", "site")+
		`<xi:include href="missing.xml"><xi:fallback>`+property("c", "fallback")+`</xi:fallback></xi:include>`+
		`<xi:include href="common.xml"><xi:fallback>`+property("c", "not this")+`</xi:fallback></xi:include>`)
	c := New()
	require.NoError(t, c.LoadFile(site))
	require.Equal(t, []Property{{"a", "common", common + ":1"}, {"b", "common", common + ":1"},
		{"c", "fallback", site + ":1"}}, c.Properties(true))

	for _, bad := range []string{`<xi:include href="missing.xml"/>`, `<xi:include/>`,
		`<xi:include href="common.xml"><x/></xi:include>`,
		`<xi:include href="missing.xml"><xi:fallback><x/></xi:fallback></xi:include>`} {
		err := New().LoadFile(write("bad.xml", bad))
		require.Equal(t, failure.Config, failure.KindOf(err), bad)
		require.ErrorContains(t, err, "bad.xml:1")
	}
	err := New().LoadFile(write("self.xml", `<xi:include href="self.xml"/>`))
	require.ErrorContains(t, err, "nested more than")
}

func TestWriteXMLRoundTrip(t *testing.T) {
	c := New()
	load(t, c, "mapred-site.xml", "<property><name>mapred.reduce.tasks</name><value>3</value><final>true</final></"+
		"property>")
	c.Set("odd", "tab\t, new\nline, <&>\"' \u00e9\U0001f418", "-D")
	c.Set("expanded", "${mapred.reduce.tasks}/${nobody}", "-conf")
	var b bytes.Buffer
	require.NoError(t, c.WriteXML(&b, true))
	d := New()
	require.NoError(t, d.LoadXML(&b, "job.xml"))
	require.Equal(t, c.Properties(true), d.Properties(true))
	raw, _, _ := d.raw("expanded")
	require.Equal(t, "3/${nobody}", raw)
	d.Set("mapreduce.job.reduces", "4", "-D")
	require.Equal(t, "3", d.Get("mapreduce.job.reduces"))

	b.Reset()
	require.NoError(t, c.WriteXML(&b, false))
	e := New()
	require.NoError(t, e.LoadXML(&b, "job.xml"))
	require.Equal(t, c.Properties(false), e.Properties(false))
}

func TestErrorsOfValuesNameTheLine(t *testing.T) {
	c := New()
	load(t, c, "mapred-site.xml", "\n<property>\n<name>mapreduce.job.reduces</name>\n<value>\n-1\n</value>\n</property>"+
		"<property><name>loop</name><value>${loop}</value></property>")
	_, err := c.Int("mapreduce.job.reduces", 1, 0, 100)
	require.EqualError(t, err, "read mapreduce.job.reduces=-1 (mapred-site.xml:4): want a whole number from 0 to 100")
	require.ErrorContains(t, c.Check(), "(mapred-site.xml:7)")

	var job bytes.Buffer // errors at the JobTracker name the file that the client read
	require.NoError(t, c.WriteXML(&job, true))
	c = New()
	require.NoError(t, c.LoadXML(&job, "job.xml"))
	_, err = c.Int("mapreduce.job.reduces", 1, 0, 100)
	require.ErrorContains(t, err, "(mapred-site.xml:4)")
}

func TestRefuse(t *testing.T) {
	c := New()
	require.EqualError(t, c.Refuse("unset", errors.New("why")), "read unset=: why")
	c.Set("k", " v ", "-D")
	err := c.Refuse("k", errors.New("why"))
	require.Equal(t, failure.Config, err.Kind)
	require.EqualError(t, err.Fix("do"), "read k=v (-D): why; do")
}

func FuzzLoadXML(f *testing.F) {
	for _, s := range []string{
		"<configuration>" + property("a", "b") + "</configuration>",
		`<configuration><property name="a" value="${a}" final="true"/></configuration>`,
		`<configuration><configuration><property><name>x</name><value>&#x20;</value></property></configuration></` +
			`configuration>`,
		`<configuration><include href="/dev/zero"/></configuration>`,
		"<configuration><property><name>a\x00</name></property>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := New()
		if err := c.LoadXML(strings.NewReader(s), "fuzz.xml"); err != nil {
			require.Equal(t, failure.Config, failure.KindOf(err))
			return
		}
		var b bytes.Buffer
		require.NoError(t, c.WriteXML(&b, true))
		d := New()
		require.NoError(t, d.LoadXML(&b, "again.xml"), b.String())
		for _, p := range c.Properties(true) {
			require.Equal(t, clean(p.Value), clean(d.Get(p.Name)), p.Name)
		}
	})
}

// clean normalizes text that XML cannot represent: "\r" reads back as "\n".
func clean(s string) string { return strings.ReplaceAll(s, "\r", "\n") }
