package conf

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

const (
	maxFile    = 32 << 20 // maximum size of a configuration file, in bytes
	maxInclude = 8        // maximum depth of xi:include and nested <configuration>
)

// LoadFile adds the properties in file, one of Hadoop's XML files. The source of a property is the
// FILE:LINE of its value or the content of its <source> element. Errors are of kind Config.
func (c *Config) LoadFile(file string) error { return c.loadFile(file, 0) }

func (c *Config) loadFile(file string, depth int) error {
	f, err := os.Open(file)
	if err != nil {
		return failure.New(failure.Config, "read configuration", file, err).Fix("check the file's name and its permissions")
	}
	defer f.Close()
	return newReader(c, file, depth).read(f)
}

// LoadXML is like LoadFile, but reads the file's content from r. name is the file's name. LoadXML
// rejects includes because it has no directory in which to resolve them.
func (c *Config) LoadXML(r io.Reader, name string) error {
	return newReader(c, name, maxInclude).read(r)
}

// reader reads one file:
//
//	<configuration>
//	  <property> <name>K</name> <value>V</value> <final>true</final> <source>S</source> </property>
//	  <property name="K" value="V" final="true"/>
//	  <xi:include href="other.xml"> <xi:fallback>…</xi:fallback> </xi:include>
//	</configuration>
type reader struct {
	c     *Config
	file  string
	depth int   // of includes
	limit int64 // bytes
	dec   *xml.Decoder
}

func newReader(c *Config, file string, depth int) *reader {
	return &reader{c: c, file: file, depth: depth, limit: maxFile}
}

// here returns the file and line at which the last token ends.
func (r *reader) here() string {
	line, _ := r.dec.InputPos()
	return fmt.Sprintf("%s:%d", r.file, line)
}

func (r *reader) fail(why error) error {
	return failure.New(failure.Config, "read configuration", r.here(), why).
		Fix("the file must look like <configuration><property><name>…</name><value>…</value></property>…</configuration>")
}

func (r *reader) read(in io.Reader) error {
	limited := &io.LimitedReader{R: in, N: r.limit + 1}
	r.dec = xml.NewDecoder(bufio.NewReader(limited))
	err := r.document()
	if limited.N <= 0 {
		return failure.New(failure.Config, "read configuration", r.file, fmt.Errorf("larger than %d bytes", r.limit))
	}
	return err
}

func (r *reader) document() error {
	seen := false
	for {
		t, err := r.dec.Token()
		if err == io.EOF {
			if !seen {
				return r.fail(errors.New("no <configuration> in it"))
			}
			return nil
		}
		if err != nil {
			return r.fail(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local != "configuration" || seen {
				return r.fail(fmt.Errorf("unexpected <%s>: the one top-level element is <configuration>", t.Name.Local))
			}
			seen = true
			if err := r.properties(0); err != nil {
				return err
			}
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return r.fail(errors.New("text outside <configuration>"))
			}
		}
	}
}

// properties reads the children of an element until the element ends.
func (r *reader) properties(depth int) error {
	if depth > maxInclude {
		return r.fail(errors.New("<configuration> nested too deep"))
	}
	for {
		t, err := r.dec.Token()
		if err != nil {
			return r.fail(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			return nil
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return r.fail(fmt.Errorf("text %.20q between properties", bytes.TrimSpace(t)))
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "property":
				err = r.property(t)
			case "configuration": // Hadoop allows nesting
				err = r.properties(depth + 1)
			case "include":
				err = r.include(t, depth)
			default:
				err = r.fail(fmt.Errorf("unexpected <%s> in <configuration>", t.Name.Local))
			}
			if err != nil {
				return err
			}
		}
	}
}

