package pentomino

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/apps/internal/dlx"
	"github.com/howdah/howdah/conf"
)

// piece is a pentomino, its lines cut by slashes.
type piece struct {
	name, shape string
	turns       int  // how many quarter turns look different
	flip        bool // whether it looks different turned over, and may be
}

var plain = []piece{
	{"x", " x /xxx/ x ", 1, false}, {"v", "x  /x  /xxx", 4, false}, {"t", "xxx/ x / x ", 4, false}, {"w", "  x/ xx/xx ", 4, false},
	{"u", "x x/xxx", 4, false}, {"i", "xxxxx", 2, false}, {"f", " xx/xx / x ", 4, true}, {"p", "xx/xx/x ", 4, true},
	{"z", "xx / x / xx", 2, true}, {"n", "xx  / xxx", 4, true}, {"y", "  x /xxxx", 4, true}, {"l", "   x/xxxx", 4, true},
}

// mirrored are the other sides of pieces, where none may be turned over.
var mirrored = []piece{
	{"F", "xx / xx/ x ", 4, false}, {"P", "xx/xx/ x", 4, false}, {"Z", " xx/ x /xx ", 2, false}, {"N", "  xx/xxx ", 4, false},
	{"Y", " x  /xxxx", 4, false}, {"L", "x   /xxxx", 4, false},
}

// pieces gives those of a class of Hadoop's example.
func pieces(c *conf.Config) ([]piece, error) {
	class := c.Get(keyClass)
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
	return nil, c.Refuse(keyClass, errors.New("there are OneSidedPentomino and Pentomino"))
}

// puzzle is a board and all ways to lay each piece on it.
type puzzle struct {
	width, height, depth int
	table                *dlx.Table
	ways                 []way // by row of the table
}

// way is one way to lay a piece: the fields that it takes, numbered line by line.
type way struct {
	name   string
	fields []int
}

// maxSide bounds a board.
const maxSide = 90

func newPuzzle(c *conf.Config) (*puzzle, error) {
	var n [3]int64
	for i, x := range []struct {
		key       string
		def, most int64
	}{{keyWidth, 9, maxSide}, {keyHeight, 10, maxSide}, {keyDepth, 5, 18}} {
		var err error
		if n[i], err = c.Int(x.key, x.def, 1, x.most); err != nil {
			return nil, err
		}
	}
	all, err := pieces(c)
	if err != nil {
		return nil, err
	}
	p := &puzzle{width: int(n[0]), height: int(n[1]), depth: int(n[2])}
	if p.width*p.height != 5*len(all) {
		return nil, c.Refuse(keyWidth, fmt.Errorf("%d pieces cover %d fields, the board has %d x %d", len(all), 5*len(all), p.width, p.height))
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

// lay adds all ways to lay a piece. The middle of the first piece stays in the upper left quarter, which leaves out most
// reflections.
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

// turned gives the shape turned over, if flip is set, and by quarters, line by line.
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

// picture shows a solution, line by line.
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

// categories say where the x lies.
var categories = []string{"UPPER_LEFT", "MID_X", "MID_Y", "CENTER"}

func (p *puzzle) category(rows []int) string {
	for _, r := range rows {
		if w := p.ways[r]; w.name == "x" {
			middle := w.fields[2] // its fields are symmetrical around it
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
