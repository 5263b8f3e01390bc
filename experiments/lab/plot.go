package lab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/howdah/howdah/job/failure"
)

// Plot is a chart of one or more series.
type Plot struct {
	Name   string   `json:"name"` // file name without extension
	Title  string   `json:"title,omitempty"`
	X      string   `json:"x,omitempty"` // label of the axis
	Y      string   `json:"y,omitempty"` // label of the axis
	Kind   PlotKind `json:"kind"`
	Series []Series `json:"series"`
	LogX   bool     `json:"logx,omitempty"`
	LogY   bool     `json:"logy,omitempty"` // Bars only; omits bars without a positive height
	// Nested draws each line thinner than the previous one, so that lines that overlap stay visible.
	Nested bool `json:"nested,omitempty"`
	// Paper lists values that the paper's text states. They are drawn over the series.
	Paper []Stated `json:"paper,omitempty"`
}

// Stated is a value, or a range of values, that the paper's text states for a place in a plot.
type Stated struct {
	X  float64  `json:"x"` // Bars: the middle of a bar, see Middle
	Y  float64  `json:"y"`
	To *float64 `json:"to,omitempty"` // upper end of a range that starts at Y; nil = a single value
}

// Middle returns the position on the X axis of the bar of a group and a series. Groups and series are
// counted from 0; n is the number of series.
func Middle(group, series, n int) float64 {
	width := barWidth(n)
	return float64(group) - 0.4 + width*float64(series) + width/2
}

// barWidth returns the width of a bar if each group has n bars. A group is 0.8 wide.
func barWidth(n int) float64 { return 0.8 / float64(n) }

// PlotKind selects how to draw series.
type PlotKind uint8

// Kinds of plots.
const (
	Lines PlotKind = iota
	Steps          // Y is constant from its X to the next X
	CDF            // distribution of the values in X; Y is unused
	Bars           // group i has one bar of height Y[i] for each series; X is unused
	Gantt          // bars from X to High in row Y
)

// Series is one line, or one set of bars.
type Series struct {
	Name string    `json:"name"`
	X    []float64 `json:"x,omitempty"`
	Y    []float64 `json:"y,omitempty"`
	// Low and High are the ends of the error bars, with the length of Y; nil = none. For High in a
	// Gantt plot, see Gantt.
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	Labels []string  `json:"labels,omitempty"` // labels of the bar groups
	Dashed bool      `json:"dashed,omitempty"`
	Color  int       `json:"color,omitempty"` // index in the palette, from 1; 0 = index of the series
}

// palette contains colors that color-blind people can distinguish (Okabe and Ito, with gray instead
// of yellow).
var palette = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255}, {120, 120, 120, 255}}

const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 11 * vg.Centimeter
	wider      = 1.15 // room in the legend for viewers that draw SVG with a wider font
	maxLegend  = 12   // a plot with more series has no legend
	maxLabels  = 70   // maximum width of horizontal labels below an axis, in letters; wider labels are slanted
)

// Draw writes a plot to a file. The extension (.svg, .png, or .pdf) selects the format.
func Draw(p Plot, file string) error {
	if ext := strings.ToLower(filepath.Ext(file)); ext != ".svg" && ext != ".png" && ext != ".pdf" {
		return failure.New(failure.Usage, "draw plot", file,
			fmt.Errorf("unknown format %q", ext)).Fix("use .svg, .png or .pdf")
	}
	err := p.draw(file)
	if err != nil {
		return failure.New(failure.KindOf(err), "draw plot", file, err)
	}
	return nil
}

// SVG returns a plot as an element of an HTML page. It returns an error if there is nothing to draw.
func SVG(p Plot) (template.HTML, error) {
	var b bytes.Buffer
	canvas, err := p.canvas("svg")
	if err == nil {
		_, err = canvas.WriteTo(&b)
	}
	if err != nil {
		return "", failure.New(failure.KindOf(err), "draw plot", p.Name, err)
	}
	text := b.Bytes()
	return template.HTML(text[max(0, bytes.Index(text, []byte("<svg"))):]), nil // without the XML declaration
}

