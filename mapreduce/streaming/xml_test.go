package streaming_test

import (
	"strings"
	"testing"
)

const reader = "StreamXmlRecordReader,begin=<rec>,end=</rec>"

func TestXMLRecords(t *testing.T) {
	newStream(t, "<a>x <rec>one\ntwo</rec> y <rec>three</rec></a><rec>four").
		run("-inputreader", reader, "-mapper", "cat", "-reducer", "NONE").
		gives("<rec>one\t\ntwo</rec>\t\n<rec>three</rec>\t\n")
	newStream(t, "no records here").run("-inputreader", reader, "-mapper", "cat", "-reducer", "NONE").gives("")
	newStream(t, "").run("-inputreader", reader, "-mapper", "cat", "-reducer", "NONE").gives("")
}

func TestXMLRecordsOfManySplits(t *testing.T) {
	var text, want strings.Builder
	for i := range 500 {
		body := strings.Repeat("x", i*7%100)
		text.WriteString(" some <other> <rec>" + body + "</rec>\n")
		want.WriteString("<rec>" + body + "</rec>\t\n")
	}
	s := newStream(t, text.String()).with("mapreduce.input.fileinputformat.split.maxsize", "999")
	s.run("-inputreader", reader, "-mapper", "cat", "-reducer", "NONE").gives(want.String())
}

func TestSlowXMLRecordsKnowCDATA(t *testing.T) {
	slow := func(text, want string) {
		newStream(t, text).run("-inputreader", reader+",slowmatch=true,maxrec=500", "-mapper", "cat", "-reducer",
			"NONE").gives(want)
	}
	slow("<rec>zero</rec> <rec>one</rec> ", "<rec>zero</rec>\t\n<rec>one</rec>\t\n")
	// Text before the first CDATA section could be inside another section, so Hadoop starts after
	// it.
	slow("<rec>one<![CDATA[ </rec> ]]> more</rec> <rec>two<![CDATA[ </rec> ]]> more</rec> <rec>three</rec> ",
		"<rec>two<![CDATA[ </rec> ]]> more</rec>\t\n<rec>three</rec>\t\n")
}

func TestXMLWithoutMarks(t *testing.T) {
	newStream(t, "x").run("-inputreader", "StreamXmlRecordReader,begin=<rec>", "-mapper",
		"cat").fails("stream.recordreader.end")
	newStream(t, "x").run("-inputreader", "com.example.Reader", "-mapper", "cat").fails("does not have this record reader")
}
