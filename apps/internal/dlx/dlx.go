// Package dlx solves exact cover problems with dancing links. Given a table of ones and zeros, it
// finds the sets of rows that have exactly one 1 in each column. A Table contains the positions of
// the ones. Solutions are in the same order as in Hadoop's examples.
package dlx

// Table represents a table by its ones. Rows are circular lists from left to right. Columns are
// circular lists from top to bottom, each with a head.
type Table struct {
	nodes []node // node 0 is the head of the heads; the column heads follow
	row   []int  // row number, by node
	size  []int  // number of ones, by column head
	rows  int
}

type node struct{ left, right, up, down, head int32 }

// New returns a table without rows. secondary is the number of secondary columns, which are the
// last ones. A solution has at most one 1 in each secondary column.
func New(columns, secondary int) *Table {
	t := &Table{nodes: make([]node, columns+1), row: make([]int, columns+1), size: make([]int, columns+1)}
	for i := range t.nodes {
		n := int32(i)
		t.nodes[i] = node{n, n, n, n, n}
	}
	for i := 1; i <= columns-secondary; i++ {
		t.link(int32(i), 0)
	}
	return t
}

// link appends node n to the circular list that starts at first.
func (t *Table) link(n, first int32) {
	last := t.nodes[first].left
	t.nodes[n].left, t.nodes[n].right = last, first
	t.nodes[last].right, t.nodes[first].left = n, n
}

// Add adds a row with ones in the given columns, which are in ascending order. Rows are numbered
// from 0.
func (t *Table) Add(columns ...int) {
	first := int32(-1)
	for _, c := range columns {
		head, n := int32(c+1), int32(len(t.nodes))
		up := t.nodes[head].up
		t.nodes = append(t.nodes, node{n, n, up, head, head})
		t.nodes[up].down, t.nodes[head].up = n, n
		t.row = append(t.row, t.rows)
		if t.size[head]++; first < 0 {
			first = n
		} else {
			t.link(n, first)
		}
	}
	t.rows++
}

func (t *Table) cover(head int32) {
	h := &t.nodes[head]
	t.nodes[h.right].left, t.nodes[h.left].right = h.left, h.right
	for r := h.down; r != head; r = t.nodes[r].down {
		for n := t.nodes[r].right; n != r; n = t.nodes[n].right {
			x := &t.nodes[n]
			t.nodes[x.up].down, t.nodes[x.down].up = x.down, x.up
			t.size[x.head]--
		}
	}
}

func (t *Table) uncover(head int32) {
	for r := t.nodes[head].up; r != head; r = t.nodes[r].up {
		for n := t.nodes[r].left; n != r; n = t.nodes[n].left {
			x := &t.nodes[n]
			t.size[x.head]++
			t.nodes[x.up].down, t.nodes[x.down].up = n, n
		}
	}
	h := &t.nodes[head]
	t.nodes[h.right].left, t.nodes[h.left].right = head, head
}

// best returns the first uncovered primary column with the fewest ones, or 0 if there is none.
func (t *Table) best() (col int32) {
	for c := t.nodes[0].right; c != 0; c = t.nodes[c].right {
		if col == 0 || t.size[c] < t.size[col] {
			col = c
		}
	}
	return col
}

// take covers the columns in which r's row has ones, except r's own column. release uncovers them.
func (t *Table) take(r int32) {
	for n := t.nodes[r].right; n != r; n = t.nodes[n].right {
		t.cover(t.nodes[n].head)
	}
}

func (t *Table) release(r int32) {
	for n := t.nodes[r].left; n != r; n = t.nodes[n].left {
		t.uncover(t.nodes[n].head)
	}
}

// Solve calls f with the row numbers of each solution that starts with the given choices, until f
// returns false. The choices come from Split. Without choices, Solve finds all solutions. rows is
// valid only during the call to f.
func (t *Table) Solve(choices []int, f func(rows []int) bool) {
	t.advance(choices, nil, f)
}

func (t *Table) advance(choices []int, rows []int, f func([]int) bool) (more bool) {
	if len(choices) == 0 {
		return t.search(rows, f)
	}
	more = true
	t.eachRow(func(i int, r int32) bool {
		if i == choices[0] {
			more = t.advance(choices[1:], append(rows, t.row[r]), f)
		}
		return i < choices[0]
	})
	return more
}

func (t *Table) search(rows []int, f func([]int) bool) (more bool) {
	if t.nodes[0].right == 0 {
		return f(rows)
	}
	more = true
	t.eachRow(func(_ int, r int32) bool {
		more = t.search(append(rows, t.row[r]), f)
		return more
	})
	return more
}

// eachRow takes each row of the best column in turn and calls f, until f returns false.
func (t *Table) eachRow(f func(i int, r int32) bool) {
	col := t.best()
	if col == 0 || t.size[col] == 0 {
		return
	}
	t.cover(col)
	for i, r := 0, t.nodes[col].down; r != col; i, r = i+1, t.nodes[r].down {
		t.take(r)
		more := f(i, r)
		t.release(r)
		if !more {
			break
		}
	}
	t.uncover(col)
}

// Split calls f once for each way to make the first depth choices, so that searches can run in
// parallel. The searches do not find solutions with fewer than depth rows. choices is valid only
// during the call to f, which must not use the table.
func (t *Table) Split(depth int, f func(choices []int)) { t.split(depth, nil, f) }

func (t *Table) split(depth int, choices []int, f func([]int)) {
	if depth == 0 {
		f(choices)
		return
	}
	t.eachRow(func(i int, _ int32) bool {
		t.split(depth-1, append(choices, i), f)
		return true
	})
}
