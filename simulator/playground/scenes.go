package playground

// Scene is a request that shows one idea.
type Scene struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	About string `json:"about"` // what to look at
	// Policies are those to compare.
	Policies []string `json:"policies"`
	Request  Request  `json:"request"`
}

// Scenes returns the scenes of the page, in the order of the tutorial
// (docs/tutorial-schedulers.md).
func Scenes() []Scene {
	return []Scene{
		{ID: "queue", Title: "Waiting in line",
			About: "A long job arrives first. Under fifo, the short jobs behind it wait until all its tasks have started. " +
				"Under fair, each pool gets its share of the slots at once.",
			Policies: []string{"fifo", "fair"},
			Request: Request{Policy: "fifo", Nodes: 4, Slots: [2]int32{4, 2}, Jobs: []Job{
				{Name: "long", Group: "reports", Maps: 160, MapTime: 12, Reduces: 8, ReduceTime: 20},
				{Name: "short 1", Group: "people", Submit: 10, Maps: 12, MapTime: 6, Reduces: 2, ReduceTime: 6},
				{Name: "short 2", Group: "people", Submit: 40, Maps: 12, MapTime: 6, Reduces: 2, ReduceTime: 6},
				{Name: "short 3", Group: "people", Submit: 70, Maps: 12, MapTime: 6, Reduces: 2, ReduceTime: 6},
			}}},
		{ID: "borrow", Title: "Borrowing slots",
			About: "One pool needs reduce slots, the other map slots. Under fair, idle slots of the other kind stay idle. " +
				"Under pi-dhfs, both pools borrow them. Under pd-dhfs, each pool first uses its own idle slots.",
			Policies: []string{"fair", "pi-dhfs", "pd-dhfs"},
			Request: Request{Policy: "fair", Nodes: 6, Slots: [2]int32{4, 2}, Jobs: []Job{
				{Name: "sort", Group: "left", Maps: 24, MapTime: 10, Reduces: 60, ReduceTime: 20},
				{Name: "filter", Group: "right", Maps: 240, MapTime: 10, Reduces: 6, ReduceTime: 20},
			}}},
		{ID: "deadlines", Title: "Meeting deadlines",
			About: "The backup has long tasks and much time. Under maxedf, it takes all the slots, and the billing that " +
				"arrives later is late. Under minedf, it takes only the slots that it needs. Move a deadline.",
			Policies: []string{"fifo", "maxedf", "minedf", "minedf-wc"},
			Request: Request{Policy: "fifo", Nodes: 5, Slots: [2]int32{4, 2}, Jobs: []Job{
				{Name: "backup", Group: "nightly", Maps: 60, MapTime: 60, Reduces: 10, ReduceTime: 20, Deadline: 400},
				{Name: "billing", Group: "office", Submit: 15, Maps: 30, MapTime: 10, Reduces: 10, ReduceTime: 10,
					Deadline: 85},
				{Name: "search", Group: "office", Submit: 45, Maps: 20, MapTime: 10, Reduces: 10, ReduceTime: 10,
					Deadline: 180},
			}}},
		{ID: "capacity", Title: "When others need the nodes",
			About: "Other users take up to 80% of the slots; f(t) is what they leave. Under adaptive, the morning job is " +
				"late. Reverse-adaptive knows f(t) and plans backward from each deadline.",
			Policies: []string{"fifo", "adaptive", "reverse-adaptive"},
			Request: Request{Policy: "adaptive", Nodes: 20, Slots: [2]int32{5, 1}, Period: 288,
				Capacity: []Level{{0, .6}, {24, .8}, {120, .6}, {144, .4}, {168, .2}, {264, .4}},
				Jobs: []Job{
					{Name: "evening", Maps: 990, MapTime: 4, Deadline: 277},
					{Name: "noon", Maps: 990, MapTime: 4, Deadline: 180},
					{Name: "morning", Maps: 990, MapTime: 4, Deadline: 78},
				}}},
		{ID: "pool", Title: "Growing MR-clusters",
			About: "Two MR-clusters share twelve nodes. With weights by the number of waiting jobs (JD), the busy one grows " +
				"while the calm one has little work, and shrinks when that wakes up. With None, both keep two nodes.",
			Policies: []string{"fifo"},
			Request: Request{Policy: "fifo", Nodes: 12, Slots: [2]int32{4, 2}, Weights: "JD",
				Clusters: []Cluster{{"busy", 2}, {"calm", 2}},
				Jobs: []Job{
					{Name: "crawl", Group: "busy", Maps: 400, MapTime: 15, Reduces: 20, ReduceTime: 15},
					{Name: "index", Group: "busy", Submit: 60, Maps: 300, MapTime: 15, Reduces: 20, ReduceTime: 15},
					{Name: "check", Group: "calm", Maps: 16, MapTime: 15, Reduces: 2, ReduceTime: 15},
					{Name: "export", Group: "calm", Submit: 150, Maps: 300, MapTime: 15, Reduces: 20, ReduceTime: 15},
				}}},
	}
}
