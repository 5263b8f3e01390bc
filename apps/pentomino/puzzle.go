package pentomino

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/apps/internal/dlx"
	"github.com/howdah/howdah/conf"
)

// piece is a pentomino. Slashes separate its lines.
type piece struct {
	name, shape string
	turns       int  // number of distinct rotations by quarter turns
	flip        bool // the piece can be turned over and looks different from the other side
}

var plain = []piece{
	{"x", " x /xxx/ x ", 1, false}, {"v", "x  /x  /xxx", 4, false}, {"t", "xxx/ x / x ", 4, false},
	{"w", "  x/ xx/xx ", 4, false},
	{"u", "x x/xxx", 4, false}, {"i", "xxxxx", 2, false}, {"f", " xx/xx / x ", 4, true}, {"p", "xx/xx/x ", 4, true},
	{"z", "xx / x / xx", 2, true}, {"n", "xx  / xxx", 4, true}, {"y", "  x /xxxx", 4, true}, {"l", "   x/xxxx", 4, true},
}

// mirrored contains the reverse sides of pieces, for sets whose pieces cannot be turned over.
var mirrored = []piece{
	{"F", "xx / xx/ x ", 4, false}, {"P", "xx/xx/ x", 4, false}, {"Z", " xx/ x /xx ", 2, false},
	{"N", "  xx/xxx ", 4, false},
	{"Y", " x  /xxxx", 4, false}, {"L", "x   /xxxx", 4, false},
}

// pieces returns the pieces of the set that the configuration selects by the name of a Hadoop
// class.
func pieces(c *conf.Config) ([]piece, error) {
	class := conf.PentominoClass.Get(c)
	switch class[strings.LastIndexByte(class, '.')+1:] {
	case "Pentomino":
		return plain, nil
	case "", "OneSidedPentomino":
		var out []piece
		for _, p := range plain {
			p.flip = false
			out = append(out, p)
		}
		return append(out, mirrored...), nil
	}
	return nil, c.Refuse(keyClass, errors.New("want OneSidedPentomino or Pentomino"))
}

// puzzle contains a board and all ways to place each piece on it.
type puzzle struct {
	width, height, depth int
	table                *dlx.Table
	ways                 []way // indexed by row of the table
}

// way is one way to place a piece. It lists the fields that the piece covers, numbered line by
// line.
type way struct {
	name   string
	fields []int
}

func newPuzzle(c *conf.Config) (*puzzle, error) {
	r := conf.Reader{Conf: c}
	p := &puzzle{width: int(conf.PentominoWidth.From(&r)), height: int(conf.PentominoHeight.From(&r)),
		depth: int(conf.PentominoDepth.From(&r))}
	all, err := pieces(c)
	r.Note(err)
	if r.Err != nil {
		return nil, r.Err
	}
	if p.width*p.height != 5*len(all) {
		return nil, c.Refuse(keyWidth, fmt.Errorf("%d pieces cover %d fields, but the board has %d x %d",
			len(all), 5*len(all), p.width, p.height))
	}
	p.table = dlx.New(p.width*p.height+len(all), 0)
	for i := range all {
		p.lay(i, &all[i], false)
		if all[i].flip {
			p.lay(i, &all[i], true)
		}
	}
	return p, nil
}

// lay adds all ways to place a piece, or its reverse side if flip is set. It keeps the center of the
// first piece in the upper left quarter, which excludes most reflections.
func (p *puzzle) lay(number int, k *piece, flip bool) {
	for turn := range k.turns {
		s := k.turned(flip, turn)
		high, wide := len(s), len(s[0])
		for x := 0; x+wide <= p.width; x++ {
			for y := 0; y+high <= p.height; y++ {
				if number == 0 && (2*x+wide > p.width || 2*y+high > p.height) {
					continue
				}
				w := way{name: k.name}
				for dy, line := range s {
					for dx, on := range line {
						if on {
							w.fields = append(w.fields, (y+dy)*p.width+x+dx)
						}
					}
				}
				p.ways = append(p.ways, w)
				p.table.Add(append(w.fields[:5:5], p.width*p.height+number)...)
			}
		}
	}
}

// turned returns the shape line by line, after the given number of quarter turns. If flip is set,
// the shape is turned over.
func (k *piece) turned(flip bool, turn int) [][]bool {
	lines := strings.Split(k.shape, "/")
	high, wide := len(lines), len(lines[0])
	at := func(y, x int) bool { return lines[y][x] == 'x' }
	mirror := func(on bool, i, n int) int {
		if on {
			return n - 1 - i
		}
		return i
	}
	if turn%2 == 0 {
		return fill(high, wide, func(y, x int) bool {
			return at(mirror(flip != (turn == 2), y, high), mirror(turn == 2, x, wide))
		})
	}
	return fill(wide, high, func(y, x int) bool {
		return at(mirror(turn == 3, x, high), mirror(flip != (turn == 1), y, wide))
	})
}

func fill(high, wide int, at func(y, x int) bool) [][]bool {
	out := make([][]bool, high)
	for y := range out {
		out[y] = make([]bool, wide)
		for x := range out[y] {
			out[y][x] = at(y, x)
		}
	}
	return out
}

// picture returns a solution as text, line by line.
func (p *puzzle) picture(rows []int) string {
	fields := make([]string, p.width*p.height)
	for _, r := range rows {
		for _, f := range p.ways[r].fields {
			fields[f] = p.ways[r].name
		}
	}
	var b strings.Builder
	for y := range p.height {
		b.WriteString(strings.Join(fields[y*p.width:(y+1)*p.width], "") + "\n")
	}
	return b.String()
}

// categories contains the names of the counters, one for each kind of position of piece x.
var categories = []string{"UPPER_LEFT", "MID_X", "MID_Y", "CENTER"}

func (p *puzzle) category(rows []int) string {
	for _, r := range rows {
		if w := p.ways[r]; w.name == "x" {
			middle := w.fields[2] // the x's center, because its fields are symmetrical
			midX, midY := 2*(middle%p.width) == p.width-1, 2*(middle/p.width) == p.height-1
			switch {
			case midX && midY:
				return "CENTER"
			case midX:
				return "MID_X"
			case midY:
				return "MID_Y"
			}
			break
		}
	}
	return "UPPER_LEFT"
}
