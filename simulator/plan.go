package simulator

// Plan is what goes wrong in a run and what differs from node to node.
type Plan struct{}

// planned is a plan at work.
type planned struct {
	next int64
	real bool
}

func (p *Plan) begin(*Config) (planned, error) { return planned{next: never}, nil }

func (p *planned) start(int64) {}
func (p *planned) act(*engine) {}

func (p *planned) mapTime(_ *engine, _ *task, ms int64) int64 { return ms }

func (p *planned) reduceTime(_ *engine, _ *task, shuffle, rest int64) (int64, int64) {
	return shuffle, rest
}

func (p *planned) chance(*engine, *task) {}