func (p *Plot) draw(file string) (err error) {
	canvas, err := p.canvas(strings.ToLower(filepath.Ext(file)[1:]))
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err = canvas.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// canvas draws a plot with its legend next to the figure, so that the legend does not hide data.
func (p *Plot) canvas(format string) (vg.CanvasWriterTo, error) {
	g, err := p.figure()
	if err != nil {
		return nil, err
	}
	canvas, err := draw.NewFormattedCanvas(plotWidth, plotHeight, format)
	if err != nil {
		return nil, err
	}
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	const margin = 3 * vg.Millimeter
	legend, width := g.Legend, vg.Length(0)
	g.Legend = plot.NewLegend()
	if r := legend.Rectangle(all); p.named() {
		width = r.Size().X*wider + margin
	}
	g.Draw(draw.Crop(all, margin, -margin-width, margin, -margin))
	legend.Draw(draw.Crop(all, plotWidth-width, -margin, margin, -2*vg.Centimeter))
	return canvas, nil
}

// named reports whether the plot has names of series to show in a legend.
func (p *Plot) named() bool {
	return len(p.Series) <= maxLegend && slices.ContainsFunc(p.Series, func(s Series) bool { return s.Name != "" })
}

func (p *Plot) figure() (*plot.Plot, error) {
	g := plot.New()
	g.Title.Text, g.X.Label.Text, g.Y.Label.Text = p.Title, p.X, p.Y
	g.Legend.Top, g.Legend.Left, g.Legend.Padding = true, true, vg.Millimeter
	g.Add(plotter.NewGrid())
	g.X.Tick.Marker, g.Y.Tick.Marker = ticks{}, ticks{}
	if p.LogX {
		g.X.Scale, g.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if p.LogY {
		g.Y.Scale, g.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	drawn := 0
	for i := range p.Series {
		if len(p.Series[i].X) == 0 && len(p.Series[i].Y) == 0 {
			continue
		}
		drawn++
		if err := p.add(g, i); err != nil {
			return nil, err
		}
	}
	if drawn == 0 {
		return nil, errors.New("nothing to draw")
	}
	if len(p.Paper) > 0 {
		g.Add(diamonds(p.Paper))
		p.legend(g, "paper", diamonds(nil))
	}
	for _, a := range []*plot.Axis{&g.X, &g.Y} { // an axis starts at 0 if 0 is near the data
		if a.Min > 0 && a.Min < a.Max/2 && !(a == &g.X && (p.LogX || p.Kind == Bars)) && !(a == &g.Y && p.LogY) {
			a.Min = 0
		}
	}
	return g, nil
}

func (p *Plot) add(g *plot.Plot, i int) error {
	s := &p.Series[i]
	c := palette[i%len(palette)]
	if s.Color > 0 {
		c = palette[(s.Color-1)%len(palette)]
	}
	switch p.Kind {
	case Bars:
		return p.addBars(g, i, c)
	case Gantt:
		return p.addGantt(g, s, c)
	}
	points := s.points(p.Kind, p.LogX)
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(1.4)
	if p.Nested {
		line.Width *= vg.Length(len(p.Series) - i)
	}
	if s.Dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	if p.Kind == Steps || p.Kind == CDF {
		line.StepStyle = plotter.PostStep
	}
	g.Add(line)
	p.legend(g, s.Name, line)
	return s.addErrors(g, s.X, c)
}

func (p *Plot) legend(g *plot.Plot, name string, t plot.Thumbnailer) {
	if name != "" && len(p.Series) <= maxLegend {
		g.Legend.Add(name, t)
	}
}

// points returns the points of a line. If X is logarithmic, points omits values of X that are not
// positive.
func (s *Series) points(k PlotKind, logX bool) plotter.XYs {
	if k == CDF {
		x := slices.Clone(s.X)
		slices.SortFunc(x, cmp.Compare[float64])
		out := plotter.XYs{}
		for i, v := range x {
			if !logX || v > 0 {
				if len(out) == 0 {
					out = append(out, plotter.XY{X: v, Y: float64(i) / float64(len(x))})
				}
				out = append(out, plotter.XY{X: v, Y: float64(i+1) / float64(len(x))})
			}
		}
		return out
	}
	out := plotter.XYs{}
	for i := range min(len(s.X), len(s.Y)) {
		if !logX || s.X[i] > 0 {
			out = append(out, plotter.XY{X: s.X[i], Y: s.Y[i]})
		}
	}
	return out
}

// errorPoints holds points and the ends of their error bars.
type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

func (s *Series) addErrors(g *plot.Plot, x []float64, c color.Color) error {
	if len(s.Low) != len(s.Y) || len(s.High) != len(s.Y) || len(s.Y) == 0 {
		return nil
	}
	e := errorPoints{}
	for i := range s.Y {
		e.XYs = append(e.XYs, plotter.XY{X: x[i], Y: s.Y[i]})
		e.YErrors = append(e.YErrors, struct{ Low, High float64 }{math.Max(0, s.Y[i]-s.Low[i]),
			math.Max(0, s.High[i]-s.Y[i])})
	}
	bars, err := plotter.NewYErrorBars(e)
	if err != nil {
		return err
	}
	bars.Color = c
	g.Add(bars)
	return nil
}

// addBars draws the bars of series i next to those of the other series. Group n of the bars is
// centered on n.
func (p *Plot) addBars(g *plot.Plot, i int, c color.Color) error {
	s, width := &p.Series[i], barWidth(len(p.Series))
	b, middle, floor := &boxes{color: c}, make([]float64, len(s.Y)), p.floor()
	for k, y := range s.Y {
		middle[k] = Middle(k, i, len(p.Series))
		left := middle[k] - width/2
		if p.LogY {
			if y > 0 {
				b.at = append(b.at, box{left, left + width, floor, y})
			}
			continue
		}
		b.at = append(b.at, box{left, left + width, min(0, y), max(0, y)})
	}
	if len(b.at) > 0 {
		g.Add(b)
	}
	p.legend(g, s.Name, b)
	if len(s.Labels) > 0 {
		g.NominalX(s.Labels...)
		g.X.Max = max(g.X.Max, float64(len(s.Labels)-1)) // the last group may have bars only left of its label
		longest := 0
		for _, l := range s.Labels {
			longest = max(longest, len(l))
		}
		if (longest+2)*len(s.Labels) > maxLabels { // each label has an equal share of the axis
			// Viewers may use wider fonts than the plot, so a label ends a little before its tick.
			g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/4, draw.XRight-0.2, draw.YCenter
		}
	}
	return s.addErrors(g, middle, color.Black)
}

// floor returns the largest power of ten that is at most the smallest positive height. Bars on a
// logarithmic axis start there.
func (p *Plot) floor() float64 {
	low := math.Inf(1)
	for _, s := range p.Series {
		for _, y := range s.Y {
			if y > 0 {
				low = min(low, y)
			}
		}
	}
	return math.Pow(10, math.Floor(math.Log10(low)))
}

func (p *Plot) addGantt(g *plot.Plot, s *Series, c color.Color) error {
	if len(s.X) != len(s.High) || len(s.X) != len(s.Y) {
		return fmt.Errorf("series %s: every bar needs a start, an end and a row", s.Name)
	}
	b := &boxes{color: c}
	for i := range s.X {
		b.at = append(b.at, box{s.X[i], s.High[i], s.Y[i] - 0.4, s.Y[i] + 0.4})
	}
	g.Add(b)
	p.legend(g, s.Name, b)
	return nil
}

// boxes is a set of bars in one color.
type boxes struct {
	at    []box
	color color.Color
}

// box is a bar, in the units of the axes.
type box struct{ left, right, low, high float64 }

// Plot implements plot.Plotter.
func (b *boxes) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	for _, r := range b.at {
		left, right, low, high := x(r.left), x(r.right), y(r.low), y(r.high)
		c.FillPolygon(b.color, c.ClipPolygonXY([]vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high},
			{X: left, Y: high}}))
	}
}