func (r *reader) property(start xml.StartElement) error {
	e := entry{file: r.file}
	name, hasValue := "", false
	field := func(element, text, here string) {
		switch element {
		case "name":
			name = strings.TrimSpace(text)
		case "value":
			e.value, hasValue = text, true
			if e.file != "" {
				e.source = here
			}
		case "final":
			e.final = strings.TrimSpace(text) == "true"
		case "source": // the first is the original source; the others are files into which the value was copied
			if e.file != "" && text != "" {
				e.source, e.file = text, ""
			}
		}
	}
	for _, a := range start.Attr {
		field(a.Name.Local, a.Value, r.here())
	}
	for {
		t, err := r.dec.Token()
		if err != nil {
			return r.fail(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			here := r.here() // position of the start of the text
			text, err := r.text(t.Name.Local)
			if err != nil {
				return err
			}
			if t.Name.Local != "value" || text != "" { // Hadoop ignores an empty element
				field(t.Name.Local, text, here)
			}
		case xml.EndElement:
			if name == "" {
				return r.fail(errors.New("<property> without <name>"))
			}
			if hasValue { // Hadoop skips a property without a value
				r.c.set(name, e)
			}
			return nil
		}
	}
}

// text reads the text of an element and its end tag.
func (r *reader) text(element string) (string, error) {
	var b strings.Builder
	for {
		t, err := r.dec.Token()
		if err != nil {
			return "", r.fail(err)
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			if element != "description" {
				return "", r.fail(fmt.Errorf("unexpected <%s> in <%s>", t.Name.Local, element))
			}
			if err := r.dec.Skip(); err != nil { // descriptions can contain markup
				return "", r.fail(err)
			}
		case xml.EndElement:
			return b.String(), nil
		}
	}
}

// include reads the file that <xi:include> names, or the <xi:fallback> if that file is missing.
func (r *reader) include(start xml.StartElement, depth int) error {
	href := ""
	for _, a := range start.Attr {
		if a.Name.Local == "href" {
			href = a.Value
		}
	}
	if href == "" || r.depth >= maxInclude {
		return r.fail(fmt.Errorf("cannot include %q here: no file, or nested more than %d deep", href, maxInclude))
	}
	file := strings.TrimPrefix(href, "file://")
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(r.file), file)
	}
	_, missing := os.Stat(file)
	if missing == nil {
		if err := r.c.loadFile(file, r.depth+1); err != nil {
			return err
		}
	}
	for {
		t, err := r.dec.Token()
		if err != nil {
			return r.fail(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			if missing != nil {
				return r.fail(fmt.Errorf("include: %w", missing))
			}
			return nil
		case xml.StartElement:
			if t.Name.Local != "fallback" {
				return r.fail(fmt.Errorf("unexpected <%s> in <include>", t.Name.Local))
			}
			if missing == nil {
				err = r.dec.Skip()
			} else {
				missing = nil
				err = r.properties(depth + 1)
			}
			if err != nil {
				return err
			}
		}
	}
}

// WriteXML writes the properties, with values and sources, in the format that LoadXML reads. If
// changed is set, it omits the built-in defaults. It expands the values because another user on
// another machine may read the file.
func (c *Config) WriteXML(w io.Writer, changed bool) error {
	return c.writeXML(w, c.Properties(changed))
}

// WriteJob writes the keys that were set. It is like WriteXML but writes the values that Written
// returns.
func (c *Config) WriteJob(w io.Writer) error { return c.writeXML(w, c.Written()) }

func (c *Config) writeXML(w io.Writer, list []Property) error {
	b := bufio.NewWriter(w)
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n")
	for _, p := range list {
		b.WriteString("<property><name>")
		xml.EscapeText(b, []byte(p.Name))
		b.WriteString("</name><value>")
		xml.EscapeText(b, []byte(p.Value))
		b.WriteString("</value>")
		if c.m[p.Name].final {
			b.WriteString("<final>true</final>")
		}
		b.WriteString("<source>")
		xml.EscapeText(b, []byte(p.Source))
		b.WriteString("</source></property>\n")
	}
	b.WriteString("</configuration>\n")
	return b.Flush()
}