// DataRange implements plot.DataRanger.
func (b *boxes) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin, xmax, ymax = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, r := range b.at {
		xmin, xmax, ymin, ymax = min(xmin, r.left), max(xmax, r.right), min(ymin, r.low), max(ymax, r.high)
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b *boxes) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.color, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y},
		{X: c.Min.X, Y: c.Max.Y}})
}

// diamonds draws values of the paper: a diamond for each value, and a line between the ends of a range.
type diamonds []Stated

// diamondSize is the distance from the middle of a diamond to its corners.
const diamondSize = vg.Length(4)

// Plot implements plot.Plotter.
func (d diamonds) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	for i := range d {
		s := &d[i]
		at := vg.Point{X: x(s.X), Y: y(s.Y)}
		if s.To != nil {
			end := vg.Point{X: at.X, Y: y(*s.To)}
			c.StrokeLines(draw.LineStyle{Color: color.Black, Width: vg.Points(1.5)}, []vg.Point{at, end})
			diamond(&c, end)
		}
		diamond(&c, at)
	}
}

// DataRange implements plot.DataRanger.
func (d diamonds) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin, xmax, ymax = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range d {
		s, top := &d[i], d[i].Y
		if s.To != nil {
			top = *s.To
		}
		xmin, xmax, ymin, ymax = min(xmin, s.X), max(xmax, s.X), min(ymin, s.Y), max(ymax, top)
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (d diamonds) Thumbnail(c *draw.Canvas) { diamond(c, c.Center()) }

// diamond draws a black diamond with a white border, so that it is visible on any color.
func diamond(c *draw.Canvas, at vg.Point) {
	for _, x := range []struct {
		size  vg.Length
		color color.Color
	}{{diamondSize + 1, color.White}, {diamondSize, color.Black}} {
		c.FillPolygon(x.color, []vg.Point{{X: at.X - x.size, Y: at.Y}, {X: at.X, Y: at.Y + x.size},
			{X: at.X + x.size, Y: at.Y}, {X: at.X, Y: at.Y - x.size}})
	}
}
